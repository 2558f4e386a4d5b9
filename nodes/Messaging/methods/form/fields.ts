import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import { OTHER_FIELDS } from '../../fields/channel-parameters';
import { isEmpty } from '../../input/values';
import { isPlainObject, type JsonObject, valueAt, without } from '../../shared/json';
import { maskIn } from '../../shared/masks';
import { bodyMask } from '../../service/secrets';
import { labelText } from '../menu';
import { unusableSchema } from './read-document';

/** How many properties get a field of their own. Further ones go to Other Fields. */
const MOST_FIELDS = 100;
/** How many characters all fields may take up in the saved workflow. Fields beyond that go to Other Fields too. */
const MOST_SAVED = 100_000;
/** Names that n8n can use as keys of a form. */
const PLAIN_NAME = /^[A-Za-z_$][\w$ -]{0,99}$/;

/** What n8n wants to know of each field, and is the same for all. */
const ALWAYS = { display: true, defaultMatch: false, canBeUsedToMatch: false };

type Schema = ReturnType<typeof readSchema>;

/** A field of the form, as it is saved in the workflow. */
interface FormField extends ResourceMapperField {
	/** Left empty, it keeps the present value, which the form does not carry because it is a secret, or holds one. */
	readonly keeps?: true;
}

/**
 * The fields of the form for a channel type: one for each top-level property that the editor has a widget for, and Other
 * Fields for the rest. The service checks whether the values suit the type.
 *
 * @param document the JSON Schema of the type, as parsed. Its patterns come from the service and are never run
 * @param current the channel's current parameters, to fill the form with, secrets aside; without them, it is filled with
 *   the schema's defaults
 * @throws NoForm if no form can be made of the document
 */
export function parameterFields(document: unknown, current?: JsonObject): FormField[] {
	const schema = readSchema(document);
	const present = current && masked(current);
	const fields: FormField[] = [];
	let saved = 0;
	for (const name of schema.names.slice(0, MOST_FIELDS)) {
		const isUsable = PLAIN_NAME.test(name) && !(name in {});
		const field = isUsable ? fieldFor(name, schema, present) : undefined;
		if (field === undefined) continue;
		saved += JSON.stringify(field).length;
		if (saved > MOST_SAVED) break;
		fields.push(field);
	}
	const own = new Set(fields.map(({ id }) => id));
	const others = Object.entries(present ?? {}).filter(([name]) => !own.has(name));
	if (!schema.allowsOthers && schema.names.length === own.size && others.length === 0) return fields;
	const kept = new Set(others.flatMap(([name, value]) => (holdsSecret(name, value, schema) ? [name] : [])));
	const shown = others.filter(([name]) => !kept.has(name));
	const required = [...schema.required].map(String).some((name) => !own.has(name) && !kept.has(name));
	const otherFields: FormField = {
		id: OTHER_FIELDS,
		displayName: kept.size === 0 ? 'Other Fields (JSON)' : 'Other Fields (JSON; secrets left out are kept)',
		type: 'object',
		required,
		...ALWAYS,
		...(shown.length > 0 ? { defaultValue: asEntered(Object.fromEntries(shown)) } : { removed: !required }),
	};
	// Names without a field, which only say what is kept.
	const hidden = [...kept].map((id): FormField => {
		const nowhere = { ...ALWAYS, display: false, removed: true };
		return { id, displayName: id, required: false, ...nowhere, keeps: true };
	});
	return [...fields, ...hidden, otherFields];
}

/** Parameters, masked as in results. */
function masked(parameters: JsonObject): JsonObject {
	return bodyMask((text) => text)({ parameters }).parameters;
}

/** Whether a masked parameter is a secret, or may hold one: by its schema, or because something in it is masked. */
function holdsSecret(name: string, value: unknown, schema: Schema): boolean {
	return !isEmpty(value) && (schema.about(name).isSecret || maskIn(value) !== undefined);
}

/** The field of one property; `undefined` if the editor has no widget for its type or its current value, masked. */
function fieldFor(name: string, schema: Schema, current: JsonObject | undefined): FormField | undefined {
	const { own, target } = schema.about(name);
	const keywords = { ...target, ...own };
	const options = optionsIn(keywords);
	const type = options === undefined ? widgetFor(keywords) : 'options';
	if (type === undefined) return undefined;
	const present = current?.[name] ?? undefined;
	const keeps = holdsSecret(name, present, schema);
	const shown = keeps ? undefined : present;
	if (shown !== undefined && !canHold(shown, type, options)) return undefined;
	const preset = keywords.default;
	const hasPreset =
		current === undefined &&
		canHold(preset, type, options) &&
		!holdsSecret(name, masked({ [name]: preset })[name], schema);
	const value = hasPreset ? preset : shown;
	// What is kept need not be entered.
	const required = schema.required.has(name) && !keeps;
	const title = labelText(keywords.title, 60) || name;
	// n8n's own check names a required field that is empty by its id.
	const label = required && title.toLowerCase() !== name.toLowerCase() ? `${title} (${name})` : title;
	return {
		id: name,
		displayName: keeps ? `${title} (leave empty to keep the present value)` : label,
		type,
		required,
		...ALWAYS,
		...(options !== undefined && { options }),
		...(value === undefined ? withoutValue(type, required) : { defaultValue: asEntered(value) }),
		...(keeps && { keeps }),
	};
}

