import { type Place, placesIn } from '../../input/places';
import { isPlainObject, type JsonObject, valueAt } from '../../shared/json';

/** What the form reads of the JSON Schema of a channel type; everything else is left to the service. */
export interface FormSchema {
	/** The top-level properties, in the schema's order. */
	properties: ReadonlyMap<string, Keywords>;
	required: ReadonlySet<string>;
	/** Whether there may be parameters that the schema does not name. */
	allowsOthers: boolean;
	/** Whether the value of this parameter may be, or hold, a secret: then the form does not show it. */
	isSecret(name: string): boolean;
}

/** Looks a keyword of a schema up. */
export type Keywords = (keyword: string) => unknown;

/**
 * Reads a schema. Its patterns are never run, and it is gone through a fixed number of times, whatever is in it: it
 * comes from the service, and must not hold n8n up.
 *
 * @param document the schema as parsed
 * @returns the schema, or why no form can be made of it: a clause such as "it names no fields"
 */
export function formSchema(document: unknown): FormSchema | { problem: string } {
	if (!isPlainObject(document)) return { problem: 'it is not a JSON Schema' };
	const root = followed(document, document);
	const keywords = keywordsOf(root);
	const type = keywords('type');
	if (type !== undefined && ![type].flat().includes('object')) {
		return { problem: 'it describes something other than an object' };
	}
	const named = keywords('properties');
	if (!isPlainObject(named) || Object.keys(named).length === 0) return { problem: 'it names no fields' };
	const properties = new Map(
		Object.entries(named).map(([name, property]) => [name, followed(property, document)]),
	);

	const withSecret = holdersOfSecrets(document);
	const holdsSecret = (parts: readonly JsonObject[]): boolean =>
		parts.some((part) =>
			Object.entries(part).some(([name, value]) => isSecretMark(name, value) || withSecret.has(value)),
		);
	// What else the schema says, such as further forms that the parameters may have.
	const around = root.map(({ properties: _, $defs: _defs, definitions: _definitions, ...rest }) => rest);
	const secretsAround = holdsSecret(around);
	const namesAround = new Set(secretsAround ? Array.from(placesIn(around), ({ name }) => name) : []);

	const required = keywords('required');
	return {
		properties: new Map(Array.from(properties, ([name, parts]) => [name, keywordsOf(parts)])),
		required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []),
		allowsOthers: keywords('additionalProperties') !== false,
		isSecret(name) {
			const parts = properties.get(name);
			return parts === undefined ? secretsAround : namesAround.has(name) || holdsSecret(parts);
		},
	};
}

/** A schema, and what its reference leads to, if that is in the document. References of the target are not followed. */
function followed(schema: unknown, document: JsonObject): JsonObject[] {
	if (!isPlainObject(schema)) return [];
	const { $ref, ...own } = schema;
	if (typeof $ref !== 'string' || !/^#(\/|$)/.test($ref)) return [schema];
	const keys = $ref.split('/').slice(1);
	const target = valueAt(
		document,
		keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
	);
	return isPlainObject(target) ? [own, target] : [schema];
}

/** The keywords of a schema; its own win over those of its reference. */
function keywordsOf(parts: readonly JsonObject[]): Keywords {
	return (keyword) => parts.find((part) => Object.hasOwn(part, keyword))?.[keyword];
}

/** Whether a keyword marks a secret, or refers to a part of a schema that is not looked at and may have the mark. */
function isSecretMark(keyword: string, value: unknown): boolean {
	if (/^\$\w*ref$/i.test(keyword)) return true;
	return (keyword === 'format' && value === 'password') || (keyword === 'writeOnly' && value === true);
}

/** The parts of a schema that have the mark of a secret somewhere inside. */
function holdersOfSecrets(document: JsonObject): ReadonlySet<unknown> {
	const holders = new Set<unknown>();
	for (const { name, value, parent } of placesIn(document)) {
		if (!isSecretMark(name, value)) continue;
		for (let at: Place | undefined = parent; at && !holders.has(at.value); at = at.parent)
			holders.add(at.value);
	}
	return holders;
}
