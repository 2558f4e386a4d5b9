import type { FieldType, INodePropertyOptions } from 'n8n-workflow';

import { type FormField, HIDDEN_SECRET, OTHER_FIELDS } from '../../fields/form-field';
import { isEmpty } from '../../input/values';
import { isPlainObject, type JsonObject } from '../../shared/json';
import { labelText, literal } from '../label';
import type { FormSchema, Keywords } from './schema';

/** The most properties that get a field of their own: further ones go to Other Fields. */
const MOST_FIELDS = 100;
/** How many characters of fields are saved in the workflow: what is beyond goes to Other Fields too. */
const MOST_SAVED = 100_000;
/** The most choices of a menu; where a schema lists more, the value is typed in. */
const MOST_CHOICES = 200;
/** Names that n8n can take for keys of a form. */
const PLAIN_NAME = /^[A-Za-z_$][\w$ -]{0,99}$/;

/**
 * The fields of the form: one for each property that the editor has a widget for, and Other Fields for the rest.
 *
 * @param current the present parameters, which fill the form; `undefined` fills it with the schema's defaults
 */
export function formFields(schema: FormSchema, current: JsonObject | undefined): FormField[] {
	const fields: FormField[] = [];
	let saved = 0;
	for (const [name, keywords] of [...schema.properties].slice(0, MOST_FIELDS)) {
		const isUsable = PLAIN_NAME.test(name) && !(name in {});
		const field = isUsable ? fieldFor(name, keywords, schema, current) : undefined;
		if (field === undefined) continue;
		saved += JSON.stringify(field).length;
		if (saved > MOST_SAVED) break;
		fields.push(field);
	}
	const other = otherFields(schema, new Set(fields.map(({ id }) => id)), current);
	return other === undefined ? fields : [...fields, other];
}

/** The field of one property; `undefined` where there is no widget for its type or for its present value. */
function fieldFor(
	name: string,
	keywords: Keywords,
	schema: FormSchema,
	current: JsonObject | undefined,
): FormField | undefined {
	const options = optionsIn(keywords);
	const type = options === undefined ? widgetFor(keywords) : 'options';
	if (type === undefined) return undefined;
	const present =
		current !== undefined && Object.hasOwn(current, name) ? (current[name] ?? undefined) : undefined;
	if (present !== undefined && !canHold(present, type, options)) return undefined;
	const isSecret = schema.isSecret(name);
	const preset = keywords('default');
	const hasPreset = current === undefined && !isSecret && canHold(preset, type, options);
	const value = hasPreset ? preset : isSecret ? hidden(present) : present;
	const required = schema.required.has(name);
	const description = shortText(keywords('description'), 300);
	return {
		id: name,
		displayName: shortText(keywords('title'), 60) || name,
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

/** The field for all that has no field of its own, so that an update loses nothing; `undefined` where nothing is left. */
function otherFields(
	schema: FormSchema,
	own: ReadonlySet<string>,
	current: JsonObject | undefined,
): FormField | undefined {
	const values = Object.entries(current ?? {})
		.filter(([name]) => !own.has(name))
		.map(([name, value]) => [name, schema.isSecret(name) ? hidden(value) : value] as const);
	if (!schema.allowsOthers && schema.properties.size === own.size && values.length === 0) return undefined;
	const required = [...schema.required].some((name) => !own.has(name));
	return {
		id: OTHER_FIELDS,
		displayName: 'Other Fields (JSON)',
		description: 'Fields that have no place of their own in this form, as a JSON object',
		required,
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		type: 'object',
		...(values.length > 0 ? { defaultValue: entered(Object.fromEntries(values)) } : { removed: !required }),
	};
}

/** The widget for a property that has one plain type, null aside. */
function widgetFor(keywords: Keywords): FieldType | undefined {
	const types = new Set([keywords('type')].flat());
	types.delete('null');
	const [type] = types;
	if (types.size !== 1) return undefined;
	switch (type) {
		case 'string':
			return keywords('format') === 'date-time' ? 'dateTime' : 'string';
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

/** The entries of a menu, where a schema lists texts or numbers that n8n would not run as expressions. */
function optionsIn(keywords: Keywords): INodePropertyOptions[] | undefined {
	const listed = keywords('enum');
	if (!Array.isArray(listed) || listed.length > MOST_CHOICES) return undefined;
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

/** What the form shows of a secret: whether there is one. It has the kind of the value, as n8n asks of its widgets. */
function hidden(value: unknown): unknown {
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
 * How a field without a value begins. A switch is always on or off, and an empty JSON editor complains: where nothing
 * has to be entered, such a field is left out until it is added.
 */
function withoutValue(type: FieldType, required: boolean): Pick<FormField, 'defaultValue' | 'removed'> {
	if (type === 'boolean') return required ? { defaultValue: false } : { removed: true };
	if (type !== 'object' && type !== 'array') return {};
	return { defaultValue: type === 'object' ? '{}' : '[]', ...(!required && { removed: true }) };
}

function shortText(value: unknown, most: number): string {
	return typeof value === 'string' ? labelText(value, most) : '';
}
