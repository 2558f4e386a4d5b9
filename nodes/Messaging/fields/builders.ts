import type { INodeProperties } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../input/uuid';

/**
 * Common kinds of fields. Each function takes the label, the parameter's name in saved workflows and the description.
 */

/** A line of text. */
export function textField<const Name extends string>(
	displayName: string,
	name: Name,
	description: string,
	placeholder: string,
) {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: `e.g. ${placeholder}`,
		description,
	} as const satisfies INodeProperties;
}

/** A switch that is off until it is added. */
export function flagField<const Name extends string>(displayName: string, name: Name, description: string) {
	return {
		displayName,
		name,
		type: 'boolean',
		default: false,
		description,
	} as const satisfies INodeProperties;
}

/** A whole number of 32 bits. */
export function int32Field<const Name extends string>(displayName: string, name: Name, description: string) {
	return {
		displayName,
		name,
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 0,
		description,
	} as const satisfies INodeProperties;
}

/** A date and time. */
export function timestampField<const Name extends string>(
	displayName: string,
	name: Name,
	description: string,
) {
	return {
		displayName,
		name,
		type: 'dateTime',
		default: '',
		description,
	} as const satisfies INodeProperties;
}

/** A JSON object. */
export function objectField<const Name extends string>(displayName: string, name: Name, description: string) {
	return { displayName, name, type: 'json', default: '{}', description } as const satisfies INodeProperties;
}

/** A UUID of something that the interface can't list. */
export function uuidField<const Name extends string>(displayName: string, name: Name, description: string) {
	return textField(displayName, name, description, UUID_EXAMPLE);
}

/** The name of something new. */
export function requiredNameField(description: string, placeholder: string) {
	return {
		...textField('Name', 'name', description, placeholder),
		required: true,
	} as const satisfies INodeProperties;
}

/** The collection of optional fields. */
export function additionalFieldsOf<const Members extends INodeProperties[]>(options: Members) {
	return {
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options,
	} as const satisfies INodeProperties;
}

/** The API key that an operation works on. */
export const apiKeyIdField = {
	...uuidField('API Key ID', 'apiKeyId', 'UUID of the API key, not its token'),
	required: true,
} as const satisfies INodeProperties;

/** The outbox entry that an operation works on. */
export const entryIdField = {
	...uuidField('Entry ID', 'entryId', 'UUID of the outbox entry (httpSenderOutboxEntryId)'),
	required: true,
} as const satisfies INodeProperties;
