import { sleep } from 'n8n-workflow';

/** The time, replaceable in tests. */
export interface Clock {
	/** Milliseconds that never go back. */
	now(): number;
	/** Waits at least until the next turn of the event loop. Ends with the signal. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest single timer, in milliseconds. An older n8n's `sleep` takes no signal, so its last timer is left behind. */
const LONGEST_PAUSE_MS = 1000;

/** The time of this machine. */
export const systemClock: Clock = {
	now: () => performance.now(),
	async sleep(ms, signal) {
		const isOver = signal?.aborted === true;
		const end = performance.now() + (isOver ? 0 : ms);
		let stop = (): void => {};
		const stopped = new Promise<void>((resolve) => (stop = resolve));
		signal?.addEventListener('abort', stop);
		do {
			const pause = Math.min(Math.max(0, end - performance.now()), LONGEST_PAUSE_MS);
			await Promise.race([sleep(pause, signal).catch(() => {}), stopped]);
		} while (signal?.aborted !== true && performance.now() < end);
		signal?.removeEventListener('abort', stop);
	},
};

/** This moment as ISO 8601, in UTC. */
export function moment(): string {
	return new Date().toISOString();
}

const UNITS = [
	['day', 86_400_000],
	['hour', 3_600_000],
	['minute', 60_000],
] as const;

/**
 * A time that is this far away, such as "17:30 on 24 November (in 24 hours)".
 *
 * @param timezone without it, the time is in UTC and says so
 */
export function timeIn(ms: number, timezone?: string): string {
	const at = new Date(Math.ceil((Date.now() + ms) / 60_000) * 60_000);
	const said = (options: Intl.DateTimeFormatOptions): string =>
		at.toLocaleString('en-GB', { ...options, timeZone: timezone ?? 'UTC' });
	const time = said({ hour: '2-digit', minute: '2-digit' }) + (timezone === undefined ? ' UTC' : '');
	// "24 hours" says more than "1 day".
	const [unit, size] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['second', 1000];
	const distance = new Intl.RelativeTimeFormat('en-GB').format(Math.round(ms / size), unit);
	return `${time} on ${said({ day: 'numeric', month: 'long' })} (${distance})`;
}
