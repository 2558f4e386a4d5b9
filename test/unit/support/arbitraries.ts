import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../../../nodes/Messaging/input/uuid.ts';
import { type Schema, schemaNamed } from '../../../api/interface.ts';

/** The number of runs in `npm test`, the same every time: see `test/fast-check.cjs`. */
export const runs = (numRuns: number) => ({ numRuns });

/** Non-blank text in any script. */
export const text = fc
	.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
	.filter((value) => value.trim() !== '');

/**
 * Any character, as the unit of a text. fast-check's own unit "binary" first lists all of them, which takes a second in
 * each file.
 */
export const character = fc
	.oneof(
		{ weight: 4, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
		{ weight: 1, arbitrary: fc.integer({ min: 0, max: 0xd7ff }) },
		{ weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
	)
	.map((code) => String.fromCodePoint(code));

/** A simple e-mail address. */
export const email = fc
	.tuple(fc.stringMatching(/^[\w.+-]{1,12}$/), fc.domain())
	.map(([name, host]) => `${name}@${host}`);

/** A 32-bit integer, often one of the limits. */
export const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

/** A timestamp in years that people plan for. */
export const instant = fc.date({
	min: new Date('1970-01-02T00:00:00Z'),
	max: new Date('2900-01-01T00:00:00Z'),
	noInvalidDate: true,
});

/** A JSON object with any fields. */
export const jsonObject = fc.dictionary(
	fc.string({ unit: 'grapheme', maxLength: 8 }),
	fc.jsonValue({ maxDepth: 2 }),
	{ maxKeys: 4 },
);

/** A timestamp in every form that a parameter accepts. */
const timestamp = instant.chain((date) => inAnyForm(date));

/** A timestamp that is in the future in all unit tests, and for some years in all others. */
const toCome = fc
	.date({ min: new Date('2040-01-02T00:00:00Z'), max: new Date('2900-01-01T00:00:00Z'), noInvalidDate: true })
	.chain((date) => inAnyForm(date));

const inAnyForm = (date: Date) =>
	fc.constantFrom<unknown>(
		date,
		date.toISOString(),
		date.toISOString().slice(0, 19),
		date.toISOString().slice(0, 10),
		` ${date.toISOString()} `,
		DateTime.fromJSDate(date, { zone: 'America/New_York' }),
		DateTime.fromJSDate(date, { zone: 'Asia/Kolkata' }).toISO(),
	);

/**
 * A value that a schema of the API accepts; objects have at least one field.
 *
 * @param required fields that are always present; nested ones as paths with dots
 */
export function valueOf(schema: Schema, required: readonly string[] = []): fc.Arbitrary<unknown> {
	if (schema.$ref !== undefined) return valueOf(schemaNamed(schema.$ref), required);
	const types = [schema.type ?? []].flat();
	if (schema.format === 'uuid') return fc.uuid();
	if (schema.format === 'date-time') return instant.map((date) => date.toISOString());
	if (types.includes('integer')) return int32;
	if (types.includes('boolean')) return fc.boolean();
	if (types.includes('string')) return text;
	if (types.includes('array'))
		return fc.uniqueArray(valueOf(schema.items ?? {}), { minLength: 1, maxLength: 5 });
	return objectOf(schema, required);
}

function objectOf(schema: Schema, required: readonly string[]): fc.Arbitrary<object> {
	const known = Object.entries(schema.properties ?? {}).map(([name, member]) => {
		const inside = required.filter((path) => path.startsWith(`${name}.`));
		const own = inside.map((path) => path.slice(name.length + 1));
		return [name, name === 'email' ? email : valueOf(member, own)] as const;
	});
	const others = schema.additionalProperties === true ? jsonObject : fc.constant({});
	return fc
		.tuple(
			others,
			fc.record(Object.fromEntries(known), { requiredKeys: required.filter((path) => !path.includes('.')) }),
		)
		.map(([other, own]) => withoutNulls({ ...other, ...own }))
		.filter((object) => Object.keys(object).length > 0);
}

/** In an object of the API, null means that a field is missing. */
function withoutNulls(object: object): object {
	return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** The fields of an address of any kind; at least one says where it is. */
export const addressFields = valueOf({ $ref: 'Address' }).filter((address) => {
	const { type: _, name, ...others } = address as Record<string, unknown>;
	const telling = Object.keys(others).length > 0 ? Object.values(others) : [name];
	return telling.some((value) => value !== undefined && (typeof value !== 'string' || value.trim() !== ''));
});

/** The fields of an address as rows, without those that have a special meaning. */
export const addressRows = fc.uniqueArray(
	fc.record({ name: text.filter((name) => !['type', 'email'].includes(name.trim())), value: text }),
	{ minLength: 1, maxLength: 5, selector: ({ name }) => name.trim() },
);

/** The fields of the form for a question's answer, by n8n's names. */
const questionForm = fc.uniqueArray(
	fc.record(
		{
			fieldLabel: text.filter((label) => label.trim() !== 'respondedAt'),
			fieldType: fc.constantFrom(
				...['checkbox', 'date', 'dropdown', 'email', 'number', 'radio', 'text', 'textarea'],
			),
			fieldOptions: fc
				.uniqueArray(text, { minLength: 1, maxLength: 4, selector: (option) => option.trim() })
				.map((options) => ({ values: options.map((option) => ({ option })) })),
			requiredField: fc.boolean(),
		},
		{ requiredKeys: ['fieldLabel', 'fieldOptions'] },
	),
	{ minLength: 1, maxLength: 4, selector: ({ fieldLabel }) => fieldLabel.trim() },
);

/** Fields of a message's content that the API does not show. */
export const otherContent = jsonObject.filter((object) =>
	Object.keys(object).every((name) => !contentFields.includes(name.toLowerCase())),
);

const contentFields = Object.keys(schemaNamed('MessageContent').properties ?? {}).map((name) =>
	name.toLowerCase(),
);

/** The schemas of JSON parameters with a known shape. */
const JSON_SCHEMAS: Readonly<Record<string, Schema>> = {
	from: { $ref: 'Address' },
	quotedMessage: { $ref: 'QuotedMessage' },
	referralAds: { $ref: 'ReferralAds' },
	package: { $ref: 'MessagePackage' },
};

/** A value that a parameter accepts, from the editor or an expression. */
export function validFor(property: INodeProperties): fc.Arbitrary<unknown> {
	const { name, type, typeOptions } = property;
	switch (type) {
		case 'boolean':
			return fc.oneof(fc.boolean(), fc.constantFrom('true', 'false'));
		case 'number': {
			if (name === 'resumeAmount') return fc.double({ min: 0.01, max: 1e6, noNaN: true });
			const number = fc.integer({
				min: typeOptions?.minValue ?? -(2 ** 31),
				max: typeOptions?.maxValue ?? 2 ** 31 - 1,
			});
			return fc.oneof(number, number.map(String));
		}
		case 'dateTime':
			return name === 'maxDateAndTime' ? toCome : timestamp;
		case 'json': {
			if (name === 'jsonOutput') return fc.oneof(questionForm, questionForm.map(toJson));
			if (name === 'otherContent') return fc.oneof(otherContent, otherContent.map(toJson));
			if (name === 'toFields') return fc.oneof(addressFields, addressFields.map(toJson));
			const schema = JSON_SCHEMAS[name];
			const object =
				schema === undefined
					? jsonObject
					: valueOf(schema, name === 'package' ? ['content', 'content.to', 'content.to.email'] : []);
			return fc.oneof(object, object.map(toJson));
		}
		case 'options':
			return fc.constantFrom(...choicesOf(property));
		case 'multiOptions':
			return fc.subarray(choicesOf(property));
		case 'resourceLocator':
			return fc.oneof(
				idOf(property),
				idOf(property).map((value) => ({ __rl: true, mode: 'id', value })),
			);
		case 'collection':
			return collectionOf(property, validFor);
		case 'fixedCollection':
			if (name === 'toRows') return addressRows.map((values) => ({ values }));
			if (name === 'formFields') return questionForm.map((values) => ({ values }));
			return typeOptions?.multipleValues === true ? rowsOf(property, text) : groupOf(property);
		case 'resourceMapper':
			return form(jsonObject);
		default:
			return name === 'toEmail' ? email : idOf(property);
	}
}

const toJson = (value: unknown): string => JSON.stringify(value);

/** A value for a field that names something: a UUID if the editor's example is one, else text or a number. */
function idOf({ name, placeholder = '', modes = [] }: INodeProperties): fc.Arbitrary<unknown> {
	const example = modes.find(({ type }) => type === 'string')?.placeholder ?? placeholder;
	if (!example.includes(UUID_EXAMPLE)) return /^e\.g\. \d+$/.test(example) && modes.length > 0 ? int32 : text;
	if (!name.endsWith('s')) return fc.uuid();
	const several = fc.array(fc.uuid(), { minLength: 1, maxLength: 5 });
	return fc.oneof(
		fc.uuid(),
		several,
		several.map((uuids) => uuids.join(', ')),
	);
}

function choicesOf({ options = [] }: INodeProperties): unknown[] {
	return options.flatMap((option) => ('value' in option ? [option.value] : []));
}

function collectionOf(
	property: INodeProperties,
	value: (member: INodeProperties) => fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
	const members = (property.options ?? []).flatMap((option) => ('type' in option ? [option] : []));
	// Only the collection with an update's fields must not be empty.
	const minLength = property.name === 'updateFields' ? 1 : 0;
	return fc
		.subarray(members, { minLength, maxLength: Math.min(5, members.length) })
		.chain((some) => fc.record(Object.fromEntries(some.map((member) => [member.name, value(member)]))));
}

/** A fixed collection with one group, filled in. */
function groupOf({ options = [] }: INodeProperties): fc.Arbitrary<object> {
	const [group] = options.flatMap((option) => ('values' in option ? [option] : []));
	if (group === undefined) return fc.constant({});
	const members = fc.record(
		Object.fromEntries(group.values.map((member) => [member.name, validFor(member)])),
	);
	return members.map((values) => ({ [group.name]: values }));
}

function rowsOf(property: INodeProperties, value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
	const [table] = (property.options ?? []).flatMap((option) => ('values' in option ? [option] : []));
	if (table === undefined) return fc.constant({});
	const row = fc.record(Object.fromEntries(table.values.map((column) => [column.name, value])));
	return fc.record({ [table.name]: fc.array(row, { maxLength: 4 }) });
}

/** A filled-in form as n8n saves it: its fields and their values. */
function form(
	entries: fc.Arbitrary<unknown>,
	schema: fc.Arbitrary<unknown> = fc.constant([]),
): fc.Arbitrary<object> {
	return fc.record({ mappingMode: fc.constant('defineBelow'), value: entries, schema });
}

const FIELD_TYPES = ['string', 'number', 'boolean', 'dateTime', 'time', 'object', 'array', 'options', 'url'];
const fieldName = fc.constantFrom('host', 'port', '__proto__');
const formField = fc.record(
	{ id: fieldName, displayName: text, type: fc.constantFrom(...FIELD_TYPES), required: fc.boolean() },
	{ requiredKeys: ['id'] },
);

const circular: { self?: unknown } = {};
circular.self = circular;

/** Almost valid values for every kind of parameter. */
const nearMiss = fc.oneof(
	fc.constantFrom<unknown>(
		'',
		' ',
		null,
		undefined,
		'null',
		'{}',
		'[]',
		'{',
		'{"a":1,}',
		'true ',
		'yes',
		'1.5',
		'1e400',
		'12abc',
	),
	fc.constantFrom<unknown>(
		2 ** 31,
		-(2 ** 31) - 1,
		0.5,
		-0,
		NaN,
		Infinity,
		10n,
		new Date(NaN),
		DateTime.invalid('test'),
		circular,
	),
	fc.constantFrom<unknown>(
		'2030-02-30',
		'2030-13-01T00:00:00',
		'31.01.2030',
		'+010000-01-01',
		'2030-01-31 9 PM',
		1893456000,
	),
	fc.constantFrom<unknown>(
		Symbol('s'),
		() => 'x',
		/x/,
		new Map([['a', 1]]),
		runInNewContext('({ a: { b: 1 } })'),
		runInNewContext('[1]'),
	),
	fc.constantFrom<unknown>('{"__proto__":{"a":1}}', '{"constructor":1,"toString":2}', {
		content: { to: 'ada@example.com' },
	}),
	fc.uuid().map((uuid) => uuid.slice(1)),
	fc.uuid().map((uuid) => `${uuid}/cancel`),
	fc.uuid().map((uuid) => ({ __rl: true, mode: 'id', value: [uuid] })),
	fc.uuid().map((value) => ({ value })),
	text.map((value) => ({ __rl: true, mode: 'list', value })),
	text,
	int32,
	jsonObject,
	jsonObject.map((value) => ({
		schema: [{ id: 'a', displayName: 'A', type: 'number', required: true }],
		value,
	})),
);

const junk = fc.anything({
	maxDepth: 2,
	withBigInt: true,
	withBoxedValues: true,
	withDate: true,
	withMap: true,
	withNullPrototype: true,
	withObjectString: true,
	withSet: true,
	withSparseArray: true,
	withTypedArray: true,
});

/** Anything that an expression may return for a parameter: mostly valid, sometimes almost valid, or junk. */
export function anyFor(property: INodeProperties): fc.Arbitrary<unknown> {
	return fc.oneof(
		{ weight: 18, arbitrary: mostlyFitting(property) },
		{ weight: 2, arbitrary: nearMiss },
		{ weight: 1, arbitrary: junk },
	);
}

/** A valid value, though nested ones may be invalid. */
function mostlyFitting(property: INodeProperties): fc.Arbitrary<unknown> {
	switch (property.type) {
		case 'collection':
			return collectionOf(property, anyFor);
		case 'fixedCollection':
			return rowsOf(property, fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: junk }));
		case 'resourceMapper':
			return form(
				fc.dictionary(fieldName, fc.oneof(text, int32, jsonObject, nearMiss)),
				fc.uniqueArray(formField, { selector: ({ id }) => id, maxLength: 3 }),
			);
		default:
			return validFor(property);
	}
}
