import { type INodePropertyTypeOptions, tryToParseDateTime } from 'n8n-workflow';

import { isEmpty, isPlainObject, type JsonObject } from '../shared/json';
import { isEmail, SPLIT_OUT } from './address';
import { InvalidParameter } from './invalid-parameter';
import { DATA_IN_JSON } from './quoted-data';
import { readingOf } from './reading';
import { refuse } from './rules';
import { quoted } from '../shared/text';
import { isUuid, UUID_EXAMPLE } from '../shared/uuid';

/**
 * Validates the value of a parameter, which can be anything if it is an expression.
 * Each function takes the value and the field's label, and throws InvalidParameter if the value is invalid.
 * Functions that accept an empty value return `undefined` for it.
 */

/** A value as errors show it: short, with quotes around text. */
export function described(value: unknown): string {
	if (value === undefined || value === null || value === '') return 'it is empty';
	if (typeof value === 'string') return `it is ${quoted(value)}`;
	if (Array.isArray(value)) return 'it is a list';
	if (typeof value === 'object') return 'it is an object';
	return typeof value === 'number' || typeof value === 'boolean'
		? `it is ${value}`
		: `it is a ${typeof value}`;
}

/** The error for a value that is not what its field needs. */
export function misfit(value: unknown, field: string, needs: string, hint: string): InvalidParameter {
	return new InvalidParameter(field, `needs ${needs}, but ${described(value)}`, hint);
}

/** The value inside a resource locator, saved or a default; any other value as it is. */
export function locatorValue(locator: unknown): unknown {
	return isPlainObject(locator) && 'mode' in locator ? locator.value : locator;
}

/** Text as entered, spaces included; numbers and booleans from expressions become text. */
export function asText(value: unknown, field: string): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	refuse('sent', field, readingOf(value));
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw misfit(
		value,
		field,
		'text',
		'Select a single value in the expression: {{ $json.text }} instead of {{ $json }}, or {{ $now.toISO() }} for a date.',
	);
}

/** The advice for a field that may not be empty. */
export const ENTER_IT = 'Enter a value. If it is an expression, check that it finds a value for this item.';

/** Refuses names of which two are the same. */
export function refuseRepeated(names: readonly string[], field: string, hint: string): void {
	const seen = new Set<string>();
	const twice = names.find((name) => seen.size === seen.add(name).size);
	if (twice !== undefined) throw new InvalidParameter(field, `has the name ${quoted(twice)} twice`, hint);
}

/** The advice for a field with a list, for any other, and for one that takes several. */
export const CHOOSE_IT =
	'Switch the field to From List ("mode": "list") and choose it, or copy the whole ID from the service. An expression has to give the ID. For the name of a channel or account, switch the field to By Name ("mode": "name").';
export const COPY_IT = 'Copy the whole ID from the service.';
export const ENTER_THEM = 'Enter one ID, several IDs separated by commas, or a list from an expression.';

/**
 * A UUID, without surrounding spaces; `undefined` when empty.
 *
 * @param advice what to do about anything else
 */
export function asUuid(value: unknown, field: string, advice = COPY_IT): string | undefined {
	if (isEmpty(value)) return undefined;
	if (isUuid(value)) return value.trim();
	throw misfit(value, field, 'a UUID', `A UUID looks like ${UUID_EXAMPLE}. ${advice}`);
}

