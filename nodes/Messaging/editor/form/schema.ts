import { isPlainObject, type JsonObject } from '../../fields/values';

/** A JSON Schema that a form can be made of: the fields of an object. */
export interface FormSchema {
	/** Each field's schema, references resolved; in the schema's order. */
	fields: ReadonlyMap<string, JsonObject>;
	required: ReadonlySet<string>;
	/** What further fields have to fit: false when there may be none, true when there may be any. */
	others: boolean | JsonObject;
}

/** How deep references and nested schemas are followed. */
const DEEPEST = 8;

/** The keywords that are kept for checking what is entered; the rest is left to the service. */
const KEPT = [
	'type',
	'enum',
	'const',
	'minimum',
	'maximum',
	'exclusiveMinimum',
	'exclusiveMaximum',
	'multipleOf',
	'minLength',
	'maxLength',
	'pattern',
	'format',
	'minItems',
	'maxItems',
	'uniqueItems',
	'minProperties',
	'maxProperties',
	'required',
] as const;

/** The form schema in a document, or why there is none: a clause such as "it is no JSON". */
export function formSchema(text: string): FormSchema | { problem: string } {
	let root: unknown;
	try {
		root = JSON.parse(text);
	} catch {
		return { problem: 'it is not JSON' };
	}
	if (!isPlainObject(root)) return { problem: 'it is not a JSON Schema' };
	const schema = flattened(root, root, DEEPEST);
	const types = [schema.type].flat();
	if (schema.type !== undefined && !types.includes('object')) {
		return { problem: 'it describes something other than an object' };
	}
	const properties = isPlainObject(schema.properties) ? Object.entries(schema.properties) : [];
	if (properties.length === 0) return { problem: 'it names no fields' };
	const document = root;
	return {
		fields: new Map(
			properties.map(([name, property]) => [
				name,
				isPlainObject(property) ? flattened(property, document, DEEPEST) : {},
			]),
		),
		required: new Set(namesIn(schema.required)),
		others: isPlainObject(schema.additionalProperties)
			? checks(schema.additionalProperties, document)
			: schema.additionalProperties !== false,
	};
}

/** Of a schema what `firstMismatch` checks, references resolved. */
export function checks(schema: JsonObject, document: JsonObject = schema, depth = DEEPEST): JsonObject {
	const flat = flattened(schema, document, depth);
	const kept: JsonObject = {};
	for (const keyword of KEPT) if (flat[keyword] !== undefined) kept[keyword] = flat[keyword];
	for (const bound of ['Minimum', 'Maximum'] as const) {
		// Until draft 4, `exclusiveMinimum: true` went along with `minimum`.
		if (kept[`exclusive${bound}`] === true) kept[`exclusive${bound}`] = flat[bound.toLowerCase()];
	}
	const inner = (value: unknown): unknown =>
		isPlainObject(value) ? (depth > 0 ? checks(value, document, depth - 1) : true) : value;
	for (const keyword of ['items', 'additionalProperties']) {
		if (flat[keyword] !== undefined) kept[keyword] = inner(flat[keyword]);
	}
	for (const keyword of ['anyOf', 'oneOf']) {
		const branches = flat[keyword];
		if (Array.isArray(branches)) kept[keyword] = branches.map(inner);
	}
	if (isPlainObject(flat.properties)) {
		kept.properties = Object.fromEntries(
			Object.entries(flat.properties).map(([name, property]) => [name, inner(property)]),
		);
	}
	return kept;
}

/** A schema with its reference and the parts of `allOf` merged into it; its own keywords win. */
function flattened(schema: JsonObject, document: JsonObject, depth: number): JsonObject {
	const { $ref, allOf, ...own } = schema;
	const target = typeof $ref === 'string' ? pointedAt($ref, document) : undefined;
	const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isPlainObject);
	if (depth === 0 || parts.length === 0) return own;
	return [...parts.map((part) => flattened(part, document, depth - 1)), own].reduce((merged, part) => ({
		...merged,
		...part,
		...mergedMember('properties', merged, part),
		...(merged.required === undefined && part.required === undefined
			? {}
			: { required: [...namesIn(merged.required), ...namesIn(part.required)] }),
	}));
}

function mergedMember(name: string, one: JsonObject, other: JsonObject): JsonObject {
	const [first, second] = [one[name], other[name]];
	return isPlainObject(first) && isPlainObject(second) ? { [name]: { ...first, ...second } } : {};
}

/** What a reference inside the document points at; references to other documents are not followed. */
function pointedAt(reference: string, document: JsonObject): unknown {
	if (!reference.startsWith('#/')) return undefined;
	const names = reference.slice(2).split('/');
	return names.reduce<unknown>((parent, name) => {
		const key = name.replace(/~1/g, '/').replace(/~0/g, '~');
		return isPlainObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
	}, document);
}

function namesIn(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}
