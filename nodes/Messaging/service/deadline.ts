/** The time limit for some work has passed. */
export class TimeUp extends Error {
	/** @param work the work that was given up; it may still end */
	constructor(readonly work: Promise<unknown>) {
		super('The time is up');
	}
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
	const time = AbortSignal.timeout(ms);
	const stopper = new AbortController();
	const stop = (): void => stopper.abort();
	if (cancelled?.aborted === true) stop();
	cancelled?.addEventListener('abort', stop);
	const working = work(stopper.signal);
	let onTimeUp = stop;
	const timeUp = new Promise<never>((_, reject) => {
		onTimeUp = () => {
			stop();
			reject(new TimeUp(working));
		};
	});
	time.addEventListener('abort', onTimeUp);
	try {
		return await Promise.race([working, timeUp]);
	} finally {
		time.removeEventListener('abort', onTimeUp);
		cancelled?.removeEventListener('abort', stop);
	}
}
