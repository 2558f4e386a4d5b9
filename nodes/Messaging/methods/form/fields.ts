import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import { OTHER_FIELDS } from '../../fields/channel-parameters';
import { isPlainObject, type JsonObject, valueAt } from '../../shared/json';
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

/** What a form is for. An update changes only what is entered, so none of its fields is required or filled in. */
export type Purpose = 'create' | 'update';

/**
 * The fields of the form for a channel type: one for each top-level property that the editor has a widget for, and Other
 * Fields for the rest. The service checks whether the values suit the type.
 *
 * @param document the JSON Schema of the type, as parsed. Its patterns come from the service and are never run
 * @throws NoForm if no form can be made of the document
 */
export function parameterFields(document: unknown, purpose: Purpose): ResourceMapperField[] {
	const schema = readSchema(document);
	const fields: ResourceMapperField[] = [];
	let saved = 0;
	for (const name of schema.names.slice(0, MOST_FIELDS)) {
		const isUsable = PLAIN_NAME.test(name) && !(name in {});
		const field = isUsable ? fieldFor(name, schema, purpose) : undefined;
		if (field === undefined) continue;
		saved += JSON.stringify(field).length;
		if (saved > MOST_SAVED) break;
		fields.push(field);
	}
	const own = new Set(fields.map(({ id }) => id));
	// An update can clear a parameter only under Other Fields: what is left empty elsewhere keeps its value.
	const isComplete = purpose === 'create' && !schema.allowsOthers && schema.names.length === own.size;
	if (isComplete) return fields;
	const required = purpose === 'create' && [...schema.required].some((name) => !own.has(String(name)));
	const displayName = 'Other Fields (JSON)';
	return [
		...fields,
		{ id: OTHER_FIELDS, displayName, type: 'object', required, ...ALWAYS, removed: !required },
	];
}

/** The field of one property; `undefined` if the editor has no widget for its type. */
function fieldFor(
	name: string,
	schema: ReturnType<typeof readSchema>,
	purpose: Purpose,
): ResourceMapperField | undefined {
	const keywords = schema.keywordsOf(name);
	const options = optionsIn(keywords);
	const type = options === undefined ? widgetFor(keywords) : 'options';
	if (type === undefined) return undefined;
	const required = purpose === 'create' && schema.required.has(name);
	const title = labelText(keywords.title, 60) || name;
	// n8n's own check names a required field that is empty by its id.
	const displayName = required && title.toLowerCase() !== name.toLowerCase() ? `${title} (${name})` : title;
	const isPreset = purpose === 'create' && canHold(keywords.default, type, options);
	return {
		id: name,
		displayName,
		type,
		required,
		...ALWAYS,
		...(options !== undefined && { options }),
		...(isPreset ? { defaultValue: asEntered(keywords.default) } : withoutValue(type, required, purpose)),
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
 * so an optional field of these types is left out of the form until the user adds it. JSON that is added to an update
 * begins empty: a "{}" would replace what is there.
 */
function withoutValue(
	type: FieldType,
	required: boolean,
	purpose: Purpose,
): Pick<ResourceMapperField, 'defaultValue' | 'removed'> {
	const isJson = type === 'object' || type === 'array';
	if (!isJson && type !== 'boolean') return {};
	if (purpose === 'update') return { removed: true };
	if (!isJson) return required ? { defaultValue: false } : { removed: true };
	return { defaultValue: type === 'object' ? '{}' : '[]', ...(!required && { removed: true }) };
}

/** What the form uses of a schema. */
function readSchema(document: unknown) {
	if (!isPlainObject(document)) throw unusableSchema('it is not a JSON Schema');
	const { properties, required, additionalProperties } = keywordsIn(document, document);
	const property = new Map(Object.entries(isPlainObject(properties) ? properties : {}));
	if (property.size === 0) throw unusableSchema('it names no fields');
	return {
		names: [...property.keys()],
		required: new Set<unknown>(Array.isArray(required) ? required : []),
		allowsOthers: additionalProperties !== false,
		keywordsOf: (name: string) => keywordsIn(property.get(name), document),
	};
}

/**
 * A schema's own keywords, which take precedence, and those of the target of its reference in the same document. Only
 * one step is followed.
 */
function keywordsIn(schema: unknown, document: JsonObject): JsonObject {
	if (!isPlainObject(schema)) return {};
	const { $ref } = schema;
	if (typeof $ref !== 'string' || !/^#(\/|$)/.test($ref)) return schema;
	const path = $ref.split('/').slice(1);
	const target = valueAt(
		document,
		path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
	);
	return isPlainObject(target) ? { ...target, ...schema } : schema;
}
