import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Properties } from '../input/parameter-types';
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
	value = '',
) {
	return {
		displayName,
		name,
		type: 'string',
		default: value,
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

/** A whole number of 32 bits, in the editor within limits. */
export function int32Field<const Name extends string>(
	displayName: string,
	name: Name,
	description: string,
	{ default: value = 0, ...limits }: { minValue?: number; maxValue?: number; default?: number } = {},
) {
	return {
		displayName,
		name,
		type: 'number',
		typeOptions: { ...limits, numberPrecision: 0 },
		default: value,
		description,
	} as const satisfies INodeProperties;
}

/** One of several values. */
export function choiceField<
	const Name extends string,
	const Value extends string,
	const Choices extends Array<INodePropertyOptions & { value: Value }>,
>(displayName: string, name: Name, description: string, value: NoInfer<Value>, options: Choices) {
	return {
		displayName,
		name,
		type: 'options',
		options,
		default: value,
		description,
	} as const satisfies INodeProperties;
}

/** Fields that are entered together, in one group or in a row each. */
export function groupField<const Name extends string, const Values extends INodeProperties[]>(
	displayName: string,
	name: Name,
	description: string,
	values: Values,
) {
	return {
		displayName,
		name,
		type: 'fixedCollection',
		default: {},
		description,
		options: [{ displayName: 'Values', name: 'values', values }],
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

/** A field that the user has to fill in. */
export function required<const Field extends INodeProperties>(field: Field) {
	return { ...field, required: true } as const satisfies INodeProperties;
}

/** Fields that the user adds one by one. */
export function collectionField<const Name extends string, const Members extends INodeProperties[]>(
	displayName: string,
	name: Name,
	placeholder: string,
	options: Members,
) {
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		options,
	} as const satisfies INodeProperties;
}

/** The API key that an operation works on. */
export const apiKeyIdField = required(
	uuidField(
		'API Key ID',
		'apiKeyId',
		'UUID of the API key, not its token. Run Get Current with a credential that holds that key; id is its ID.',
	),
);

/** The outbox entry that an operation works on. */
export const entryIdField = required(
	uuidField('Entry ID', 'entryId', 'UUID of the outbox entry (httpSenderOutboxEntryId)'),
);

/** Fields with a condition of their own added; their names and types are kept. */
type Shown<P extends Properties> = {
	readonly [I in keyof P]: P[I] extends INodeProperties
		? Omit<P[I], 'displayOptions'> & { displayOptions: IDisplayOptions }
		: never;
};

/** Shows fields only if these parameters have these values, in addition to the fields' own conditions. */
export function shownFor<const P extends Properties>(
	parameters: NonNullable<IDisplayOptions['show']>,
	fields: P,
) {
	return fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...parameters, ...field.displayOptions?.show } },
	})) as unknown as Shown<P>;
}
