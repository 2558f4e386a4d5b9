import { setTimeout as sleep } from 'node:timers/promises';

/** A guard against waiting for ever, not a measure. */
const longestMs = 20_000;

/** Waits until something is so; fails when that takes far too long. */
export async function eventually(isSo: () => Promise<boolean>, what: string): Promise<void> {
	for (let waitedMs = 0; !(await isSo()); waitedMs += 10) {
		if (waitedMs > longestMs) throw new Error(`It never came to ${what}`);
		await sleep(10);
	}
}
