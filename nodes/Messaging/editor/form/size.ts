import type { Effort } from '../../json/effort';

/** How deep a value may be nested. */
const DEEPEST = 50;

/**
 * About how many characters a value has as JSON; Infinity when that is more than the most, takes more effort than is
 * left, or the value is nested too deeply.
 */
export function sizeOf(value: unknown, most: number, effort: Effort, depth = DEEPEST): number {
	if (typeof value === 'string') return value.length > most ? Infinity : value.length;
	if (typeof value !== 'object' || value === null) return 4;
	const members = Array.isArray(value) ? (value as unknown[]) : Object.entries(value).flat();
	effort.spend(members.length);
	if (depth === 0 || members.length > most || effort.spent) return Infinity;
	let size = 2;
	for (const member of members) {
		size += 1 + sizeOf(member, most, effort, depth - 1);
		if (size > most) return Infinity;
	}
	return size;
}
