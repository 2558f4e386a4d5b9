import { sleep } from 'n8n-workflow';

/** The time, replaceable in tests. */
export interface Clock {
	/** Milliseconds that never go back. */
	now(): number;
	/** Waits at least until the next turn of the event loop. Ends early when the signal fires. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The longest single timer, in milliseconds. If n8n's `sleep` takes no signal, the timer of a wait that ended early
 * runs on for up to this long.
 */
const LONGEST_TIMER_MS = 1000;

/** The time of this machine. */
export const systemClock: Clock = {
	now: () => performance.now(),
	async sleep(ms, signal) {
		const end = performance.now() + ms;
		let wake: () => void = () => {};
		const stopped = new Promise<void>((resolve) => (wake = resolve));
		if (signal?.aborted === true) wake();
		signal?.addEventListener('abort', wake, { once: true });
		try {
			do {
				const rest = Math.max(0, end - performance.now());
				await Promise.race([timer(Math.min(rest, LONGEST_TIMER_MS), signal), stopped]);
			} while (signal?.aborted !== true && performance.now() < end);
		} finally {
			// A run's signal is used for many waits in succession.
			signal?.removeEventListener('abort', wake);
		}
	},
};

/** One timer. Current n8n stops it when the signal fires; an older one lets it run out. */
async function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
	await sleep(ms, signal).catch(() => {});
}

/** This moment as ISO 8601, in UTC. */
export function moment(): string {
	return new Date().toISOString();
}
