import { execute } from '../../../nodes/Messaging/execute.ts';
import type { Parameters } from '../../cases/index.mts';
import { fakeN8n } from '../support/fake-n8n.mts';
import { operationUnderTest } from '../support/operations.mts';

/** All lists are compiled alike. */
const list = operationUnderTest('channel.getAll');
const raw = { simplify: false };
const records = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `Record ${n}` }));

test.each([
	['50 unless told otherwise', {}, 60, 50],
	['50 when the limit is empty', { limit: null }, 60, 50],
	['up to the limit', { limit: 2 }, 60, 2],
	['a limit given as text', { limit: '3' }, 60, 3],
	['fewer than the limit when there are fewer', { limit: 5 }, 4, 4],
	['all of them', { returnAll: true }, 60, 60],
	['all of them, whatever the hidden limit says', { returnAll: true, limit: 'x' }, 60, 60],
])('gives %s', (_kind, given, there, expected) => {
	expect(list.output(records(there), { ...raw, ...given })).toStrictEqual(records(expected));
});

test('a list of 130,000 records gives as many items', async () => {
	const answer = { statusCode: 200, headers: {}, body: JSON.stringify(records(130_000)) };
	const { context } = fakeN8n(answer, { parameters: { ...raw, returnAll: true } });
	const [items] = await execute(context, list.operation);
	expect(items).toHaveLength(130_000);
});

test.each<[kind: string, given: Parameters, reply: unknown, jsons: unknown[]]>([
	['nothing', raw, undefined, []],
	['null', raw, null, []],
	['an object', raw, { a: 1 }, [{ a: 1 }]],
	['text', raw, 'Try later', [{ response: 'Try later' }]],
	[
		'odd records',
		raw,
		[null, 'x', [1], { error: 'e', deep: { list: [null] } }],
		[{}, { response: 'x' }, { response: [1] }, { serviceError: 'e', deep: { list: [null] } }],
	],
	['odd records, simplified', {}, ['x', 3, null], [{ response: 'x' }, { response: 3 }, {}]],
	['text, simplified', {}, 'Try later', [{ response: 'Try later' }]],
	['nothing, simplified', {}, undefined, []],
])('the answer may be %s', (_kind, given, reply, jsons) => {
	expect(list.output(reply, given)).toStrictEqual(jsons);
});

describe('Name Contains', () => {
	const support = { name: 'Café Support' };
	const other = { name: 'Shop' };
	const give = (nameContains: unknown, given: Parameters = {}) =>
		list.output([other, support, {}, 'Support', support], { ...raw, ...given, options: { nameContains } });

	test.each(['support', ' CAFE ', 'é s'])('%j finds a name', (text) => {
		expect(give(text)).toStrictEqual([support, support]);
	});

	test('looks at the first thousand characters of a name alone: putting accents in order takes time', () => {
		const found = (name: string) => list.output([{ name }], { ...raw, options: { nameContains: 'x' } });
		expect(found(`${'a'.repeat(999)}x`)).toHaveLength(1);
		expect(found(`${'a'.repeat(1000)}x`)).toHaveLength(0);
	});

	test('counts before the limit, and nothing is left out without it', () => {
		expect(give('s', { limit: 2 })).toStrictEqual([other, support]);
		for (const empty of ['', ' ', null, undefined]) expect(give(empty)).toHaveLength(5);
	});
});

describe('in the hands of an AI agent', () => {
	const { output } = list.asTool;
	const narrow = 'Narrow it down with Name Contains.';

	test.each<[given: Parameters, note: string]>([
		[{}, `50 of 1,510. ${narrow}`],
		[{ limit: 1 }, `1 of 1,510. ${narrow}`],
		[{ limit: 1, options: { nameContains: 'Record 150' } }, `1 of 11. ${narrow}`],
	])('a list that the limit cuts says so at its end: %j', (given, note) => {
		expect(output(records(1510), { ...raw, ...given }).at(-1)).toStrictEqual({ note });
	});

	test('so does one that the service cuts', () => {
		const cut = 'The service sent 2 of 7 channels';
		expect(output(records(2), raw, cut)).toStrictEqual([...records(2), { note: `${cut}.` }]);
		expect(list.output(records(2), raw, cut)).toStrictEqual(records(2));
	});

	test('an empty list says so: an agent would get an empty text', () => {
		expect(output([])).toStrictEqual([{ note: 'No channel is there.' }]);
		const given = { options: { nameContains: 'x' } };
		expect(output(records(2), given)).toStrictEqual([{ note: 'No channel has this in its name.' }]);
		expect(list.output([])).toStrictEqual([]);
	});

	test('a whole list has nothing to add', () => {
		expect(output(records(50), raw)).toStrictEqual(records(50));
		expect(list.output(records(51), raw)).toHaveLength(50);
	});
});
