/** The time limit for some work has passed. */
export class TimeUp extends Error {
	/** @param work the work that was given up; it may still end */
	constructor(readonly work: Promise<unknown>) {
		super('The time is up');
	}
}

/** The longest delay of a Node timer, in milliseconds. A longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The timeout to give n8n for a request that runs `inTime`: a second longer, because an older n8n that times out by
 * itself leaves the connection open.
 *
 * @param ms how long the request may take
 */
export function timeoutBehind(ms: number): number {
	return Math.min(ms + 1000, LONGEST_TIMER_MS);
}

/**
 * Runs work with a time limit, and throws TimeUp if it takes longer. n8n's own timeout is not enough: it does not fire
 * while a body keeps arriving, however slowly. The timer does not keep the process alive.
 *
 * @param work gets a signal that fires when the time is up or the execution is cancelled
 * @param cancelled fires when the execution is cancelled
 */
export async function inTime<T>(
	ms: number,
	work: (signal: AbortSignal) => Promise<T>,
	cancelled?: AbortSignal,
): Promise<T> {
	const time = AbortSignal.timeout(Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
	const stopper = new AbortController();
	const stop = (): void => stopper.abort();
	cancelled?.addEventListener('abort', stop, { once: true });
	if (cancelled?.aborted === true) stop();
	let onTimeUp = stop;
	try {
		const working = work(stopper.signal);
		const timeUp = new Promise<never>((_, reject) => {
			onTimeUp = () => {
				stop();
				reject(new TimeUp(working));
			};
		});
		time.addEventListener('abort', onTimeUp, { once: true });
		return await Promise.race([working, timeUp]);
	} finally {
		time.removeEventListener('abort', onTimeUp);
		cancelled?.removeEventListener('abort', stop);
	}
}
