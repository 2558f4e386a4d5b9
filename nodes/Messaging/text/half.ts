/**
 * Half of a character: a surrogate without its partner. Text has one when it was cut in the middle of an emoji. Nobody
 * can read it, and in UTF-8 it can't be written. Source: Unicode Standard, 3.9; RFC 8259, 8.2.
 */
const HALF = /\p{Surrogate}/u;

/** Whether a text has half of a character in it. */
export function hasHalf(text: string): boolean {
	return HALF.test(text);
}
