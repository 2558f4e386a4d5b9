import { EMAIL_PATTERN } from './email';
import { isPlainObject, type JsonObject, shown } from './values';

/**
 * The part of JSON Schema that a form checks before it sends: types, choices, bounds, patterns, some formats, and
 * the same inside objects and lists. Other keywords are left to the service. Sources: JSON Schema 2020-12,
 * "Validation" 6 and 7, and "Core" 10.
 */

/** Where a value does not fit, and what it needs. */
export interface Mismatch {
	/** The names and positions that lead to the place; empty for the value itself. */
	path: readonly string[];
	/** A clause that follows a label: "needs a whole number, but ..." */
	reason: string;
}

/** The types that a schema names; empty when it leaves them open. */
export function typesIn(schema: unknown): string[] {
	const type = isPlainObject(schema) ? schema.type : undefined;
	return [type].flat().filter((name): name is string => typeof name === 'string');
}

/** The first place where a value does not fit a schema; `undefined` when it fits. */
export function firstMismatch(
	value: unknown,
	schema: unknown,
	path: readonly string[] = [],
): Mismatch | undefined {
	if (schema === false) return { path, reason: 'is a field that this channel type does not have' };
	if (!isPlainObject(schema)) return undefined;
	const reason = ownMismatch(value, schema);
	if (reason !== undefined) return { path, reason };
	return insideMismatch(value, schema, path) ?? branchMismatch(value, schema, path);
}

function ownMismatch(value: unknown, schema: JsonObject): string | undefined {
	const types = typesIn(schema);
	if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
		return `needs ${types.map((type) => TYPE_WORDS[type] ?? type).join(' or ')}, but ${shown(value)}`;
	}
	if (Array.isArray(schema.enum) && !schema.enum.some((choice) => isSame(choice, value))) {
		return `needs one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(', ')}, but ${shown(value)}`;
	}
	if (schema.const !== undefined && !isSame(schema.const, value)) {
		return `needs to be ${JSON.stringify(schema.const)}, but ${shown(value)}`;
	}
	if (typeof value === 'number') return numberMismatch(value, schema);
	if (typeof value === 'string') return textMismatch(value, schema);
	if (Array.isArray(value)) return countMismatch(value.length, schema.minItems, schema.maxItems, 'entries');
	if (isPlainObject(value)) {
		return countMismatch(Object.keys(value).length, schema.minProperties, schema.maxProperties, 'fields');
	}
	return undefined;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
	string: 'text',
	integer: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	object: 'a JSON object',
	array: 'a JSON list',
	null: 'null',
};

function isOfType(value: unknown, type: string): boolean {
	switch (type) {
		case 'string':
			return typeof value === 'string';
		case 'integer':
			return Number.isInteger(value);
		case 'number':
			return typeof value === 'number' && Number.isFinite(value);
		case 'boolean':
			return typeof value === 'boolean';
		case 'object':
			return isPlainObject(value);
		case 'array':
			return Array.isArray(value);
		case 'null':
			return value === null;
		default:
			// A type that JSON Schema does not have says nothing.
			return true;
	}
}

function numberMismatch(value: number, schema: JsonObject): string | undefined {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
	if (typeof minimum === 'number' && value < minimum) return `needs ${minimum} or more, but ${shown(value)}`;
	if (typeof maximum === 'number' && value > maximum) return `needs ${maximum} or less, but ${shown(value)}`;
	if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
		return `needs more than ${exclusiveMinimum}, but ${shown(value)}`;
	}
	if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
		return `needs less than ${exclusiveMaximum}, but ${shown(value)}`;
	}
	if (typeof multipleOf === 'number' && multipleOf > 0) {
		const times = value / multipleOf;
		// 0.3 is a multiple of 0.1, though not to the last binary digit.
		if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
			return `needs a multiple of ${multipleOf}, but ${shown(value)}`;
		}
	}
	return undefined;
}

