const DIGITS = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** A UUID of any version as a regular expression, spaces around it allowed: n8n's editor checks with it too. */
export const UUID_PATTERN = `^\\s*${DIGITS}\\s*$`;

const UUID = new RegExp(UUID_PATTERN);

/** Whether a value is the text of a UUID. */
export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/** What a UUID looks like. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
