/** Values that items of several operations hold. */
import fc from 'fast-check';
import { mostly, type Drawn } from '../draw.ts';

export const recipients = ['r0', 'r1', 'r2', 'r3'].map((name) => `${name}@example.com`);

/** The channel of the operations for which it does not matter. */
export const channelId = '7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b11';

const goodText = fc
	.oneof(
		{ weight: 8, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				'x'.repeat(200_000),
				'👩‍👩‍👧‍👦'.repeat(2000),
				'{{ 1 + 1 }}',
				'=1',
				'\u0000 \u202e',
			),
		},
	)
	.filter((text) => text.trim() !== '');
const badText = fc.constantFrom<unknown>('', null, undefined, 'half a character: \uD800');
const oddText = fc.constantFrom<unknown>(5, 0, false, {}, ['a'], { a: { b: 1 } }, ' ');

/** Text that is needed. */
export const texts: fc.Arbitrary<Drawn> = mostly(goodText, badText, oddText);

/** Once keys as items hold them: few enough that some items share one, and some that look alike. */
const goodKey = fc.oneof(
	{ weight: 8, arbitrary: fc.nat(39).map((number) => `k${String(number).padStart(2, '0')}`) },
	{
		weight: 2,
		arbitrary: fc.constantFrom<unknown>(
			' k00 ',
			'K00',
			5,
			'5',
			'__proto__',
			'constructor',
			'é',
			'e\u0301',
			'k'.repeat(500),
		),
	},
);
const badKey = fc.constantFrom<unknown>('', '  ', null, undefined, {}, { a: 1 }, 'undefined');

const keys = mostly(goodKey, badKey);

/** The once key of an item; without the option, any value does. */
export function keysOf(isKeyed: boolean): fc.Arbitrary<Drawn> {
	return isKeyed ? keys : keys.map(({ value }) => ({ value, isGood: true }));
}

/** A once key as the node reads it. */
export function readKey(value: unknown): string {
	return String(value).trim().normalize('NFC');
}

/** Other fields of items. */
export const more: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
	{ weight: 8, arbitrary: fc.constant({}) },
	{ weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }) },
);

/** An item's fields, without those that have no value. */
export function fields(...all: ReadonlyArray<Record<string, unknown>>): Record<string, unknown> {
	const entries = all.flatMap((some) => Object.entries(some));
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