const WIDGETS: ReadonlyMap<unknown, FieldType> = new Map([
	['string', 'string'],
	['integer', 'number'],
	['number', 'number'],
	['boolean', 'boolean'],
	['object', 'object'],
	['array', 'array'],
]);

/** The widget for a property that has exactly one type besides null. */
function widgetFor({ type: types, format }: JsonObject): FieldType | undefined {
	const [type, ...others] = new Set([types].flat().filter((each) => each !== 'null'));
	if (others.length > 0) return undefined;
	return type === 'string' && format === 'date-time' ? 'dateTime' : WIDGETS.get(type);
}

/** The entries of a menu, if the schema lists texts or numbers. Texts that n8n would run as expressions make no menu. */
function optionsIn({ enum: listed }: JsonObject): INodePropertyOptions[] | undefined {
	if (!Array.isArray(listed)) return undefined;
	const choices = listed.filter((choice) => choice !== null);
	const isText = (choice: unknown): choice is string => typeof choice === 'string' && /^[^=\s]/.test(choice);
	const isNumber = (choice: unknown): choice is number => typeof choice === 'number';
	if (choices.length === 0 || !(choices.every(isText) || choices.every(isNumber))) return undefined;
	return choices.map((value) => ({ name: labelText(String(value), 200) || String(value), value }));
}

/** Whether a widget can hold a value as it is. n8n would run a text that begins with "=" as an expression. */
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
			return typeof value === 'string' && !value.startsWith('=');
	}
}

/** A value as the editor's widget holds it. */
function asEntered(value: unknown): string | number | boolean {
	if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
	return JSON.stringify(value, null, 2);
}

/**
 * The initial state of a field without a value. A switch is always on or off, and an empty JSON editor shows an error,
 * so an optional field of these types is left out of the form until the user adds it.
 */
function withoutValue(
	type: FieldType,
	required: boolean,
): Pick<ResourceMapperField, 'defaultValue' | 'removed'> {
	if (type === 'boolean') return required ? { defaultValue: false } : { removed: true };
	if (type !== 'object' && type !== 'array') return {};
	return { defaultValue: type === 'object' ? '{}' : '[]', ...(!required && { removed: true }) };
}

/** What marks a secret in the JSON of a schema, or refers to an unread part that may. */
const SECRET_MARK = /"\$\w*ref":|"format":"password"|"writeOnly":true/i;

/** What the form uses of a schema. */
function readSchema(document: unknown) {
	if (!isPlainObject(document)) throw unusableSchema('it is not a JSON Schema');
	const whole = followed(document, document);
	const { properties, ...others } = { ...whole.target, ...whole.own };
	const rest = without(others, '$defs', 'definitions');
	const property = new Map(Object.entries(isPlainObject(properties) ? properties : {}));
	if (property.size === 0) throw unusableSchema('it names no fields');
	const holdsMark = (part: unknown): boolean => SECRET_MARK.test(JSON.stringify(part));
	// A secret mark outside the properties, such as in a condition, may apply to any parameter.
	const allMayBeSecret = holdsMark(rest);
	return {
		names: [...property.keys()],
		required: new Set<unknown>(Array.isArray(rest.required) ? rest.required : []),
		allowsOthers: rest.additionalProperties !== false,
		/** The keywords of a parameter, and whether its value may be a secret, or hold one. */
		about(name: string) {
			const schema = followed(property.get(name), document);
			return { ...schema, isSecret: allMayBeSecret || [schema.own, schema.target].some(holdsMark) };
		},
	};
}

/**
 * A schema's own keywords, which take precedence, and the target of its reference in the same document. Only one step
 * is followed: a further reference stays a keyword.
 */
function followed(schema: unknown, document: JsonObject): { own: JsonObject; target?: JsonObject } {
	if (!isPlainObject(schema)) return { own: {} };
	const { $ref, ...own } = schema;
	if (typeof $ref !== 'string' || !/^#(\/|$)/.test($ref)) return { own: schema };
	const path = $ref.split('/').slice(1);
	const target = valueAt(
		document,
		path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
	);
	return isPlainObject(target) ? { own, target } : { own: schema };
}
