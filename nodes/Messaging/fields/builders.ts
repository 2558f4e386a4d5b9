import type { IDisplayOptions, INodeProperties, NodePropertyTypes } from 'n8n-workflow';

import type { Properties } from '../input/parameter-types';
import { UUID_EXAMPLE } from '../shared/uuid';
import { titleCase } from '../shared/text';

/** What a field says of itself: its name in saved workflows, its description, and whatever else it needs. */
type Own = Partial<INodeProperties> & { name: string; description: string };

/** A field of a type. Its label is its name in words, unless it has its own. */
function fieldOf<const Type extends NodePropertyTypes, Default, const F extends Own>(
	type: Type,
	standard: Default,
	field: F,
) {
	return { displayName: titleCase(field.name), type, default: standard, ...field };
}

/** A line of text. The placeholder is an example, or says where the value comes from: "Drag ..." or "Found ...". */
export function textField<const F extends Own & { placeholder: string }>(field: F) {
	const isExample = !/^(?:Drag|Found) /.test(field.placeholder);
	return { ...fieldOf('string', '', field), placeholder: `${isExample ? 'e.g. ' : ''}${field.placeholder}` };
}

/** A UUID of something that the interface can't list. */
export function uuidField<const F extends Own>(field: F) {
	return textField({ placeholder: UUID_EXAMPLE, ...field });
}

/** A switch, off unless it says otherwise. */
export function flagField<const F extends Own>(field: F) {
	return fieldOf('boolean', false, field);
}

/** A number within the limits of its `typeOptions`: a whole one of 32 bits, unless they give it decimals. */
export function numberField<const F extends Own & { default?: number }>(field: F) {
	return { ...fieldOf('number', 0, field), typeOptions: { numberPrecision: 0, ...field.typeOptions } };
}

/** The values of a menu with their descriptions. The label is the value in words, unless it comes first. */
type Choices = Readonly<Record<string, string | readonly [label: string, description: string]>>;

/** The entries of a menu. */
export function choicesIn<const C extends Choices>(choices: C) {
	return Object.entries(choices).map(([value, texts]) => {
		const [name, description] = typeof texts === 'string' ? [titleCase(value), texts] : texts;
		return { name, value: value as keyof C & string, description };
	});
}

/** One of several values. */
export function choiceField<const C extends Choices, const F extends Own>({
	choices,
	...field
}: F & { choices: C; default: NoInfer<keyof C> }) {
	return {
		...fieldOf('options', '', field as Omit<F, 'choices'> & Own),
		options: choicesIn(choices),
	};
}

/** A date and time. */
export function timestampField<const F extends Own>(field: F) {
	return fieldOf('dateTime', '', field);
}

/** A JSON object. */
export function objectField<const F extends Own>(field: F) {
	return fieldOf('json', '{}', field);
}

/** Fields that are entered together, in one group or in a row each. Workflows save them under the name of the group. */
export function groupField<const Values extends INodeProperties[], const F extends Own>({
	values,
	group = { displayName: 'Values', name: 'values' },
	...field
}: F & { values: Values; group?: { displayName: string; name: string } }) {
	return {
		...fieldOf('fixedCollection', {}, field as Omit<F, 'values' | 'group'> & Own),
		options: [{ ...group, values }],
	};
}

/** Fields that the user adds one by one. */
export function collectionField<const Name extends string, const Members extends INodeProperties[]>(
	name: Name,
	options: Members,
) {
	const placeholder = name === 'options' ? 'Add Option' : 'Add Field';
	return {
		displayName: name === 'rareFields' ? 'Rarely Used Fields' : titleCase(name),
		name,
		type: 'collection',
		placeholder,
		default: {},
		options,
	} as const;
}

export const apiKeyIdField = uuidField({
	name: 'apiKeyId',
	description:
		'UUID of the API key, not its token. Run Get Current with a credential that holds that key: the ID is its id, with Simplify its apiKeyId.',
	required: true,
	builderHint: {
		propertyHint:
			'A plain text, no resource locator. From API Key: Get Current it is expr("{{ $json.id }}"), and expr("{{ $json.apiKeyId }}") with the option "simplify".',
	},
});

export const entryIdField = uuidField({
	name: 'entryId',
	description: 'UUID of the outbox entry (httpSenderOutboxEntryId)',
	required: true,
});

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
