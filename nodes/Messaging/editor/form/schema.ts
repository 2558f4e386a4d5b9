import { Effort } from '../../json/effort';
import { parseJson } from '../../json/parse';
import { isPlainObject, type JsonObject } from '../../json/plain-object';
import { namesIn, References } from './references';

/** A JSON Schema that a form can be made of: the fields of an object. */
export interface FormSchema {
	/** Each field's schema, references resolved; in the schema's order. */
	fields: ReadonlyMap<string, JsonObject>;
	required: ReadonlySet<string>;
	/** What further fields have to fit: false when there may be none, true when there may be any. */
	others: boolean | JsonObject;
	/** The schema as a whole, references at its top resolved. */
	root: JsonObject;
	/** What leads on inside the schemas of the fields. */
	references: References;
}

/** How many keywords and names the reading of one schema may look at. */
const MOST_STEPS = 40_000;

/** The form schema in a document, or why there is none: a clause such as "it is no JSON". */
export function formSchema(text: string): FormSchema | { problem: string } {
	const parsed = parseJson(text);
	if (parsed === undefined) return { problem: 'it is not JSON' };
	const root = parsed.value;
	if (!isPlainObject(root)) return { problem: 'it is not a JSON Schema' };
	const references = new References(root, new Effort(MOST_STEPS));
	const schema = references.resolve(root);
	const types = [schema.type].flat();
	if (schema.type !== undefined && !types.includes('object')) {
		return { problem: 'it describes something other than an object' };
	}
	const properties = isPlainObject(schema.properties) ? Object.entries(schema.properties) : [];
	if (properties.length === 0) return { problem: 'it names no fields' };
	return {
		fields: new Map(
			properties.map(([name, property]) => [
				name,
				isPlainObject(property) ? references.resolve(property) : {},
			]),
		),
		required: new Set(namesIn(schema.required)),
		others: isPlainObject(schema.additionalProperties)
			? schema.additionalProperties
			: schema.additionalProperties !== false,
		root: schema,
		references,
	};
}
