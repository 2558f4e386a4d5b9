import { Effort } from '../../json/effort';
import { isPlainObject, type JsonObject } from '../../json/plain-object';
import type { References } from './references';
import { sizeOf } from './size';

/** The most characters of rules that are saved with one field. */
const LONGEST = 8_000;
/** How deep nested schemas are followed: the first depth whose rules are short enough. */
const DEPTHS = [8, 3, 1, 0];

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
	'writeOnly',
	'minItems',
	'maxItems',
	'uniqueItems',
	'minProperties',
	'maxProperties',
	'required',
] as const;

/**
 * What `firstMismatch` checks of a schema, references resolved, as JSON text of a bearable length. Where there is too
 * much of it, deeper parts are left to the service, then all but the type.
 */
export function rulesText(schema: JsonObject, references: References): string {
	for (const depth of DEPTHS) {
		if (references.effort.spent) break;
		const room = new Effort(LONGEST);
		const rules = checks(schema, references, room, depth);
		const text = room.spent ? '' : JSON.stringify(rules);
		if (text !== '' && text.length <= LONGEST) return text;
	}
	const { type } = references.resolve(schema);
	return JSON.stringify(typeof type === 'string' && type.length < LONGEST ? { type } : {});
}

/**
 * Of a schema what `firstMismatch` checks. It is of no use once the room or the effort of the references is spent.
 *
 * @param room how many characters the rules may have
 * @param depth how many levels of nested schemas to follow
 */
export function checks(schema: JsonObject, references: References, room: Effort, depth: number): JsonObject {
	const flat = references.resolve(schema);
	const rules = new Map<string, unknown>();
	const keep = (keyword: string, value: unknown, size: number): void => {
		room.spend(keyword.length + size);
		references.effort.spend(1);
		rules.set(keyword, value);
	};
	for (const keyword of KEPT) {
		const value = flat[keyword];
		if (value !== undefined) keep(keyword, value, sizeOf(value, LONGEST, references.effort));
	}
	const inner = (value: unknown): unknown => {
		if (room.spent || references.effort.spent || !isPlainObject(value)) return value === false ? false : true;
		return depth > 0 ? checks(value, references, room, depth - 1) : true;
	};
	for (const keyword of ['items', 'additionalProperties']) {
		if (flat[keyword] !== undefined && !Array.isArray(flat[keyword])) keep(keyword, inner(flat[keyword]), 4);
	}
	for (const keyword of ['anyOf', 'oneOf']) {
		const branches = flat[keyword];
		if (!Array.isArray(branches)) continue;
		room.spend(branches.length * 4);
		references.effort.spend(branches.length);
		if (!room.spent) keep(keyword, branches.map(inner), 0);
	}
	if (isPlainObject(flat.properties)) {
		const properties = Object.entries(flat.properties);
		room.spend(properties.length * 4);
		references.effort.spend(properties.length);
		if (!room.spent) {
			const checked = properties.map(([name, property]): [string, unknown] => {
				room.spend(name.length);
				return [name, inner(property)];
			});
			keep('properties', Object.fromEntries(checked), 0);
		}
	}
	return Object.fromEntries(rules);
}