/** UUIDs, in order and each once: one id, a comma-separated list, a list from an expression, or one as JSON. */
export function asUuidList(value: unknown, field: string): string[] {
	const entries: unknown[] =
		typeof value === 'string' ? value.replace(/["[\]]/g, '').split(',') : [value].flat();
	const seen = new Set<string>();
	// Upper and lower case are the same; the first spelling stays.
	return entries
		.flatMap((entry) => asUuid(entry, field, ENTER_THEM) ?? [])
		.filter((uuid) => seen.size < seen.add(uuid.toLowerCase()).size);
}

/** An email address, unchanged; '' when empty. */
export function asEmail(value: unknown, field: string): string {
	const text = asText(value, field);
	if (isEmpty(text) || isEmail(text)) return text;
	const hint =
		text.split('@').length > 2
			? SPLIT_OUT
			: 'Enter one address such as ada@example.com. For a phone number, choose the Address Type Phone or Other ("addressType": "other"), or in JSON "type": "PHONE".';
	throw misfit(text, field, 'an email address', hint);
}

/** What numbers a field takes: whole ones of 32 bits if it has no decimals. */
type NumberLimits = Pick<INodePropertyTypeOptions, 'minValue' | 'maxValue' | 'numberPrecision'>;

/** A number within these limits; `undefined` when empty. */
export function asNumber(
	value: unknown,
	field: string,
	{ minValue, maxValue, numberPrecision }: NumberLimits = {},
	hint = 'Enter digits from 0 to 9. Decimals, where there may be some, follow a point.',
): number | undefined {
	if (isEmpty(value)) return undefined;
	const isWhole = numberPrecision === 0;
	const least = minValue ?? (isWhole ? -(2 ** 31) : -Infinity);
	const most = maxValue ?? (isWhole ? 2 ** 31 - 1 : Infinity);
	const number = typeof value === 'string' ? Number(value) : value;
	const isKind = isWhole ? Number.isInteger(number) : Number.isFinite(number);
	if (typeof number === 'number' && isKind && number >= least && number <= most) return number;
	const range = `${least > -Infinity ? ` from ${least}` : ''}${most < Infinity ? ` to ${most}` : ''}`;
	throw misfit(value, field, `${isWhole ? 'a whole number' : 'a number'}${range}`, hint);
}

/** True or false, also as text from an expression; `undefined` when empty. */
export function asBoolean(value: unknown, field: string): boolean | undefined {
	if (isEmpty(value)) return undefined;
	if (typeof value === 'boolean') return value;
	if (value === 'true' || value === 'false') return value === 'true';
	const hint = 'Turn it on or off, or let the expression return true or false.';
	throw misfit(value, field, 'true or false', hint);
}

/**
 * A point in time as ISO 8601 with an offset; `undefined` when empty.
 *
 * @param zone IANA name of the zone in which a value without one is read (the workflow's)
 */
export function asTimestamp(value: unknown, field: string, zone: string): string | undefined {
	if (isEmpty(value)) return undefined;
	const iso = parseTimestamp(value, zone);
	if (iso !== undefined) return iso;
	const [, amount, unit] = (typeof value === 'string' && DURATION.exec(value)) || [];
	const hint =
		amount === undefined
			? 'Pick one in the editor, or use an ISO 8601 value such as 2030-01-31T09:00:00Z or an expression such as {{ $now }}.'
			: `For a time from now, enter the expression {{ $now.plus(${amount}, '${unit}s') }}.`;
	throw misfit(value, field, 'a date and time', hint);
}

const DURATION = /^\s*(\d{1,5})\s*(minute|hour|day|week|month)s?\s*$/;

// ISO 8601 as the editor's picker, JS dates and Luxon write it. A space in place of the T is allowed. n8n would read
// looser text ("May", "9 PM") in the server's zone instead of the workflow's.
const ISO_DATE_TIME =
	/^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)? ?(?:Z|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]+\])?)?$/i;

function parseTimestamp(value: unknown, zone: string): string | undefined {
	try {
		// Dates of another realm or another copy of Luxon fail instanceof, but all have a method for JSON.
		const text = typeof value === 'object' ? (value as { toJSON?: () => unknown }).toJSON?.() : value;
		// A bare number is refused: it could be seconds or milliseconds.
		const date = typeof text === 'string' ? ISO_DATE_TIME.exec(text.trim())?.[1] : undefined;
		if (date === undefined) return undefined;
		const parsed = tryToParseDateTime(text, zone);
		// February 30 would become March 2: refuse it instead.
		return parsed.year >= 1 && parsed.toISODate() === date ? (parsed.toISO() ?? undefined) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * A JSON object, given as an object or as JSON text; `undefined` when empty. The result has plain JSON values only.
 * An error gives the position of the fault and an example; it never quotes the text, which may contain a secret.
 */
export function asJsonObject(
	value: unknown,
	field: string,
	example = '{"name": "value"}',
	hint = `Write it like ${example}: names and text in double quotes, no comma after the last field. ${DATA_IN_JSON}.`,
): JsonObject | undefined {
	return asJson(value, field, 'object', isPlainObject, hint);
}

/** A JSON list, given as a list or as JSON text; otherwise like `asJsonObject`. */
export function asJsonList(value: unknown, field: string, example: string): unknown[] | undefined {
	const hint = `Write it like ${example}: in square brackets, names and text in double quotes, no comma after the last entry.`;
	return asJson(value, field, 'list', Array.isArray, hint);
}

/** The value of JSON text, or a copy of an object or list that has plain JSON values only. */
function asJson<T>(
	value: unknown,
	field: string,
	kind: string,
	isOfKind: (json: unknown) => json is T,
	hint: string,
): T | undefined {
	if (isEmpty(value)) return undefined;
	let reason: string;
	try {
		const text = isOfKind(value) ? JSON.stringify(value) : value;
		const json: unknown = typeof text === 'string' ? JSON.parse(text) : text;
		if (isOfKind(json)) return json;
		reason = `needs a JSON ${kind}, but ${typeof json === 'string' ? 'it is text' : described(json)}`;
	} catch (error) {
		reason = typeof value === 'string' ? faultIn(value, error) : "can't be converted to JSON";
	}
	throw new InvalidParameter(field, reason, hint);
}

/** The position of a fault in JSON text, from V8's error. The error also quotes the text, which may contain a secret. */
function faultIn(text: string, error: unknown): string {
	const position = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(error))?.[1];
	if (position === undefined) return 'is not valid JSON';
	const lines = text.slice(0, Number(position)).split(/\r\n|\r|\n/);
	return `is not valid JSON: check line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
