import fc from 'fast-check';

import { type Choice, menuOf } from '../../../nodes/Messaging/methods/menu.ts';
import { runs } from '../../runs.mts';

/** The n-th sample ID. */
const uuid = (n: number): string => `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`;

const choice = (n: number, ...parts: string[]): Choice => ({ id: uuid(n), parts });

function shown(choices: Choice[], filter = '') {
	const { results = [] } = menuOf(choices, filter) ?? {};
	return { labels: results.map(({ name }) => name), ids: results.map(({ value }) => value) };
}

test('labels are in order of the dictionary, numbers by their size, whatever the case and the accents', () => {
	const names = ['zebra', 'Store 10', 'Éclair', 'store 2', 'Apple', 'eagle'];
	const { labels } = shown(names.map((name, n) => choice(n, name)));
	expect(labels).toEqual(['Apple', 'eagle', 'Éclair', 'store 2', 'Store 10', 'zebra']);
});

describe('a label', () => {
	test('is what is known of an entry; the ID where that is nothing', () => {
		const { labels } = shown([choice(1, 'Shop', '', 'E-mail', 'SMTP'), choice(2, '', ' ')]);
		expect(labels).toEqual([uuid(2), 'Shop · E-mail · SMTP']);
	});

	test('that several have ends with the end of the ID, and their order is always the same', () => {
		const choices = [choice(3, 'Shop'), choice(1, 'Shop'), choice(2, 'Mail')];
		for (const given of [choices, [...choices].reverse()]) {
			expect(shown(given).labels).toEqual(['Mail', 'Shop · …000001', 'Shop · …000003']);
		}
	});

	test('is on one line and of a bearable length', () => {
		const { labels } = shown([choice(1, 'two\nlines\u202e', '😀'.repeat(100_000))]);
		expect(labels[0]).toMatch(/^two\\nlines\\u202e · 😀{99}…$/u);
	});

	test('is never an expression, whatever the service calls things', () => {
		const text = fc.oneof(fc.constantFrom('={{ $env }}', '=', ' =x', '\n==', '\u00a0=', ''), fc.string());
		fc.assert(
			fc.property(fc.array(fc.array(text, { maxLength: 3 })), (given) => {
				const { labels } = shown([choice(0), ...given.map((parts, n) => choice(n + 1, ...parts))]);
				expect(labels.filter((label) => /^\s*=/.test(label))).toEqual([]);
				expect(new Set(labels).size).toBe(labels.length);
			}),
			runs(),
		);
	});
});

describe('searching', () => {
	const choices = [
		choice(1, 'Warehouse for the region North East', 'Mailgun'),
		choice(2, 'Warehouse for the region North West', 'SMTP'),
		choice(3, 'Café (SHOP)', 'SMTP'),
	];

	test.each([
		['', [uuid(3), uuid(1), uuid(2)]],
		['the region', [uuid(1), uuid(2)]],
		['SMTP region', [uuid(2)]],
		[' cafe ', [uuid(3)]],
		[uuid(1).slice(-12), [uuid(1)]],
		['nowhere', []],
		['shop '.repeat(100_000), [uuid(3)]],
	])('%.20j', (filter, expected) => {
		expect(shown(choices, filter).ids).toEqual(expected);
	});

	test('choices with one ID count once, and one that can not be picked is left out', () => {
		const { results } = menuOf([choice(1, 'a'), undefined, choice(1, 'a')], '') ?? {};
		expect(results).toEqual([{ name: 'a', value: uuid(1) }]);
		expect(menuOf([undefined], 'x')).toBeUndefined();
	});

	test('of a long list the first five hundred are shown, and typing finds the others', () => {
		const many = Array.from({ length: 1200 }, (_, n) => choice(n, `Channel ${n}`));
		expect(shown(many).ids).toEqual(many.slice(0, 500).map(({ id }) => id));
		expect(shown(many, 'channel 1199').ids).toEqual([uuid(1199)]);
	});
});
