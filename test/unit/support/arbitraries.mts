import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';

import { type Schema, schemaNamed } from '../../../api/interface.mts';

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
	.tuple(fc.stringMatching(/^[\w+-]{1,6}(?:\.[\w+-]{1,6})?$/), fc.domain())
	.map(([name, host]) => `${name}@${host}`);

/** A 32-bit integer, often one of the limits. */
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

/** A timestamp in years that people plan for. */
const instant = fc.date({
	min: new Date('1970-01-02T00:00:00Z'),
	max: new Date('2900-01-01T00:00:00Z'),
	noInvalidDate: true,
});

/** A JSON object with any fields. */
const jsonObject = fc.dictionary(
	fc.string({ unit: 'grapheme', maxLength: 8 }),
	fc.jsonValue({ maxDepth: 2 }),
	{ maxKeys: 4 },
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

const FIELD_TYPES = ['string', 'number', 'boolean', 'dateTime', 'time', 'object', 'array', 'options', 'url'];
const fieldName = fc.constantFrom('host', 'port', '__proto__');
const formField = fc.record(
	{ id: fieldName, displayName: text, type: fc.constantFrom(...FIELD_TYPES), required: fc.boolean() },
	{ requiredKeys: ['id'] },
);

const circular: { self?: unknown } = {};
circular.self = circular;

/** Values that are almost what some kind of parameter takes: text, numbers, times, foreign objects, JSON. */
const almost: readonly unknown[][] = [
	['', ' ', null, undefined, 'null', '{}', '[]', '{', '{"a":1,}', 'true ', 'yes', '1.5', '1e400', '12abc'],
	[2 ** 31, -(2 ** 31) - 1, 0.5, -0, NaN, Infinity, 10n, new Date(NaN), DateTime.invalid('test'), circular],
	['2030-02-30', '2030-13-01T00:00:00', '31.01.2030', '+010000-01-01', '2030-01-31 9 PM', 1893456000],
	[Symbol('s'), () => 'x', /x/, new Map([['a', 1]]), runInNewContext('({ a: { b: 1 } })')],
	['{"__proto__":{"a":1}}', '{"constructor":1,"toString":2}', { content: { to: 'ada@example.com' } }],
];

/** Almost valid values for every kind of parameter. */
const nearMiss = fc.oneof(
	...almost.map((values) => fc.constantFrom(...values)),
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

/** Anything that an expression may return: often of a kind that some parameter accepts. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 2, arbitrary: nearMiss },
	{ weight: 1, arbitrary: junk },
	{ weight: 4, arbitrary: fc.oneof(text, email, int32, fc.boolean(), fc.uuid(), jsonObject) },
	{ weight: 1, arbitrary: instant.chain((date) => fc.constantFrom(date, date.toISOString())) },
	{ weight: 1, arbitrary: fc.uuid().map((value) => ({ __rl: true, mode: 'id', value })) },
);

/** Some of these fields, each with anything that an expression may return for it. */
export function anyOf(
	fields: readonly INodeProperties[],
	most: number,
): fc.Arbitrary<Record<string, unknown>> {
	return fc
		.subarray([...fields], { maxLength: Math.min(most, fields.length) })
		.chain((some) => fc.record(Object.fromEntries(some.map((field) => [field.name, anyFor(field)]))));
}

function anyFor({ type, options = [] }: INodeProperties): fc.Arbitrary<unknown> {
	switch (type) {
		case 'options':
			return fc.oneof(
				fc.constantFrom(...options.flatMap((option) => ('value' in option ? [option.value] : []))),
				anything,
			);
		case 'collection': {
			const members = options.flatMap((option) => ('type' in option ? [option] : []));
			return fc.oneof({ weight: 9, arbitrary: anyOf(members, 5) }, { weight: 1, arbitrary: anything });
		}
		case 'fixedCollection': {
			const [group] = options.flatMap((option) => ('values' in option ? [option] : []));
			if (group === undefined) return anything;
			const members = anyOf(group.values, 5);
			return fc.oneof(members, fc.array(members, { maxLength: 4 })).map((value) => ({ [group.name]: value }));
		}
		case 'resourceMapper':
			return fc.record({
				mappingMode: fc.constant('defineBelow'),
				value: fc.dictionary(fieldName, anything),
				schema: fc.uniqueArray(formField, { selector: ({ id }) => id, maxLength: 3 }),
			});
		default:
			return anything;
	}
}
