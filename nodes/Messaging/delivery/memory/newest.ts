/** What an execution remembers, as far as it matters here. */
export interface Remembered {
	/** The same in an execution and in all its retries. */
	identity: string;
	calls: object;
}

/** How many are kept, and how many calls they may hold together. */
const MOST_KEPT = 200;
const MOST_CALLS = 20_000;

/**
 * The newest memory of each failed execution, as long as this process lives. n8n saves with an execution what it knew
 * when it ended: if somebody retries it once more, that lacks what an earlier retry has sent.
 */
const newest = new Map<string, Remembered>();

/**
 * The newest memory of a failed execution that is retried.
 *
 * @param saved what n8n has saved with it
 */
export function newestOf<T extends Remembered>(saved: T): T {
	const memory = (newest.get(saved.identity) as T | undefined) ?? saved;
	newest.delete(memory.identity);
	newest.set(memory.identity, memory);
	let calls = 0;
	for (const [n, [identity, { calls: held }]] of [...newest].reverse().entries()) {
		calls += Object.keys(held).length;
		if (n >= MOST_KEPT || (n > 0 && calls > MOST_CALLS)) newest.delete(identity);
	}
	return memory;
}
