import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import { OTHER_FIELDS } from '../../fields/channel-parameters';
import { Unusable } from '../../service/read-document';
import { defined, isPlainObject, type JsonObject, valueAt } from '../../shared/json';
import { labelText } from '../menu';

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

/** How the editor shows a property. */
interface Kind {
	readonly widget: FieldType;
	/** Whether the widget can hold a value as it is. n8n would run a text that begins with "=" as an expression. */
	holds(this: void, value: unknown): boolean;
	/**
	 * What the widget holds if nothing is entered: a switch is always on or off, and an empty JSON editor shows an error. So
	 * an optional field of this kind is left out of the form until the user adds it.
	 */
	readonly blank?: false | '{}' | '[]';
}

const isType = (type: string) => (value: unknown) => typeof value === type;
const isText = (value: unknown): boolean => typeof value === 'string' && !value.startsWith('=');

/**
 * What is understood of JSON Schema besides `enum`, `title`, `default` and `required`: the type of a property, with its
 * format. All else is entered as JSON, under Other Fields, and the service checks it.
 */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
	['string', { widget: 'string', holds: isText }],
	['string date-time', { widget: 'dateTime', holds: isText }],
	['integer', { widget: 'number', holds: isType('number') }],
	['number', { widget: 'number', holds: isType('number') }],
	['boolean', { widget: 'boolean', holds: isType('boolean'), blank: false }],
	['object', { widget: 'object', holds: isPlainObject, blank: '{}' }],
	['array', { widget: 'array', holds: Array.isArray, blank: '[]' }],
]);

/**
 * The fields of the form for a channel type: one for each top-level property that the editor has a widget for, and Other
 * Fields for the rest.
 *
 * @param document the JSON Schema of the type, as parsed. Its patterns come from the service and are never run
 * @throws Unusable if no form can be made of the document
 */
export function parameterFields(document: unknown, purpose: Purpose): ResourceMapperField[] {
	if (!isPlainObject(document)) throw new Unusable('it is not a JSON Schema');
	const { additionalProperties, properties, required } = keywordsIn(document, document);
	const all = Object.entries(isPlainObject(properties) ? properties : {});
	if (all.length === 0) throw new Unusable('it names no fields');
	const needed = new Set<unknown>(purpose === 'create' && Array.isArray(required) ? required : []);
	const fields: ResourceMapperField[] = [];
	let saved = 0;
	for (const [name, property] of all.slice(0, MOST_FIELDS)) {
		if (!PLAIN_NAME.test(name) || name in {}) continue;
		const field = fieldFor(name, keywordsIn(property, document), needed.has(name), purpose);
		saved += JSON.stringify(field ?? '').length;
		if (saved > MOST_SAVED) break;
		if (field !== undefined) fields.push(field);
	}
	// An update can clear a parameter only under Other Fields: what is left empty elsewhere keeps its value.
	if (purpose === 'create' && additionalProperties === false && fields.length === all.length) return fields;
	for (const { id } of fields) needed.delete(id);
	const others = { required: needed.size > 0, removed: needed.size === 0 };
	return [
		...fields,
		{ id: OTHER_FIELDS, displayName: 'Other Fields (JSON)', type: 'object', ...ALWAYS, ...others },
	];
}

/** The field of one property; `undefined` if the editor has no widget for it. */
function fieldFor(
	name: string,
	keywords: JsonObject,
	required: boolean,
	purpose: Purpose,
): ResourceMapperField | undefined {
	const options = optionsIn(keywords);
	const kind = options === undefined ? kindOfProperty(keywords) : menuKind(options);
	if (kind === undefined) return undefined;
	const { blank, holds, widget: type } = kind;
	const title = labelText(keywords.title, 60) || name;
	// n8n's own check names a required field that is empty by its id.
	const displayName = required && title.toLowerCase() !== name.toLowerCase() ? `${title} (${name})` : title;
	const isPreset = purpose === 'create' && holds(keywords.default);
	// JSON that is added to an update begins empty: a "{}" would replace what is there. A switch that is added is off.
	const isBlank = purpose === 'create' && (required || blank !== false);
	const unset = isBlank ? blank : undefined;
	const defaultValue = isPreset ? asEntered(keywords.default) : unset;
	const removed = blank !== undefined && !isPreset && !required ? true : undefined;
	return {
		id: name,
		displayName,
		type,
		required,
		...ALWAYS,
		...defined<Partial<ResourceMapperField>>({ options, defaultValue, removed }),
	};
}

/** The kind of a property that has exactly one type besides null. */
function kindOfProperty({ type: types, format }: JsonObject): Kind | undefined {
	const [type, ...others] = new Set([types].flat().filter((each) => each !== 'null'));
	if (typeof type !== 'string' || others.length > 0) return undefined;
	return KINDS.get(`${type} ${String(format)}`) ?? KINDS.get(type);
}

function menuKind(options: readonly INodePropertyOptions[]): Kind {
	return { widget: 'options', holds: (value) => options.some((option) => option.value === value) };
}

/** The entries of a menu, if the schema lists texts or numbers. Texts that n8n would run as expressions make no menu. */
function optionsIn({ enum: listed }: JsonObject): INodePropertyOptions[] | undefined {
	if (!Array.isArray(listed)) return undefined;
	const choices = listed.filter((choice) => choice !== null);
	const isChoice = (choice: unknown): choice is string =>
		typeof choice === 'string' && /^[^=\s]/.test(choice);
	const isNumber = (choice: unknown): choice is number => typeof choice === 'number';
	if (choices.length === 0 || !(choices.every(isChoice) || choices.every(isNumber))) return undefined;
	return choices.map((value) => ({ name: labelText(String(value), 200) || String(value), value }));
}

/** A value as the editor's widget holds it. */
function asEntered(value: unknown): string | number | boolean {
	if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
	return JSON.stringify(value, null, 2);
}

/** A reference within a document, of at most ten names. */
const REFERENCE = /^#(?:\/[^/]{0,100}){0,10}$/;

/**
 * A schema's own keywords, which take precedence, and those of the target of its reference in the same document. Only
 * one step is followed.
 */
function keywordsIn(schema: unknown, document: JsonObject): JsonObject {
	if (!isPlainObject(schema)) return {};
	const { $ref } = schema;
	if (typeof $ref !== 'string' || !REFERENCE.test($ref)) return schema;
	const [, ...names] = $ref.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
	const target = valueAt(document, names);
	return isPlainObject(target) ? { ...target, ...schema } : schema;
}
