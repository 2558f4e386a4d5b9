import type { FieldType, INodePropertyOptions } from 'n8n-workflow';

import { Effort } from '../../json/effort';
import { type FormField, OTHER_FIELDS } from '../../fields/form-field';
import { isSecret, typesIn } from '../../fields/json-schema';
import type { JsonObject } from '../../json/plain-object';
import { labelText, literal } from './literal';
import { rulesText } from './rules';
import type { FormSchema } from './schema';
import { sizeOf } from './size';

/** The most fields that a form has of their own; the rest stands under "Other Fields". */
const MOST_FIELDS = 150;
/** The most entries of a menu; where a schema lists more, its values are typed in. */
const MOST_CHOICES = 500;
/** The longest name of one. */
const LONGEST_CHOICE = 200;
/** How many characters of menus and defaults from a schema are saved with a form. */
const MOST_SAVED = 200_000;
/** Names that the editor can use as they are. */
const PLAIN_NAME = /^[A-Za-z_$][\w$ -]{0,99}$/;

/**
 * The fields of a form.
 *
 * @param schema what the parameters have to fit
 * @param current the present parameters, secrets hidden, which fill the form; `undefined` fills it with the schema's
 * defaults
 */
export function formFields(schema: FormSchema, current: JsonObject | undefined): FormField[] {
	const plain = [...schema.fields].filter(([name]) => PLAIN_NAME.test(name) && !(name in {}));
	const own = new Map(plain.slice(0, MOST_FIELDS));
	const room = new Effort(MOST_SAVED);
	const fields = [...own].map(([name, property]) => fieldOf(name, property, schema, current, room));
	const other = otherFields(schema, own, current);
	return other === undefined ? fields : [...fields, other];
}

function fieldOf(
	name: string,
	property: JsonObject,
	schema: FormSchema,
	current: JsonObject | undefined,
	room: Effort,
): FormField {
	const required = schema.required.has(name);
	const choices = choicesIn(property, room);
	const type = choices === undefined ? kindOf(property) : 'options';
	const value =
		current === undefined
			? inRoom(isSecret(property) ? undefined : property.default, room)
			: Object.hasOwn(current, name)
				? current[name]
				: undefined;
	const title = typeof property.title === 'string' ? labelText(property.title, 60) : '';
	const description = typeof property.description === 'string' ? labelText(property.description, 300) : '';
	const label = (title || name) + (type === undefined ? ' (JSON)' : '');
	return {
		id: name,
		displayName: label,
		...(description === '' ? {} : { description }),
		required,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		type: type ?? 'string',
		...(choices === undefined ? {} : { options: choices }),
		...(value === undefined || value === null
			? unset(type, required)
			: { defaultValue: entered(value, type) }),
		rules: rulesText(property, schema.references),
	};
}

/** A value, if it can be saved with the form. */
function inRoom(value: unknown, room: Effort): unknown {
	const size = sizeOf(value, MOST_SAVED, room);
	if (size === Infinity) return undefined;
	room.spend(size);
	return room.spent ? undefined : value;
}

/**
 * How a field without a value begins. A switch is always on or off, and an empty JSON editor complains: where nothing
 * has to be entered, such a field is left out until it is added.
 */
function unset(type: FieldType | undefined, required: boolean): Pick<FormField, 'defaultValue' | 'removed'> {
	if (type === 'boolean') return required ? { defaultValue: false } : { removed: true };
	if (type !== 'object' && type !== 'array') return {};
	return { defaultValue: type === 'object' ? '{}' : '[]', ...(required ? {} : { removed: true }) };
}

function otherFields(
	schema: FormSchema,
	own: ReadonlyMap<string, JsonObject>,
	current: JsonObject | undefined,
): FormField | undefined {
	const named = [...schema.fields].filter(([name]) => !own.has(name));
	const required = [...schema.required].filter((name) => !own.has(name));
	const values = Object.entries(current ?? {}).filter(([name]) => !own.has(name));
	if (schema.others === false && named.length === 0 && values.length === 0) return undefined;
	const rules = {
		type: 'object',
		properties: Object.fromEntries(named),
		required,
		// What stands there already may stay, whatever the schema says.
		additionalProperties: values.length > 0 ? true : schema.others,
	};
	return {
		id: OTHER_FIELDS,
		displayName: 'Other Fields (JSON)',
		description: 'Fields that have no place of their own in this form, as a JSON object',
		required: required.length > 0,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		type: 'object',
		...(values.length > 0
			? { defaultValue: JSON.stringify(Object.fromEntries(values), null, 2) }
			: { removed: required.length === 0 }),
		rules: rulesText(rules, schema.references),
	};
}

/** The widget for a schema; `undefined` when any JSON value may stand there. */
function kindOf(property: JsonObject): FieldType | undefined {
	const types = typesIn(property).filter((type) => type !== 'null');
	if (types.length > 1 && types.every((type) => type === 'integer' || type === 'number')) return 'number';
	if (types.length !== 1) return undefined;
	switch (types[0]) {
		case 'string':
			return property.format === 'date-time' ? 'dateTime' : 'string';
		case 'integer':
		case 'number':
			return 'number';
		case 'boolean':
			return 'boolean';
		case 'object':
			return 'object';
		case 'array':
			return 'array';
		default:
			return undefined;
	}
}

/** The entries of a menu, where a schema lists texts or numbers to choose from. */
function choicesIn(property: JsonObject, room: Effort): INodePropertyOptions[] | undefined {
	const listed = Array.isArray(property.enum)
		? property.enum.filter((choice) => choice !== null)
		: property.const === undefined
			? []
			: [property.const];
	if (listed.length > MOST_CHOICES || inRoom(listed, room) === undefined) return undefined;
	const texts = listed.filter(
		(choice): choice is string => typeof choice === 'string' && /^[^=\s]/.test(choice),
	);
	const numbers = listed.filter((choice): choice is number => typeof choice === 'number');
	const choices = texts.length === listed.length ? texts : numbers.length === listed.length ? numbers : [];
	return choices.length === 0
		? undefined
		: choices.map((value) => ({ name: labelText(String(value), LONGEST_CHOICE) || String(value), value }));
}

/** A value as the form's widget holds it. */
function entered(value: unknown, type: FieldType | undefined): string | number | boolean {
	if (type !== undefined) {
		if (typeof value === 'string') return literal(value);
		if (typeof value === 'number' || typeof value === 'boolean') return value;
	}
	return JSON.stringify(value, null, 2);
}
