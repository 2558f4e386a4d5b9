import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than anything without a wait takes on a busy machine. */
const longestMs = 10_000;

/**
 * Waits for something that should end at once, because it was cancelled or given up. Otherwise the test fails with its
 * name, rather than by the test's time limit.
 *
 * @param what what should have ended
 */
export async function endsSoon<T>(promise: Promise<T>, what: string): Promise<T> {
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

/** Waits until a condition holds; fails after a minute. */
export async function eventually(
	isSo: () => Promise<boolean>,
	what: string,
	lookEveryMs = 10,
): Promise<void> {
	for (let waitedMs = 0; !(await isSo()); waitedMs += lookEveryMs) {
		if (waitedMs > 6 * longestMs) throw new Error(`It never came to ${what}`);
		await sleep(lookEveryMs);
	}
}
