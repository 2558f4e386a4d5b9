/**
 * Whether a number has lost its last digits, or may have: above 2^53 not every whole number can be told from the next
 * one, and one that is too large for any becomes Infinity, which JSON has no word for.
 */
export function isRounded(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}
