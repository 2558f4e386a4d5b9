import fc from 'fast-check';

import { systemClock } from '../../../nodes/Messaging/time/clock.ts';
import { type Choice, menuOf } from '../../../nodes/Messaging/editor/menu.ts';
import { searchPage } from '../../../nodes/Messaging/editor/search.ts';
import { shortened } from '../../../nodes/Messaging/text/cut.ts';

/** The n-th made-up ID. */
const uuid = (n: number): string => `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`;

const choice = (n: number, name: string, more: Partial<Choice> = {}): Choice => ({
	id: uuid(n),
	name,
	marks: [],
	details: [],
	...more,
});

/** The labels of a menu with these choices, in order. */
const labels = async (choices: Choice[]): Promise<string[]> =>
	(await menuOf(choices, 'test', (entry) => entry)).map(({ shown }) => shown.name);

describe('the order', () => {
	test('is what can be used first, then by name, numbers by their size, whatever the case and the accents', async () => {
		const names = ['zebra', 'Store 10', 'Éclair', 'store 2', 'Apple', 'eagle'];
		expect(await labels(names.map((name, n) => choice(n, name)))).toEqual([
			'Apple',
			'eagle',
			'Éclair',
			'store 2',
			'Store 10',
			'zebra',
		]);
		expect(await labels([choice(1, 'a', { last: true }), choice(2, 'c'), choice(3, 'b')])).toEqual([
			'b',
			'c',
			'a',
		]);
	});

	test('is by ID where the names are the same, however the service orders them', async () => {
		const same = [3, 1, 2].map((n) => choice(n, 'Same'));
		const ids = async (choices: Choice[]) =>
			(await menuOf(choices, 'test', (entry) => entry)).map(({ shown }) => shown.value);
		expect(await ids(same)).toEqual([uuid(1), uuid(2), uuid(3)]);
		expect(await ids([...same].reverse())).toEqual([uuid(1), uuid(2), uuid(3)]);
	});

	test('is the same for a list of any length', async () => {
		const many = Array.from({ length: 3_500 }, (_, n) => choice(n, `Channel ${(n * 7_919) % 3_500}`));
		expect(await labels(many)).toEqual(Array.from({ length: 3_500 }, (_, n) => `Channel ${n}`));
	});
});

describe('a label', () => {
	const mail = (n: number, provider: string, account: string, name = 'Support E-mail') =>
		choice(n, name, { marks: [provider, 'E-mail', account], details: [provider, account] });

	test('begins with the name; what differs comes right after it, where names are the same', async () => {
		expect(await labels([mail(1, 'Mailgun', 'Shop'), mail(2, 'SMTP', 'Shop')])).toEqual([
			'Support E-mail · Mailgun · Shop',
			'Support E-mail · SMTP · Shop',
		]);
		expect(await labels([mail(1, 'SMTP', 'Shop'), mail(2, 'SMTP', 'Support')])).toEqual([
			'Support E-mail · Shop · SMTP',
			'Support E-mail · Support · SMTP',
		]);
		expect(await labels([mail(1, 'SMTP', 'Shop'), mail(2, 'SMTP', 'Shop')])).toEqual([
			'Support E-mail · …000001 · SMTP · Shop',
			'Support E-mail · …000002 · SMTP · Shop',
		]);
	});

	test('shortens a long name in its middle', async () => {
		expect(
			await labels([
				choice(1, 'Warehouse notifications for the region North East'),
				choice(2, 'Warehouse notifications for the region North West'),
			]),
		).toEqual(['Warehouse notifica…North East', 'Warehouse notifica…North West']);
	});

	test('is the ID where there is no name', async () => {
		expect(await labels([choice(7, '')])).toEqual([shortened(uuid(7), 30)]);
	});

	test('keeps the value that people know it by', async () => {
		expect(await labels([choice(1, 'E-mail', { tag: 'EMAIL' })])).toEqual(['E-mail (EMAIL)']);
		const long = 'A very long name of a kind of channel';
		for (const label of await labels([choice(1, long, { tag: 'ONE' }), choice(2, long, { tag: 'TWO' })])) {
			expect(label).toMatch(/^A very long .*\((ONE|TWO)\)$/);
			expect(label.length).toBeLessThanOrEqual(30);
		}
	});

	test('is no longer than anybody reads, however much there is to show', async () => {
		const details = Array.from({ length: 100 }, (_, n) => `Detail ${n} ${'x'.repeat(50)}`);
		for (const more of [{ details }, { details: ['x'.repeat(100_000)] }]) {
			const [label = ''] = await labels([choice(1, 'Shop', more)]);
			expect(label).toMatch(/^Shop · /);
			expect([...label].length).toBeLessThanOrEqual(201);
		}
	});

	test('of a name without an end, what stands far behind orders nothing', async () => {
		const name = 'x'.repeat(200);
		const menu = await menuOf([choice(2, `${name}a`), choice(1, `${name}b`)], 'test', (entry) => entry);
		expect(menu.map(({ shown }) => shown.value)).toEqual([uuid(1), uuid(2)]);
	});

	test('is never an expression, whatever the service calls things', async () => {
		const text = fc.oneof(fc.constantFrom('={{ $env }}', '=', ' =x', '\n==', '\u00a0=', ''), fc.string());
		await fc.assert(
			fc.asyncProperty(fc.array(fc.tuple(text, text, text)), async (given) => {
				const choices = given.map(([name, mark, tag], n) =>
					choice(n, name, { marks: [mark], details: [mark, tag], ...(tag === '' ? {} : { tag }) }),
				);
				expect((await labels(choices)).filter((label) => /^\s*=/.test(label))).toEqual([]);
			}),
			{ seed: 1 },
		);
	});

	test('tells all entries apart in the first 30 characters', async () => {
		const word = fc.constantFrom(
			'Support',
			'support',
			'Shop',
			'Warehouse notifications for region ',
			'A',
			'😀',
			'',
		);
		const name = fc.array(word, { maxLength: 4 }).map((words) => words.join(''));
		await fc.assert(
			fc.asyncProperty(fc.array(fc.tuple(name, word, word), { maxLength: 30 }), async (given) => {
				const choices = given.map(([own, ...marks], n) => choice(n, own, { marks, details: marks }));
				const heads = (await labels(choices)).map((label) => [...label].slice(0, 30).join(''));
				expect(new Set(heads).size).toBe(choices.length);
			}),
			{ numRuns: 500, seed: 2 },
		);
	});
});

