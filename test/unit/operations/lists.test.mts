import type { Parameters } from '../../cases/index.mts';
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
