import { canonical, isSame } from './canonical';
import { Effort } from '../json/effort';
import { EMAIL_PATTERN } from './email';
import { matches } from './pattern';
import { BARE_UUID } from './uuid';
import { shown } from './values';
import { isPlainObject, type JsonObject } from '../json/plain-object';
import { named } from '../text/readable';

/**
 * The part of JSON Schema that a form checks before it sends: types, choices, bounds, patterns, some formats, and
 * the same inside objects and lists. Other keywords are left to the service, and so is what takes too much effort or
 * is nested too deeply: the rules stand in the workflow and the values come from anywhere, and neither may hold up
 * n8n. Sources: JSON Schema 2020-12, "Validation" 6 and 7, and "Core" 10.
 */

/** How many pairs of a rule and a value the fields of one item may take together. */
const MOST_STEPS = 20_000;
/** How deep rules are followed. */
const DEEPEST = 100;
/** The longest text whose format is checked, and how many characters count as one step. */
const LONGEST_TEXT = 10_000;
const TEXT_STEP = 100;
/** How many choices an error names, and how much of a pattern. */
const MOST_NAMED = 20;
const LONGEST_PATTERN = 200;

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

/** The effort for checking all values of one item. */
export function checkingEffort(): Effort {
	return new Effort(MOST_STEPS);
}

/**
 * The first place where a value does not fit a schema; `undefined` when it fits, and when no more can be said without
 * more effort.
 */
export function firstMismatch(
	value: unknown,
	schema: unknown,
	effort: Effort = checkingEffort(),
	depth = DEEPEST,
	isPartOfSecret: Hidden = () => false,
): Mismatch | undefined {
	if (schema === false) return { path: [], reason: 'is a field that this channel type does not have' };
	if (!isPlainObject(schema)) return undefined;
	effort.spend(1);
	if (effort.spent || depth === 0) return undefined;
	// Looked up only where something does not fit, and once.
	let known: boolean | undefined;
	const hidden: Hidden = () => (known ??= isPartOfSecret() || isSecret(schema));
	const check: Check = (member, rules) => firstMismatch(member, rules, effort, depth - 1, hidden);
	const reason = ownMismatch(value, schema, effort, hidden);
	if (reason !== undefined) return { path: [], reason };
	return insideMismatch(value, schema, effort, check) ?? branchMismatch(value, schema, effort, check, hidden);
}

/** Whether a value is a secret or a part of one: then no error shows it. */
type Hidden = () => boolean;

/** Checks one level further down. */
type Check = (value: unknown, schema: unknown) => Mismatch | undefined;

function ownMismatch(value: unknown, schema: JsonObject, effort: Effort, hidden: Hidden): string | undefined {
	const types = typesIn(schema);
	effort.spend(types.length);
	if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
		return `needs ${listed(types.map((type) => TYPE_WORDS[type] ?? type))}${found(value, hidden)}`;
	}
	if (Array.isArray(schema.enum) && isNoneOf(value, schema.enum, effort)) {
		return `needs one of ${choicesOf(schema.enum)}${found(value, hidden)}`;
	}
	if (schema.const !== undefined && isSame(schema.const, value, effort) === false) {
		return `needs to be ${written(schema.const)}${found(value, hidden)}`;
	}
	if (typeof value === 'number') return numberMismatch(value, schema, hidden);
	if (typeof value === 'string') return textMismatch(value, schema, effort, hidden);
	if (Array.isArray(value)) return countMismatch(value.length, schema.minItems, schema.maxItems, 'entries');
	if (isPlainObject(value)) {
		const { length } = Object.keys(value);
		effort.spend(length);
		return countMismatch(length, schema.minProperties, schema.maxProperties, 'fields');
	}
	return undefined;
}

/**
 * Whether a schema says that its value is a secret. It is shown nowhere then: not in the form, not in an error, which
 * n8n keeps and workflows hand on.
 */
export function isSecret(schema: unknown): boolean {
	if (!isPlainObject(schema)) return false;
	const branches = [schema.allOf, schema.anyOf, schema.oneOf].filter(Array.isArray).flat() as unknown[];
	return (
		schema.format === 'password' ||
		schema.writeOnly === true ||
		branches.some(
			(branch) => isPlainObject(branch) && (branch.format === 'password' || branch.writeOnly === true),
		)
	);
}

/** What the value is instead; nothing of one that is hidden, because it is a secret or a part of one. */
function found(value: unknown, hidden: Hidden): string {
	return hidden() ? '' : `, but ${shown(value)}`;
}

/** Whether it is certain that the value is none of the choices. */
function isNoneOf(value: unknown, choices: readonly unknown[], effort: Effort): boolean {
	return choices.every((choice) => !effort.spent && isSame(choice, value, effort) === false);
}

function listed(kinds: readonly string[]): string {
	return kinds.slice(0, MOST_NAMED).join(' or ');
}

function choicesOf(choices: readonly unknown[]): string {
	const some = choices.slice(0, MOST_NAMED).map(written).join(', ');
	return choices.length > MOST_NAMED ? `${some}, …` : some;
}

