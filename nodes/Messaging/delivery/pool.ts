/**
 * Runs tasks side by side, a bounded number at once, started in the order given. Tasks are drawn one by one as
 * there is room, so that nothing is prepared before it can be sent.
 *
 * @param tasks where the next task comes from
 * @param bound how many may be under way at once
 * @param run does one task; must not throw
 * @param mayStart asked before each task; once it says no, no task starts and those under way are waited for
 */
export async function runPool<T>(
	tasks: Iterator<T>,
	bound: number,
	run: (task: T) => Promise<void>,
	mayStart: () => boolean,
): Promise<void> {
	async function work(): Promise<void> {
		while (mayStart()) {
			const next = tasks.next();
			if (next.done === true) return;
			await run(next.value);
		}
	}
	await Promise.all(Array.from({ length: bound }, work));
}
