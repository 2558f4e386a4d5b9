import fc from 'fast-check';

import { type Choice, isOpening, menuOf, type Search } from '../../../nodes/Messaging/methods/menu.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { TURN_MS } from '../../../nodes/Messaging/shared/turns.ts';

afterEach(() => jest.restoreAllMocks());

/** The n-th sample ID. */
const uuid = (n: number): string => `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`;

const choice = (n: number, ...parts: string[]): Choice => ({ id: uuid(n), parts });

const menu = async (choices: Choice[], search: Search = {}) => {
	const result = await menuOf(choices, search);
	if (result === undefined) throw new Error('There is nothing to pick');
	return result;
};

/** The labels of the first page, in order. */
const labels = async (choices: Choice[], filter?: string): Promise<string[]> =>
	(await menu(choices, { filter })).results.map(({ name }) => name);

describe('the order', () => {
	test('is what can be used first, then by label, numbers by their size, whatever the case and the accents', async () => {
		const names = ['zebra', 'Store 10', 'Éclair', 'store 2', 'Apple', 'eagle'];
		expect(await labels(names.map((name, n) => choice(n, name)))).toEqual([
			...['Apple', 'eagle', 'Éclair', 'store 2', 'Store 10', 'zebra'],
		]);
		expect(await labels([{ ...choice(1, 'a'), last: true }, choice(2, 'c'), choice(3, 'b')])).toEqual([
			...['b', 'c', 'a'],
		]);
	});

	test('is the same however the service orders them', async () => {
		const same = [3, 1, 2].map((n) => choice(n, 'Same'));
		const ids = async (choices: Choice[]) => (await menu(choices)).results.map(({ value }) => value);
		expect(await ids(same)).toEqual([uuid(1), uuid(2), uuid(3)]);
		expect(await ids([...same].reverse())).toEqual([uuid(1), uuid(2), uuid(3)]);
	});
});

describe('a label', () => {
	test('is what is known of an entry; the ID where that is nothing', async () => {
		expect(await labels([choice(1, 'Shop', '', 'E-mail', 'SMTP'), choice(2, '', ' ')])).toEqual([
			uuid(2),
			'Shop · E-mail · SMTP',
		]);
	});

	test('that several have ends with what differs: the end of the ID, or all of it', async () => {
		expect(await labels([choice(1, 'Shop'), choice(2, 'Shop'), choice(3, 'Mail')])).toEqual([
			'Mail',
			'Shop · …000001',
			'Shop · …000002',
		]);
		const ids = ['a0000001', 'b0000001'];
		expect(await labels(ids.map((id) => ({ id, parts: ['Shop'] })))).toEqual(
			ids.map((id) => `Shop · …000001 · ${id}`),
		);
	});

	test('is on one line and of a bearable length', async () => {
		const [label = ''] = await labels([choice(1, 'two\nlines\t\u202e', '😀'.repeat(100_000))]);
		expect(label).toMatch(/^two lines · 😀+…$/u);
		expect([...label].length).toBeLessThanOrEqual(120);
	});

	test('is never an expression, whatever the service calls things', async () => {
		const text = fc.oneof(fc.constantFrom('={{ $env }}', '=', ' =x', '\n==', '\u00a0=', ''), fc.string());
		await fc.assert(
			fc.asyncProperty(fc.array(fc.array(text, { maxLength: 3 })), async (given) => {
				const all = await labels([choice(0), ...given.map((parts, n) => choice(n + 1, ...parts))]);
				expect(all.filter((label) => /^\s*=/.test(label))).toEqual([]);
			}),
			{ seed: 1 },
		);
	});

	test('tells all entries apart', async () => {
		const word = fc.constantFrom('Support', 'support', 'Shop', 'A', '😀', '');
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(word, { maxLength: 3 }), { minLength: 1, maxLength: 30 }),
				async (given) => {
					const all = await labels(given.map((parts, n) => choice(n, ...parts)));
					expect(new Set(all).size).toBe(given.length);
				},
			),
			{ seed: 2 },
		);
	});
});

describe('searching', () => {
	const choices = [
		choice(1, 'Warehouse for the region North East', 'Mailgun'),
		choice(2, 'Warehouse for the region North West', 'SMTP'),
		choice(3, 'Café (SHOP)', 'SMTP'),
	];
	const found = async (filter: string) => (await menu(choices, { filter })).results.map(({ value }) => value);

	test.each([
		['', [uuid(3), uuid(1), uuid(2)]],
		['the region', [uuid(1), uuid(2)]],
		['SMTP region', [uuid(2)]],
		['smtp', [uuid(3), uuid(2)]],
		[' cafe ', [uuid(3)]],
		[uuid(1).slice(-12), [uuid(1)]],
		['nowhere', []],
		['shop '.repeat(100_000), [uuid(3)]],
	])('%.20j', async (filter, expected) => {
		expect(await found(filter)).toEqual(expected);
	});

	test('of several choices with one ID the first counts, and one that can not be picked is left out', async () => {
		const twice = [choice(1, 'first'), undefined, choice(1, 'second')];
		expect(await menuOf(twice, {})).toEqual({ results: [{ name: 'first', value: uuid(1) }] });
		expect(await menuOf([undefined], { filter: 'x' })).toBeUndefined();
	});

	test('a page shows fifty, and says where the next begins', async () => {
		const many = Array.from({ length: 120 }, (_, n) => choice(n, `Channel ${n}`));
		const pages = [await menu(many, { filter: 'channel' })];
		for (let page = 1; page < 3; page++) {
			pages.push(await menu(many, { paginationToken: pages[page - 1]?.paginationToken as string }));
		}
		expect(pages.map(({ results }) => results.length)).toEqual([50, 50, 20]);
		expect(pages[2]?.paginationToken).toBeUndefined();
		const values = pages.flatMap(({ results }) => results.map(({ value }) => value));
		expect(values).toEqual(many.map(({ id }) => id));
	});

	test('opening is the first page with nothing typed', () => {
		expect([{}, { filter: '' }].map(isOpening)).toEqual([true, true]);
		expect([{ filter: 'a' }, { paginationToken: '50' }].map(isOpening)).toEqual([false, false]);
	});
});

test('a long menu is made in many turns of the event loop', async () => {
	// Each reading of the clock uses up a turn, so there is a pause after each entry.
	let now = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => (now += TURN_MS));
	const sleep = jest.spyOn(systemClock, 'sleep').mockResolvedValue();
	await menu(Array.from({ length: 1_000 }, (_, n) => choice(n, `Channel ${n % 500}`)));
	// Once for the labels and once for the search.
	expect(sleep).toHaveBeenCalledTimes(2 * 1_000);
});
