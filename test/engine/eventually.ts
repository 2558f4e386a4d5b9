import { setTimeout as sleep } from 'node:timers/promises';

/** Only a guard against waiting forever. */
const longestMs = 20_000;

/** Waits until a condition holds; fails after the time limit. */
export async function eventually(isSo: () => Promise<boolean>, what: string): Promise<void> {
	for (let waitedMs = 0; !(await isSo()); waitedMs += 10) {
		if (waitedMs > longestMs) throw new Error(`It never came to ${what}`);
		await sleep(10);
	}
}
