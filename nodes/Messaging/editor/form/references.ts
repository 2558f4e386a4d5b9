import type { Effort } from '../../json/effort';
import { isPlainObject, type JsonObject } from '../../json/plain-object';

/** How many references and parts of `allOf` are followed one into the other. */
const DEEPEST = 20;

/** The references inside a schema document, each resolved once. */
export class References {
	private readonly resolved = new Map<JsonObject, JsonObject>();

	/**
	 * @param document what references point into; those to other documents are not followed
	 * @param effort what following them may take; what goes beyond it is not followed
	 */
	constructor(
		private readonly document: JsonObject,
		readonly effort: Effort,
	) {}

	/**
	 * A schema with its reference and the parts of `allOf` merged into it; its own keywords win. What is left out makes
	 * it allow more, never less.
	 */
	resolve(schema: JsonObject, depth = DEEPEST): JsonObject {
		const known = this.resolved.get(schema);
		if (known !== undefined) return known;
		const { $ref, allOf, ...keywords } = schema;
		const own = withOwnBounds(keywords);
		this.effort.spend(1);
		const target = typeof $ref === 'string' ? this.pointedAt($ref) : undefined;
		const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isPlainObject);
		// A schema that leads back to itself finds its own keywords.
		this.resolved.set(schema, own);
		if (depth === 0 || parts.length === 0) return own;
		const merged = this.merge([...parts.map((part) => this.resolve(part, depth - 1)), own]) ?? own;
		this.resolved.set(schema, merged);
		return merged;
	}

	private merge(parts: readonly JsonObject[]): JsonObject | undefined {
		const merged = new Map<string, unknown>();
		const properties = new Map<string, unknown>();
		const required: string[] = [];
		for (const part of parts) {
			if (this.effort.spent) return undefined;
			for (const [keyword, value] of this.entriesOf(part)) merged.set(keyword, value);
			for (const [name, value] of this.entriesOf(part.properties)) properties.set(name, value);
			const names = namesIn(part.required);
			this.effort.spend(names.length);
			for (const name of names) required.push(name);
		}
		if (this.effort.spent) return undefined;
		if (properties.size > 0) merged.set('properties', Object.fromEntries(properties));
		if (required.length > 0) merged.set('required', required);
		return Object.fromEntries(merged);
	}

	private entriesOf(value: unknown): Array<[string, unknown]> {
		if (!isPlainObject(value)) return [];
		const entries = Object.entries(value);
		this.effort.spend(entries.length);
		return entries;
	}

	/** What a reference inside the document points at. */
	private pointedAt(reference: string): unknown {
		if (reference === '#') return this.document;
		if (!reference.startsWith('#/')) return undefined;
		const names = reference.slice(2).split('/');
		return names.reduce<unknown>((parent, name) => {
			const key = name.replace(/~1/g, '/').replace(/~0/g, '~');
			return isPlainObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
		}, this.document);
	}
}

/** Until draft 4, `exclusiveMinimum: true` went along with `minimum`: merged with others it would mean another one. */
function withOwnBounds(schema: JsonObject): JsonObject {
	for (const bound of ['Minimum', 'Maximum'] as const) {
		if (schema[`exclusive${bound}`] === true) schema[`exclusive${bound}`] = schema[bound.toLowerCase()];
	}
	return schema;
}

/** The texts in a list; none where there is no list. */
export function namesIn(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}
