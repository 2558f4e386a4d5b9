import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';

import { References } from '../../../nodes/Messaging/editor/form/references.ts';
import { checks } from '../../../nodes/Messaging/editor/form/rules.ts';
import { Effort } from '../../../nodes/Messaging/json/effort.ts';
import { firstMismatch } from '../../../nodes/Messaging/fields/json-schema.ts';
import type { JsonObject } from '../../../nodes/Messaging/json/plain-object.ts';
import { Counted } from '../support/counted.ts';

/** The rules of a schema, all of them. */
const rulesOf = (schema: JsonObject): JsonObject =>
	checks(schema, new References(schema, new Effort(Infinity)), new Effort(Infinity), 8);

const says = (value: unknown, schema: unknown): string | undefined => {
	const mismatch = firstMismatch(value, schema);
	return mismatch && [mismatch.path.join('/'), mismatch.reason].filter(Boolean).join(' ');
};

describe('what does not fit is named', () => {
	test.each<[unknown, object, string | undefined]>([
		['x', { type: 'string' }, undefined],
		[5, { type: 'string' }, 'needs text, but it is 5'],
		[1.5, { type: 'integer' }, 'needs a whole number, but it is 1.5'],
		[null, { type: ['string', 'null'] }, undefined],
		['c', { enum: ['a', 'b'] }, 'needs one of "a", "b", but it is "c"'],
		['c', { const: 'a' }, 'needs to be "a", but it is "c"'],
		[0, { minimum: 1 }, 'needs 1 or more, but it is 0'],
		[9, { maximum: 8 }, 'needs 8 or less, but it is 9'],
		[1, { exclusiveMinimum: 1 }, 'needs more than 1, but it is 1'],
		[1, { exclusiveMaximum: 1 }, 'needs less than 1, but it is 1'],
		[0.3, { multipleOf: 0.1 }, undefined],
		[0.35, { multipleOf: 0.1 }, 'needs a multiple of 0.1, but it is 0.35'],
		['ab', { minLength: 3 }, 'needs at least 3 characters, but it has 2'],
		['😀😀', { maxLength: 2 }, undefined],
		['abc', { maxLength: 2 }, 'takes at most 2 characters, but it has 3'],
		['1', { pattern: '^[a-z]$' }, 'needs text of the form ^[a-z]$, but it is "1"'],
		['nobody', { format: 'email' }, 'needs text of the kind "email", but it is "nobody"'],
		['nowhere', { format: 'uri' }, 'needs text of the kind "uri", but it is "nowhere"'],
		[[1], { minItems: 2 }, 'needs at least 2 entries, but it has 1'],
		[[1, 1], { uniqueItems: true }, 'has an entry twice, which this list may not'],
		[['a', 1], { items: { type: 'string' } }, '1 needs text, but it is 1'],
		[{}, { required: ['a'] }, 'a is missing'],
		[
			{ a: { b: 1 } },
			{ properties: { a: { properties: { b: { type: 'string' } } } } },
			'a/b needs text, but it is 1',
		],
		[
			{ b: 1 },
			{ properties: {}, additionalProperties: false },
			'b is a field that this channel type does not have',
		],
		[
			true,
			{ anyOf: [{ type: 'string' }, { type: 'number' }] },
			'fits none of the forms that it may have: it is true',
		],
	])('%j against %j: %s', (value, schema, expected) => {
		expect(says(value, schema)).toBe(expected);
	});
});

test('unknown keywords, unknown formats and patterns that are none say nothing', () => {
	expect(says('x', { type: 'string', format: 'colour', pattern: '(', if: {}, 'x-ui': 1 })).toBeUndefined();
});

test('a pattern that could run for ages is left to the service', () => {
	expect(says(`${'a'.repeat(40)}!`, { pattern: '^(a+)+$' })).toBeUndefined();
	expect(says(`${'a'.repeat(40)}!`, { pattern: '^a+$' })).toContain('needs text of the form ^a+$');
});

