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
		if (ms <= 0) return await nextTurn();
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

/** Waits until the next turn of the event loop. A timer would wait for a millisecond, in which nothing is done. */
async function nextTurn(): Promise<void> {
	const { port1, port2 } = new MessageChannel();
	await new Promise((resolve) => {
		port1.once('message', resolve);
		port2.postMessage(null);
	});
	port1.close();
}

/** The time that is this far away, such as "17:30 on 24 November 2026". */
export function timeIn(ms: number, timeZone: string): string {
	const at = new Date(Math.ceil((Date.now() + ms) / 60_000) * 60_000);
	const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
	const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone });
	return `${time} on ${day}`;
}
