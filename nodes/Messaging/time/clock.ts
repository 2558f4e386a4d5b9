import { sleep } from 'n8n-workflow';

/** Time, so that tests can hold it. */
export interface Clock {
	/** Milliseconds that only ever grow. */
	now(): number;
	/** Waits, at least until the next turn of the event loop; wakes early when the signal fires. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest single timer: one that is abandoned because its sleeper woke early is gone soon after. */
const LONGEST_TIMER_MS = 1000;

/** The time of this machine. */
export const systemClock: Clock = {
	now: () => performance.now(),
	async sleep(ms, signal) {
		const end = performance.now() + ms;
		do {
			const rest = Math.max(0, end - performance.now());
			await Promise.race([sleep(Math.min(rest, LONGEST_TIMER_MS)), aborted(signal)]);
		} while (signal?.aborted !== true && performance.now() < end);
	},
};

/** Resolves when the signal fires; never when there is none. */
async function aborted(signal: AbortSignal | undefined): Promise<void> {
	if (signal === undefined) return await new Promise<never>(() => {});
	if (signal.aborted) return;
	await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** This moment as ISO 8601, in UTC. */
export function moment(): string {
	return new Date().toISOString();
}
