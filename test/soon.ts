/** Longer than anything takes that waits for nobody, on a machine that is busy. */
const longestMs = 10_000;

/**
 * Waits for what ends at once, because it was cancelled or given up. What goes on all the same fails the test by name,
 * rather than by the time limit of the test.
 *
 * @param what what should have ended
 */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`${what} goes on all the same`)), longestMs);
	});
	try {
		return await Promise.race([promise, tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
