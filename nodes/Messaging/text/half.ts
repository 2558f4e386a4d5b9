import { isPlainObject } from '../json/plain-object';

/**
 * Half of a character: a surrogate without its partner. Text has one when it was cut in the middle of an emoji. Nobody
 * can read it, and in UTF-8 it can't be written. Source: Unicode Standard, 3.9; RFC 8259, 8.2.
 */
const HALF = /\p{Surrogate}/u;

/** Whether a text has half of a character in it. */
export function hasHalf(text: string): boolean {
	return HALF.test(text);
}

/**
 * The way to the first text, or name of a field, with half of a character in it; `undefined` when there is none.
 *
 * @param value plain JSON
 */
export function pathToHalf(value: unknown): readonly string[] | undefined {
	if (typeof value === 'string') return hasHalf(value) ? [] : undefined;
	const members = Array.isArray(value) ? value.entries() : isPlainObject(value) ? Object.entries(value) : [];
	for (const [name, member] of members) {
		if (typeof name === 'string' && hasHalf(name)) return [name];
		const rest = pathToHalf(member);
		if (rest !== undefined) return [String(name), ...rest];
	}
	return undefined;
}
