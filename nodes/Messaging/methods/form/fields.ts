import type { FieldType, INodePropertyOptions } from 'n8n-workflow';

import { type FormField, HIDDEN_SECRET, OTHER_FIELDS } from '../../fields/form-field';
import { isEmpty } from '../../input/values';
import { isPlainObject, type JsonObject } from '../../shared/json';
import { labelText, literal } from '../menu';
import type { FormSchema } from './schema';

/** How many properties get a field of their own. Further ones go to Other Fields. */
const MOST_FIELDS = 100;
/** How many characters all fields may take up in the saved workflow. Fields beyond that go to Other Fields too. */
const MOST_SAVED = 100_000;
/** Names that n8n can use as keys of a form. */
const PLAIN_NAME = /^[A-Za-z_$][\w$ -]{0,99}$/;

/**
 * The fields of the form: one for each property that the editor has a widget for, and Other Fields for the rest.
 *
 * @param current the channel's current parameters, to fill the form with; without them, it is filled with the schema's
 *   defaults
 */
export function formFields(schema: FormSchema, current: JsonObject | undefined): FormField[] {
	const fields: FormField[] = [];
	let saved = 0;
	for (const name of schema.names.slice(0, MOST_FIELDS)) {
		const isUsable = PLAIN_NAME.test(name) && !(name in {});
		const field = isUsable ? fieldFor(name, schema, current) : undefined;
		if (field === undefined) continue;
		saved += JSON.stringify(field).length;
		if (saved > MOST_SAVED) break;
		fields.push(field);
	}
	const other = otherFields(schema, new Set(fields.map(({ id }) => id)), current);
	return other === undefined ? fields : [...fields, other];
}

/** The field of one property; `undefined` if there is no widget for its type or current value. */
function fieldFor(name: string, schema: FormSchema, current: JsonObject | undefined): FormField | undefined {
	const keywords = schema.keywordsOf(name);
	const options = optionsIn(keywords);
	const type = options === undefined ? widgetFor(keywords) : 'options';
	if (type === undefined) return undefined;
	const present =
		current !== undefined && Object.hasOwn(current, name) ? (current[name] ?? undefined) : undefined;
	if (present !== undefined && !canHold(present, type, options)) return undefined;
	const isSecret = schema.isSecret(name);
	const preset = keywords.default;
	const hasPreset = current === undefined && !isSecret && canHold(preset, type, options);
	const value = hasPreset ? preset : isSecret ? dotsFor(present) : present;
	const required = schema.required.has(name);
	const description = shortText(keywords.description, 300);
	return {
		id: name,
		displayName: shortText(keywords.title, 60) || name,
		...(description !== '' && { description }),
		required,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		type,
		...(options !== undefined && { options }),
		...(value === undefined ? withoutValue(type, required) : { defaultValue: entered(value) }),
	};
}

/** The field for parameters without a field of their own, so that an update loses none; `undefined` if all have one. */
function otherFields(
	schema: FormSchema,
	own: ReadonlySet<string>,
	current: JsonObject | undefined,
): FormField | undefined {
	const values = Object.entries(current ?? {})
		.filter(([name]) => !own.has(name))
		.map(([name, value]) => [name, schema.isSecret(name) ? dotsFor(value) : value] as const);
	if (!schema.allowsOthers && schema.names.length === own.size && values.length === 0) return undefined;
	const required = [...schema.required].some((name) => !own.has(name));
	return {
		id: OTHER_FIELDS,
		displayName: 'Other Fields (JSON)',
		description: 'Parameters that have no field of their own in this form, as a JSON object',
		required,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		type: 'object',
		...(values.length > 0 ? { defaultValue: entered(Object.fromEntries(values)) } : { removed: !required }),
	};
}

/** The widget for a property that has exactly one type besides null. */
function widgetFor({ type: types, format }: JsonObject): FieldType | undefined {
	const [type, ...others] = new Set([types].flat().filter((each) => each !== 'null'));
	if (others.length > 0) return undefined;
	switch (type) {
		case 'string':
			return format === 'date-time' ? 'dateTime' : 'string';
		case 'integer':
		case 'number':
			return 'number';
		case 'boolean':
		case 'object':
		case 'array':
			return type;
		default:
			return undefined;
	}
}

/** The entries of a menu, if the schema lists texts or numbers. Texts that n8n would run as expressions make no menu. */
function optionsIn({ enum: listed }: JsonObject): INodePropertyOptions[] | undefined {
	if (!Array.isArray(listed)) return undefined;
	const choices = listed.filter((choice) => choice !== null);
	const isText = (choice: unknown): choice is string => typeof choice === 'string' && /^[^=\s]/.test(choice);
	const isNumber = (choice: unknown): choice is number => typeof choice === 'number';
	if (choices.length === 0 || !(choices.every(isText) || choices.every(isNumber))) return undefined;
	return choices.map((value) => ({ name: shortText(String(value), 200) || String(value), value }));
}

/** Whether a widget can hold a value as it is. */
function canHold(value: unknown, type: FieldType, options: INodePropertyOptions[] | undefined): boolean {
	switch (type) {
		case 'options':
			return options?.some((option) => option.value === value) === true;
		case 'number':
		case 'boolean':
			return typeof value === type;
		case 'object':
			return isPlainObject(value);
		case 'array':
			return Array.isArray(value);
		default:
			return typeof value === 'string';
	}
}

/** What the form shows in place of a secret. It is of the same JSON type as the value, because n8n's widgets require that. */
function dotsFor(value: unknown): unknown {
	if (isEmpty(value)) return value;
	if (Array.isArray(value)) return [HIDDEN_SECRET];
	return isPlainObject(value) ? { [HIDDEN_SECRET]: HIDDEN_SECRET } : HIDDEN_SECRET;
}

/** A value as the editor's widget holds it. */
function entered(value: unknown): string | number | boolean {
	if (typeof value === 'number' || typeof value === 'boolean') return value;
	return typeof value === 'string' ? literal(value) : JSON.stringify(value, null, 2);
}

/**
 * The initial state of a field without a value. A switch is always on or off, and an empty JSON editor shows an error,
 * so an optional field of these types is left out of the form until the user adds it.
 */
function withoutValue(type: FieldType, required: boolean): Pick<FormField, 'defaultValue' | 'removed'> {
	if (type === 'boolean') return required ? { defaultValue: false } : { removed: true };
	if (type !== 'object' && type !== 'array') return {};
	return { defaultValue: type === 'object' ? '{}' : '[]', ...(!required && { removed: true }) };
}

function shortText(value: unknown, most: number): string {
	return typeof value === 'string' ? labelText(value, most) : '';
}
