/** A value as a text to read or compare: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}