describe('what takes too much is left to the service, not refused', () => {
	const wrong = { type: 'string' };
	/** A rule nested in itself. */
	const nested = (depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown => {
		let rule = innermost;
		for (let level = 0; level < depth; level++) rule = wrap(rule);
		return rule;
	};

	test.each<[string, unknown, unknown]>([
		[
			'branches in branches, for each entry of a list',
			Array.from({ length: 5_000 }, () => 1),
			{ items: { anyOf: [nested(10, (inner) => ({ anyOf: [inner, inner] }), wrong), {}] } },
		],
		[
			'a long list that may hold nothing twice',
			Array.from({ length: 500_000 }, (_, n) => n),
			{ uniqueItems: true },
		],
		[
			'a long list of choices, for each entry of a list',
			Array.from({ length: 5_000 }, () => ({ n: 4_999 })),
			{ items: { enum: Array.from({ length: 5_000 }, (_, n) => ({ n })) } },
		],
		[
			'a long list of required fields',
			Array.from({ length: 5_000 }, () => ({})),
			{ items: { required: Array.from({ length: 5_000 }, () => 7) } },
		],
	])('%s', (_name, value, schema) => {
		const counted = new Counted(2_000_000);
		expect(firstMismatch(counted.watch(value), counted.watch(schema))).toBeUndefined();
	});

	const deepList = nested(50_000, (inner) => [inner], 1);
	const deepObject = nested(50_000, (inner) => ({ a: inner }), 1);
	test.each<[string, unknown, unknown]>([
		['a rule for every level', deepList, nested(50_000, (inner) => ({ items: inner }), wrong)],
		['a rule for every branch', 1, nested(50_000, (inner) => ({ anyOf: [inner] }), wrong)],
		['choices', deepList, { enum: [nested(50_000, (inner) => [inner], 2)] }],
		['a fixed value', deepObject, { const: nested(50_000, (inner) => ({ a: inner }), 2) }],
		['entries that may not be the same', [deepObject, deepObject], { uniqueItems: true }],
	])('values nested very deeply: %s', (_name, value, schema) => {
		expect(firstMismatch(value, schema)).toBeUndefined();
	});

	test('what a deeply nested choice looks like does not get into the error', () => {
		expect(says(1, { enum: [deepList] })).toBe('needs one of …, but it is 1');
		expect(says('x', { enum: Array.from({ length: 1_000 }, (_, n) => n) })).toMatch(/ 18, 19, …, but/);
	});

	test('the fields of an item share what they may take', () => {
		const effort = new Effort(2_000);
		const list = Array.from({ length: 600 }, () => 1);
		expect(firstMismatch([...list, 'x'], { items: { type: 'integer' } }, effort)?.path).toEqual(['600']);
		expect(firstMismatch([...list, 'x'], { items: { type: 'integer' } }, effort)).toBeUndefined();
	});
});

describe('against a full implementation of JSON Schema', () => {
	const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: false }));
	const leaf = fc.oneof(
		fc.record(
			{ type: fc.constant('integer'), minimum: fc.integer({ max: 5 }), maximum: fc.integer({ min: 6 }) },
			{ requiredKeys: ['type'] },
		),
		fc.record(
			{ type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.nat(9) },
			{ requiredKeys: ['type'] },
		),
		fc.constant({ type: 'boolean' }),
		fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1, 2), { minLength: 1 }) }),
		fc.constant({ type: ['string', 'null'] }),
	);
	const schema = fc.letrec<{ schema: object }>((tie) => ({
		schema: fc.oneof(
			{ maxDepth: 3 },
			leaf,
			fc.record(
				{ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(3) },
				{ requiredKeys: ['type'] },
			),
			fc.record(
				{
					type: fc.constant('object'),
					properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
					required: fc.uniqueArray(fc.constantFrom('a', 'b')),
					additionalProperties: fc.boolean(),
				},
				{ requiredKeys: ['type'] },
			),
			fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
			fc.record({ allOf: fc.tuple(tie('schema')) }),
		),
	})).schema;
	const value = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ maxDepth: 2 },
			fc.constantFrom<unknown>('a', 'b', '', 1, 2, 7, -3, 1.5, true, null, 'longer text'),
			fc.array(tie('value'), { maxLength: 3 }),
			fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
		),
	})).value;

	test('the same values fit', () => {
		fc.assert(
			fc.property(schema, value, (given, candidate) => {
				expect(firstMismatch(candidate, rulesOf({ ...given })) === undefined).toBe(
					ajv.validate(given, candidate),
				);
			}),
			{ numRuns: 1_000, seed: 1 },
		);
	});
});
