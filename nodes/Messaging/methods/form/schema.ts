import { isPlainObject, type JsonObject, type Place, placesIn, valueAt } from '../../shared/json';

/** What the form uses of the JSON Schema of a channel type. The service checks everything else. */
export interface FormSchema {
	/** The names of the top-level properties, in the schema's order. */
	names: readonly string[];
	/** The keywords of a property. */
	keywordsOf(name: string): JsonObject;
	/** Whether the value of this parameter may be a secret, or hold one. The form does not show it then. */
	isSecret(name: string): boolean;
	required: ReadonlySet<string>;
	/** Whether there may be parameters that the schema does not name. */
	allowsOthers: boolean;
}

/**
 * Reads a schema. It comes from the service and must not stall n8n: its patterns are never run, and the time to read it
 * depends on its size alone.
 *
 * @param document the schema as parsed
 * @returns the schema, or why no form can be made of it: a clause such as "it names no fields"
 */
export function formSchema(document: unknown): FormSchema | { problem: string } {
	if (!isPlainObject(document)) return { problem: 'it is not a JSON Schema' };
	const { own, target } = followed(document, document);
	const { properties, $defs: _defs, definitions: _definitions, ...rest } = { ...target, ...own };
	if (rest.type !== undefined && ![rest.type].flat().includes('object')) {
		return { problem: 'it describes something other than an object' };
	}
	const property = new Map(Object.entries(isPlainObject(properties) ? properties : {}));
	if (property.size === 0) return { problem: 'it names no fields' };
	const withMark = holdersOfMarks(document);
	const holdsMark = (keywords: JsonObject): boolean =>
		Object.entries(keywords).some(([name, value]) => isSecretMark(name, value) || withMark.has(value));
	// A secret mark outside the properties, such as in a condition, may apply to any parameter.
	const allMayBeSecret = holdsMark(rest);
	return {
		names: [...property.keys()],
		keywordsOf(name) {
			const found = followed(property.get(name), document);
			return { ...found.target, ...found.own };
		},
		isSecret(name) {
			const found = followed(property.get(name), document);
			return allMayBeSecret || holdsMark(found.own) || withMark.has(found.target);
		},
		required: new Set(
			Array.isArray(rest.required) ? rest.required.filter((name) => typeof name === 'string') : [],
		),
		allowsOthers: rest.additionalProperties !== false,
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

/** Whether a keyword marks a secret, or refers to an unread part of a schema that may. */
function isSecretMark(keyword: string, value: unknown): boolean {
	if (/^\$\w*ref$/i.test(keyword)) return true;
	return (keyword === 'format' && value === 'password') || (keyword === 'writeOnly' && value === true);
}

/** The parts of a schema that contain the mark of a secret. */
function holdersOfMarks(document: JsonObject): ReadonlySet<unknown> {
	const holders = new Set<unknown>();
	for (const { name, value, parent } of placesIn(document)) {
		if (!isSecretMark(name, value)) continue;
		for (let at: Place | undefined = parent; at && !holders.has(at.value); at = at.parent)
			holders.add(at.value);
	}
	return holders;
}
