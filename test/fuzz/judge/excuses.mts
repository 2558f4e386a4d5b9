/**
 * Why the judge let items be in doubt, and how often. Some reasons concern a whole execution: if one of them excused most
 * items, the judge would be blind.
 */
const counts = new Map<string, number>();

/** Whether there is a reason for an item to be in doubt, which is counted. */
export function excused(reason: string | undefined): boolean {
	if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
	return reason !== undefined;
}

/** The reasons so far, as lines to print, the most frequent first. */
export function excuseLines(): string[] {
	const all = [...counts].toSorted(([, one], [, other]) => other - one);
	const total = all.reduce((sum, [, count]) => sum + count, 0);
	return [
		`${total} times, an item was rightly in doubt:`,
		...all.map(([reason, count]) => `  ${count} (${((100 * count) / total).toFixed(1)} %): ${reason}`),
	];
}
