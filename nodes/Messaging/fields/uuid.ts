import type { INodeProperties } from 'n8n-workflow';

const DIGITS = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** A UUID of any version, and nothing around it. */
export const BARE_UUID = new RegExp(`^${DIGITS}$`);

/** A UUID of any version as a regular expression, spaces around it allowed: n8n's editor checks with it too. */
export const UUID_PATTERN = `^\\s*${DIGITS}\\s*$`;

const UUID = new RegExp(UUID_PATTERN);

/** Whether a value is the text of a UUID. */
export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/** What a UUID looks like. */
export const UUID_EXAMPLE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/**
 * A field for the UUID of something that the interface shows no list of.
 *
 * @param displayName the label
 * @param name the parameter's name in saved workflows
 */
export function uuidField<const Label extends string, const Name extends string>(
	displayName: Label,
	name: Name,
	description: string,
) {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: `e.g. ${UUID_EXAMPLE}`,
		description,
	} as const satisfies INodeProperties;
}

/** The same for a UUID that must be given. */
export function requiredUuidField<const Label extends string, const Name extends string>(
	displayName: Label,
	name: Name,
	description: string,
) {
	return { ...uuidField(displayName, name, description), required: true } as const satisfies INodeProperties;
}