/** A value of a schema as an error may show it. */
function written(value: unknown): string {
	const text = canonical(value, new Effort(100)) ?? '…';
	return named(text);
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

function numberMismatch(value: number, schema: JsonObject, hidden: Hidden): string | undefined {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
	if (typeof minimum === 'number' && value < minimum)
		return `needs ${minimum} or more${found(value, hidden)}`;
	if (typeof maximum === 'number' && value > maximum)
		return `needs ${maximum} or less${found(value, hidden)}`;
	if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
		return `needs more than ${exclusiveMinimum}${found(value, hidden)}`;
	}
	if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
		return `needs less than ${exclusiveMaximum}${found(value, hidden)}`;
	}
	if (typeof multipleOf === 'number' && multipleOf > 0) {
		const times = value / multipleOf;
		// 0.3 is a multiple of 0.1, though not to the last binary digit.
		if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
			return `needs a multiple of ${multipleOf}${found(value, hidden)}`;
		}
	}
	return undefined;
}

function textMismatch(value: string, schema: JsonObject, effort: Effort, hidden: Hidden): string | undefined {
	const { minLength, maxLength, pattern, format } = schema;
	effort.spend(Math.ceil(value.length / TEXT_STEP));
	if (effort.spent) return undefined;
	if (typeof minLength === 'number' || typeof maxLength === 'number') {
		const characters = charactersIn(value);
		if (typeof minLength === 'number' && characters < minLength) {
			return `needs at least ${minLength} characters, but it has ${characters}`;
		}
		if (typeof maxLength === 'number' && characters > maxLength) {
			return `takes at most ${maxLength} characters, but it has ${characters}`;
		}
	}
	if (typeof pattern === 'string' && matches(pattern, value) === false) {
		return `needs text of the form ${named(pattern, LONGEST_PATTERN)}${found(value, hidden)}`;
	}
	if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format) || value.length > LONGEST_TEXT) {
		return undefined;
	}
	return FORMATS[format]?.test(value) === false
		? `needs text of the kind "${format}"${found(value, hidden)}`
		: undefined;
}

/** As JSON Schema counts: a pair of surrogates is one character. */
function charactersIn(text: string): number {
	let count = 0;
	for (const _ of text) count += 1;
	return count;
}

const FORMATS: Readonly<Record<string, { test(text: string): boolean }>> = {
	email: EMAIL_PATTERN,
	uri: { test: (text) => /^[a-z][a-z\d+.-]*:/i.test(text) && URL.canParse(text) },
	uuid: BARE_UUID,
	date: /^\d{4}-\d{2}-\d{2}$/,
	'date-time': { test: (text) => /^\d{4}-\d{2}-\d{2}[Tt ]/.test(text) && !Number.isNaN(Date.parse(text)) },
};

function countMismatch(count: number, least: unknown, most: unknown, what: string): string | undefined {
	if (typeof least === 'number' && count < least)
		return `needs at least ${least} ${what}, but it has ${count}`;
	if (typeof most === 'number' && count > most) return `takes at most ${most} ${what}, but it has ${count}`;
	return undefined;
}

function insideMismatch(
	value: unknown,
	schema: JsonObject,
	effort: Effort,
	check: Check,
): Mismatch | undefined {
	if (Array.isArray(value)) {
		if (schema.uniqueItems === true && hasTwice(value, effort)) {
			return { path: [], reason: 'has an entry twice, which this list may not' };
		}
		if (Array.isArray(schema.items) || schema.items === undefined) return undefined;
		for (const [index, entry] of value.entries()) {
			if (effort.spent) return undefined;
			const mismatch = check(entry, schema.items);
			if (mismatch !== undefined) return inside(String(index), mismatch);
		}
		return undefined;
	}
	if (!isPlainObject(value)) return undefined;
	const required = Array.isArray(schema.required) ? schema.required : [];
	effort.spend(required.length);
	if (effort.spent) return undefined;
	const missing: unknown = required.find(
		(name) => typeof name === 'string' && (!Object.hasOwn(value, name) || value[name] === undefined),
	);
	if (typeof missing === 'string') return { path: [missing], reason: 'is missing' };
	const properties = isPlainObject(schema.properties) ? schema.properties : {};
	for (const name of Object.keys(value)) {
		if (effort.spent) return undefined;
		const rules = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
		const mismatch = check(value[name], rules);
		if (mismatch !== undefined) return inside(name, mismatch);
	}
	return undefined;
}

function inside(name: string, { path, reason }: Mismatch): Mismatch {
	return { path: [name, ...path], reason };
}

/** Whether it is certain that two entries are the same. */
function hasTwice(entries: readonly unknown[], effort: Effort): boolean {
	const seen = new Set<string>();
	for (const entry of entries) {
		const text = canonical(entry, effort);
		if (text === undefined) return false;
		if (seen.has(text)) return true;
		seen.add(text);
	}
	return false;
}

function branchMismatch(
	value: unknown,
	schema: JsonObject,
	effort: Effort,
	check: Check,
	hidden: Hidden,
): Mismatch | undefined {
	for (const part of Array.isArray(schema.allOf) ? (schema.allOf as unknown[]) : []) {
		const mismatch = check(value, part);
		if (mismatch !== undefined || effort.spent) return mismatch;
	}
	for (const branches of [schema.anyOf, schema.oneOf] as unknown[]) {
		if (!Array.isArray(branches) || branches.length === 0) continue;
		let first: Mismatch | undefined;
		const fits = branches.some((branch: unknown) => {
			const mismatch = check(value, branch);
			first ??= mismatch;
			return mismatch === undefined || effort.spent;
		});
		// The only branch explains itself; of several, none is the one that was meant.
		if (!fits) {
			return branches.length === 1
				? first
				: {
						path: [],
						reason: `fits none of the forms that it may have${hidden() ? '' : `: ${shown(value)}`}`,
					};
		}
	}
	return undefined;
}
