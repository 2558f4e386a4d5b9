import { cases, idsWhere } from '../../cases/index.ts';
import { operationUnderTest } from '../support/operations.ts';

describe.each(idsWhere(({ reply }) => reply.list))('%s', (id) => {
	const list = operationUnderTest(id);
	const { call } = cases[id].least;
	const queried = (...parameters: unknown[]) => ({ options: { queryParameters: { parameters } } });
	const records = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `Record ${n}` }));
	const raw = cases[id].record?.raw ?? {};
	const simplified = cases[id].record?.simplified ?? {};

	test('asks for the whole list, without query or body', () => {
		expect(list.compile().call).toStrictEqual({ method: 'GET', path: call.path });
	});

	test('sends query parameters in the order given, names that repeat too', () => {
		const rows = queried(
			{ name: ' page ', value: '2' },
			{ name: 'tag', value: 'a&b=c' },
			{ name: 'tag', value: '' },
			{ name: 'size', value: 10 },
			{ name: 'flag' },
			{ name: '', value: '' },
		);
		const query = [
			['page', '2'],
			['tag', 'a&b=c'],
			['tag', ''],
			['size', '10'],
			['flag', ''],
		];
		expect(list.compile(rows).call).toStrictEqual({ ...call, query });
		expect(list.compile({ ...rows, returnAll: true }).call).toStrictEqual({ ...call, query });
	});

	test.each([
		{},
		{ queryParameters: {} },
		{ queryParameters: { parameters: [] } },
		queried(null, 'a').options,
	])('options %j make no query', (options) => {
		expect(list.compile({ options }).call).not.toHaveProperty('query');
	});

	test.each([
		['50 unless told otherwise', {}, 60, 50],
		['50 when the limit is empty', { limit: null }, 60, 50],
		['up to the limit', { limit: 2 }, 60, 2],
		['a single one', { limit: 1 }, 60, 1],
		['a limit given as text', { limit: '3' }, 60, 3],
		['fewer than the limit when there are fewer', { limit: 5 }, 4, 4],
		['all of them', { returnAll: true }, 60, 60],
		['all of them, whatever the hidden limit says', { returnAll: true, limit: 'x' }, 60, 60],
		['none when there are none', {}, 0, 0],
	])('gives %s', (_kind, given, there, expected) => {
		expect(list.output(records(there), { ...raw, ...given })).toStrictEqual(records(expected));
	});

	test.each<[kind: string, reply: unknown, jsons: unknown[]]>([
		['nothing', undefined, []],
		['null', null, []],
		['an object', { a: 1 }, [{ a: 1 }]],
		['text', 'Try later', [{ response: 'Try later' }]],
		[
			'odd records',
			[null, 'x', 3, [1], { error: 'e' }],
			[{}, { response: 'x' }, { response: 3 }, { response: [1] }, { serviceError: 'e' }],
		],
	])('as it came, the answer may be %s', (_kind, reply, jsons) => {
		expect(list.output(reply, raw)).toStrictEqual(jsons);
	});

	test.each([
		['odd records', ['x', 3, null], [{ response: 'x' }, { response: 3 }, {}]],
		['text', 'Try later', [{ response: 'Try later' }]],
		['nothing', undefined, []],
	])('simplified, the answer may be %s', (_kind, reply, jsons) => {
		expect(list.output(reply, simplified)).toStrictEqual(jsons);
	});

	test('keeps everything of a record when it is not simplified', () => {
		const record = { channelId: 'c', deep: { list: [null] }, status: null };
		expect(list.output([record], raw)).toStrictEqual([record]);
	});
});
