/** A watch on this process's event loop. */
import { setImmediate as turn } from 'node:timers/promises';

/** The longest that one turn may take, in milliseconds. */
export const longestTurnMs = 100;

/** How often a turn that was too long is looked at again: a machine that is busy otherwise is not slow each time. */
const looks = 4;

/** Does something, and gives the longest turn of the event loop meanwhile, in milliseconds of this thread's own work. */
async function longestTurnOf<T>(run: () => Promise<T>): Promise<{ made: T; longest: number }> {
	let longest = 0;
	let isOver = false;
	const watch = async (): Promise<void> => {
		while (!isOver) {
			const before = process.cpuUsage();
			await turn();
			const { user, system } = process.cpuUsage(before);
			longest = Math.max(longest, (user + system) / 1000);
		}
	};
	const watching = watch();
	const made = await run();
	isOver = true;
	await watching;
	return { made, longest };
}

/**
 * Does something, several times if it has to be.
 *
 * @returns what came of it, and whether even the fastest time had a turn that was too long
 */
export async function watched<T>(run: () => Promise<T>): Promise<{ made: T; slow: string[] }> {
	let { made, longest } = await longestTurnOf(run);
	for (let look = 1; look < looks && longest > longestTurnMs; look++) {
		const again = await longestTurnOf(run);
		made = again.made;
		longest = Math.min(longest, again.longest);
	}
	return {
		made,
		slow: longest > longestTurnMs ? [`a turn of the event loop takes ${Math.round(longest)} ms`] : [],
	};
}
