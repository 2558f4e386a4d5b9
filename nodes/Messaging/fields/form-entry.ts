import type { Effort } from '../json/effort';
import { InvalidParameter } from './invalid-parameter';
import { firstMismatch, typesIn } from './json-schema';
import { readJson } from './json-text';
import * as values from './values';
import type { JsonObject } from '../json/plain-object';
import { asSentence, isolated } from '../text/readable';

/**
 * What was entered into a field of a form, in the type that its schema wants and checked against it; `undefined` when
 * nothing was entered.
 *
 * @param entry what the editor's widget or an expression holds
 * @param schema what the value has to fit
 * @param label the field's label
 * @param about what the field is for, '' when unknown
 * @param zone IANA name of the zone in which a point in time without one is read
 * @param effort what checking may take; shared by the fields of an item
 * @throws InvalidParameter when it does not fit
 */
export function fromEntry(
	entry: unknown,
	schema: JsonObject,
	label: string,
	about: string,
	zone: string,
	effort: Effort,
): unknown {
	if (values.isEmpty(entry)) return undefined;
	const value = typed(entry, schema, label, zone, effort);
	const mismatch = firstMismatch(value, schema, effort);
	if (mismatch === undefined) return value;
	throw new InvalidParameter(
		[label, ...mismatch.path].join(' > '),
		mismatch.reason,
		`${about === '' ? '' : `${isolated(asSentence(about))} `}Correct it: the rule comes from the schema of the channel type.`,
	);
}

function typed(entry: unknown, schema: JsonObject, label: string, zone: string, effort: Effort): unknown {
	const types = typesIn(schema).filter((type) => type !== 'null');
	if (types.length !== 1) return anyOfTypes(entry, schema, effort);
	switch (types[0]) {
		case 'string':
			return schema.format === 'date-time'
				? values.asTimestamp(entry, label, zone)
				: values.asText(entry, label);
		case 'integer':
		case 'number':
			return typeof entry === 'string' && Number.isFinite(Number(entry)) ? Number(entry) : entry;
		case 'boolean':
			return values.asBoolean(entry, label);
		case 'object':
			return values.asJsonObject(entry, label);
		case 'array':
			return fromJson(entry, label);
		default:
			return entry;
	}
}

/** Where a schema leaves the type open, text may be JSON or may be meant as it is: whichever fits. */
function anyOfTypes(entry: unknown, schema: JsonObject, effort: Effort): unknown {
	if (typeof entry !== 'string') return entry;
	const read = readJson(entry);
	if ('fault' in read) return entry;
	const fits = (value: unknown): boolean => firstMismatch(value, schema, effort) === undefined;
	return fits(read.value) || !fits(entry) ? read.value : entry;
}

function fromJson(entry: unknown, label: string): unknown {
	const read = typeof entry === 'string' ? readJson(entry) : { value: entry };
	if ('value' in read) return read.value;
	throw new InvalidParameter(
		label,
		read.fault,
		'Write it like ["one", "two"]: text in double quotes, entries separated by commas, none after the last.',
	);
}
