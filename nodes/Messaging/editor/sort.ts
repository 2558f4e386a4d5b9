import type { Turns } from '../time/turns';

/** How many entries are sorted at once. */
const PORTION = 1_000;

/** A sorted copy of a list; equal entries keep their order. The event loop turns while a long one is sorted. */
export async function sorted<T>(
	list: readonly T[],
	compare: (one: T, other: T) => number,
	turns: Turns,
): Promise<T[]> {
	let runs: T[][] = [];
	for (let start = 0; start < list.length; start += PORTION) {
		runs.push(list.slice(start, start + PORTION).sort(compare));
		if (turns.over) await turns.next();
	}
	while (runs.length > 1) {
		const merged: T[][] = [];
		for (let index = 0; index < runs.length; index += 2) {
			merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, turns));
		}
		runs = merged;
	}
	return runs[0] ?? [];
}

async function merge<T>(
	one: readonly T[],
	other: readonly T[],
	compare: (one: T, other: T) => number,
	turns: Turns,
): Promise<T[]> {
	const merged: T[] = [];
	let [at, otherAt] = [0, 0];
	while (at < one.length || otherAt < other.length) {
		const [first, second] = [one[at] as T, other[otherAt] as T];
		const takesFirst = otherAt >= other.length || (at < one.length && compare(first, second) <= 0);
		merged.push(takesFirst ? first : second);
		if (takesFirst) at += 1;
		else otherAt += 1;
		if (turns.over) await turns.next();
	}
	return merged;
}
