/** The time that one request has, whatever the service does with it. */
export interface Deadline {
	/** Fires when the time is up, or when the execution is cancelled. */
	readonly signal: AbortSignal;
	/** Rejects when the time is up; settles in no other way. */
	readonly passed: Promise<never>;
	/** Whether the time is up. */
	readonly isOver: boolean;
	/** To be called when the request has ended. */
	end(): void;
}

/** The longest time that a timer of Node can be set to, in milliseconds; one above it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * By how much n8n's own time-out, which is set all the same, must come after the deadline, in milliseconds: an older n8n
 * that gives a request up by itself leaves its connection open.
 */
const AFTER_DEADLINE_MS = 1000;

/**
 * The time-out to give n8n for a request that has a deadline of its own.
 *
 * @param ms how long the request may take
 */
export function timeoutBehind(ms: number): number {
	return Math.min(ms + AFTER_DEADLINE_MS, LONGEST_TIMER_MS);
}

/**
 * Starts the time of a request. n8n's own time-out does not do: it is not over while a body keeps coming, however
 * slowly. The timer keeps no process alive, and Node takes it down once nobody holds the deadline any more.
 *
 * @param ms how long the request may take, until its answer is there as a whole
 * @param cancelled fires when the execution is cancelled
 */
export function startDeadline(ms: number, cancelled?: AbortSignal): Deadline {
	const time = AbortSignal.timeout(Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
	const stopper = new AbortController();
	const stop = (): void => stopper.abort();
	let fail: () => void = stop;
	const passed = new Promise<never>((_, reject) => {
		fail = () => {
			stop();
			reject(new Error('The time is up'));
		};
	});
	// Whoever waits for it hears of it all the same; nobody does once the request has ended.
	passed.catch(() => {});
	time.addEventListener('abort', fail, { once: true });
	cancelled?.addEventListener('abort', stop, { once: true });
	if (cancelled?.aborted === true) stop();
	return {
		signal: stopper.signal,
		passed,
		get isOver() {
			return time.aborted;
		},
		end() {
			time.removeEventListener('abort', fail);
			cancelled?.removeEventListener('abort', stop);
		},
	};
}
