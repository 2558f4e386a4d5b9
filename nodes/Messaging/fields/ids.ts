import type { INodeProperties } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../input/uuid';

/**
 * A field for the UUID of something that the interface has no list of.
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

/** The API key that an operation works on. */
export const apiKeyIdField = requiredUuidField(
	'API Key ID',
	'apiKeyId',
	'UUID of the API key, not its token',
);

/** The outbox entry that an operation works on. */
export const entryIdField = requiredUuidField(
	'Entry ID',
	'entryId',
	'UUID of the outbox entry (httpSenderOutboxEntryId)',
);