describe('searching', () => {
	const choices = [
		choice(1, 'Warehouse notifications for the region North East', { details: ['Mailgun'] }),
		choice(2, 'Warehouse notifications for the region North West', { details: ['SMTP'] }),
		choice(3, 'Shop', { details: ['SMTP'], tag: 'EMAIL' }),
	];
	const found = async (filter: string) => {
		const menu = await menuOf(choices, 'test', (entry) => entry);
		return (await searchPage(menu, { filter })).results.map(({ value }) => value);
	};

	test.each([
		['the region', [uuid(1), uuid(2)]],
		['SMTP region', [uuid(2)]],
		['smtp', [uuid(3), uuid(2)]],
		['email', [uuid(3)]],
		[uuid(1).slice(-12), [uuid(1)]],
		['nowhere', []],
		['shop '.repeat(100_000), [uuid(3)]],
	])('%.20s', async (filter, expected) => {
		expect(await found(filter)).toEqual(expected);
	});

	test('of what is long, its beginning is searched', async () => {
		const words = (near: string, far: string) =>
			`${'x'.repeat(980)} ${near} ${'y'.repeat(30)} ${far} ${'z'.repeat(200)}`;
		const details = [words('also', 'too far away')];
		const long = [choice(1, words('near', 'far away'), { details, tag: words('tag', 'elsewhere') })];
		const menu = await menuOf(long, 'test', (entry) => entry);
		const isFound = async (filter: string) => (await searchPage(menu, { filter })).results.length === 1;
		for (const word of ['near', 'also', 'tag']) expect([word, await isFound(word)]).toEqual([word, true]);
		for (const word of ['away', 'elsewhere']) expect([word, await isFound(word)]).toEqual([word, false]);
	});

	test('of very many words, the first twenty are looked for', async () => {
		const names = Array.from({ length: 20 }, (_, n) => `word${n}`).join(' ');
		const menu = await menuOf([choice(1, names)], 'test', (entry) => entry);
		expect((await searchPage(menu, { filter: `${names} nowhere` })).results).toHaveLength(1);
		expect((await searchPage(menu, { filter: `nowhere ${names}` })).results).toHaveLength(0);
	});

	test('a page shows fifty, and says where the next begins', async () => {
		const many = Array.from({ length: 120 }, (_, n) => choice(n, `Channel ${n}`));
		const menu = await menuOf(many, 'test', (entry) => entry);
		const first = await searchPage(menu, { filter: 'channel' });
		expect(first.results).toHaveLength(50);
		const second = await searchPage(menu, { paginationToken: first.paginationToken as string });
		const third = await searchPage(menu, { paginationToken: second.paginationToken as string });
		expect(third.results).toHaveLength(20);
		expect(third.paginationToken).toBeUndefined();
	});

	test('a menu is made once for everything that is typed in it', async () => {
		const choiceOf = jest.fn((entry: Choice) => entry);
		for (const filter of ['', 's', 'sh', 'sho']) {
			await searchPage(await menuOf(choices, 'counted', choiceOf), { filter });
		}
		expect(choiceOf).toHaveBeenCalledTimes(choices.length);
		await menuOf([...choices], 'counted', choiceOf);
		expect(choiceOf).toHaveBeenCalledTimes(2 * choices.length);
	});

	test('others have their turns while a long menu is made and searched', async () => {
		let [time, turns] = [0, 0];
		jest.spyOn(systemClock, 'now').mockImplementation(() => (time += 0.01));
		jest.spyOn(systemClock, 'sleep').mockImplementation(() => {
			turns += 1;
			return Promise.resolve();
		});
		const many = Array.from({ length: 10_000 }, (_, n) => choice(n, `Channel ${n % 5_000}`));
		const menu = await menuOf(many, 'long', (entry) => entry);
		const afterMaking = turns;
		await searchPage(menu, { filter: 'nowhere' });
		jest.restoreAllMocks();
		// A turn of 3 ms is over after 300 looks at this clock; each entry is looked at six times or more.
		expect(afterMaking).toBeGreaterThan((6 * 10_000) / 300);
		expect(turns - afterMaking).toBeGreaterThan(10_000 / 301 - 1);
	});
});

test('shortened text keeps whole characters', () => {
	expect(shortened('😀'.repeat(40), 10)).toBe(`${'😀'.repeat(6)}…${'😀'.repeat(3)}`);
	expect(shortened('short', 10)).toBe('short');
});
