import { sleep } from 'n8n-workflow';

/** The time, replaceable in tests. */
export interface Clock {
	/** Milliseconds that never go back. */
	now(): number;
	/** Waits at least until the next turn of the event loop. Ends within a second of the signal. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest single timer, in milliseconds. An older n8n's `sleep` takes no signal: its last timer runs out. */
const LONGEST_PAUSE_MS = 1000;

/** The time of this machine. */
export const systemClock: Clock = {
	now: () => performance.now(),
	async sleep(ms, signal) {
		const end = performance.now() + ms;
		do {
			const rest = Math.max(0, end - performance.now());
			await sleep(Math.min(rest, LONGEST_PAUSE_MS), signal).catch(() => {});
		} while (signal?.aborted !== true && performance.now() < end);
	},
};

/** This moment as ISO 8601, in UTC. */
export function moment(): string {
	return new Date().toISOString();
}
