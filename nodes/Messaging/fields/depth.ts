/**
 * Whether lists and objects are nested more deeply than this. It walks level by level, so that no depth is too much
 * for it.
 */
export function isDeeperThan(value: unknown, depth: number): boolean {
	let level = [value];
	for (let reached = 0; level.length > 0; reached++) {
		if (reached > depth) return true;
		const next: unknown[] = [];
		for (const parent of level) {
			if (typeof parent !== 'object' || parent === null) continue;
			for (const child of Object.values(parent)) {
				if (typeof child === 'object' && child !== null) next.push(child);
			}
		}
		level = next;
	}
	return false;
}
