import { InvalidParameter } from './invalid-parameter';
import { firstMismatch, typesIn } from './json-schema';
import * as values from './values';

/**
 * What was entered into a field of a form, in the type that its schema wants and checked against it; `undefined` when
 * nothing was entered.
 *
 * @param entry what the editor's widget or an expression holds
 * @param schema what the value has to fit
 * @param label the field's label
 * @param about what the field is for, '' when unknown
 * @param zone IANA name of the zone in which a point in time without one is read
 * @throws InvalidParameter when it does not fit
 */
export function fromEntry(
	entry: unknown,
	schema: values.JsonObject,
	label: string,
	about: string,
	zone: string,
): unknown {
	if (values.isEmpty(entry)) return undefined;
	const value = typed(entry, schema, label, zone);
	const mismatch = firstMismatch(value, schema);
	if (mismatch === undefined) return value;
	throw new InvalidParameter(
		[label, ...mismatch.path].join(' > '),
		mismatch.reason,
		`${about === '' ? '' : `${about.replace(/\.?$/, '.')} `}Correct it: the rule comes from the schema of the channel type.`,
	);
}

function typed(entry: unknown, schema: values.JsonObject, label: string, zone: string): unknown {
	const types = typesIn(schema).filter((type) => type !== 'null');
	if (types.length !== 1) return anyOfTypes(entry, schema);
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
function anyOfTypes(entry: unknown, schema: values.JsonObject): unknown {
	if (typeof entry !== 'string') return entry;
	const parsed = parseJson(entry);
	const fits = (value: unknown): boolean => firstMismatch(value, schema) === undefined;
	return parsed !== undefined && (fits(parsed) || !fits(entry)) ? parsed : entry;
}

function fromJson(entry: unknown, label: string): unknown {
	const parsed = typeof entry === 'string' ? parseJson(entry) : entry;
	if (parsed !== undefined) return parsed;
	throw new InvalidParameter(
		label,
		'holds no valid JSON',
		'Write it like ["one", "two"]: text in double quotes, entries separated by commas, none after the last.',
	);
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