function textMismatch(value: string, schema: JsonObject): string | undefined {
	const characters = [...value].length;
	const { minLength, maxLength, pattern, format } = schema;
	if (typeof minLength === 'number' && characters < minLength) {
		return `needs at least ${minLength} characters, but it has ${characters}`;
	}
	if (typeof maxLength === 'number' && characters > maxLength) {
		return `takes at most ${maxLength} characters, but it has ${characters}`;
	}
	if (typeof pattern === 'string' && harmless(pattern)?.test(value) === false) {
		return `needs text of the form ${pattern}, but ${shown(value)}`;
	}
	const fits = typeof format === 'string' ? FORMATS[format] : undefined;
	return fits === undefined || fits.test(value)
		? undefined
		: `needs text of the kind "${format}", but ${shown(value)}`;
}

/** The pattern as a regular expression, unless it is none or one that could run for ages. */
function harmless(pattern: string): RegExp | undefined {
	const nested = /\([^()]*[*+}][^()]*\)[*+{]/;
	if (pattern.length > 500 || nested.test(pattern)) return undefined;
	try {
		return new RegExp(pattern, 'u');
	} catch {
		return undefined;
	}
}

const FORMATS: Readonly<Record<string, { test(text: string): boolean }>> = {
	email: EMAIL_PATTERN,
	uri: { test: (text) => /^[a-z][a-z\d+.-]*:/i.test(text) && URL.canParse(text) },
	uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
	date: /^\d{4}-\d{2}-\d{2}$/,
	'date-time': { test: (text) => /^\d{4}-\d{2}-\d{2}[Tt ]/.test(text) && !Number.isNaN(Date.parse(text)) },
};

function countMismatch(count: number, least: unknown, most: unknown, what: string): string | undefined {
	if (typeof least === 'number' && count < least)
		return `needs at least ${least} ${what}, but it has ${count}`;
	if (typeof most === 'number' && count > most) return `takes at most ${most} ${what}, but it has ${count}`;
	return undefined;
}

function insideMismatch(value: unknown, schema: JsonObject, path: readonly string[]): Mismatch | undefined {
	if (Array.isArray(value)) {
		if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length) {
			return { path, reason: 'has an entry twice, which this list may not' };
		}
		if (Array.isArray(schema.items)) return undefined;
		return firstOf(
			value.map((entry, index) => [String(index), entry, schema.items]),
			path,
		);
	}
	if (!isPlainObject(value)) return undefined;
	const required = Array.isArray(schema.required) ? schema.required : [];
	const missing = required.find((name) => typeof name === 'string' && value[name] === undefined);
	if (typeof missing === 'string') return { path: [...path, missing], reason: 'is missing' };
	const properties = isPlainObject(schema.properties) ? schema.properties : {};
	return firstOf(
		Object.entries(value).map(([name, member]) => [
			name,
			member,
			Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties,
		]),
		path,
	);
}

function firstOf(
	members: ReadonlyArray<readonly [name: string, member: unknown, schema: unknown]>,
	path: readonly string[],
): Mismatch | undefined {
	for (const [name, member, schema] of members) {
		const mismatch = firstMismatch(member, schema, [...path, name]);
		if (mismatch !== undefined) return mismatch;
	}
	return undefined;
}

function branchMismatch(value: unknown, schema: JsonObject, path: readonly string[]): Mismatch | undefined {
	for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) {
		const mismatch = firstMismatch(value, part, path);
		if (mismatch !== undefined) return mismatch;
	}
	for (const branches of [schema.anyOf, schema.oneOf]) {
		if (!Array.isArray(branches) || branches.length === 0) continue;
		const mismatches = branches.map((branch) => firstMismatch(value, branch, path));
		// The only branch explains itself; of several, none is the one that was meant.
		if (mismatches.every((mismatch) => mismatch !== undefined)) {
			return branches.length === 1
				? mismatches[0]
				: { path, reason: `fits none of the forms that it may have: ${shown(value)}` };
		}
	}
	return undefined;
}

function isSame(one: unknown, other: unknown): boolean {
	return canonical(one) === canonical(other);
}

/** JSON text that is the same for equal values, whatever the order of their fields. */
function canonical(value: unknown): string {
	return (
		JSON.stringify(value, (_, member: unknown) =>
			isPlainObject(member)
				? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
				: member,
		) ?? 'undefined'
	);
}
