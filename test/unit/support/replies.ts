import type { IDataObject } from 'n8n-workflow';

import type { OperationUnderTest } from './operations.ts';

/**
 * Tests what becomes of every kind of answer.
 *
 * @param known what the node adds where the service does not say it
 * @param settled what stands whatever the service says
 */
export function testReplies(under: OperationUnderTest, known: IDataObject, settled: IDataObject = {}): void {
	const overruled = Object.fromEntries(Object.keys(known).map((name) => [name, `${name} of the service`]));
	const nulls = Object.fromEntries(Object.keys(known).map((name) => [name, null]));
	const contradicted = Object.fromEntries(Object.keys(settled).map((name) => [name, false]));

	const rows: Array<[kind: string, reply: unknown, json: IDataObject]> = [
		['nothing', undefined, { ...known, ...settled }],
		['null', null, { ...known, ...settled }],
		['an empty object', {}, { ...known, ...settled }],
		['an object', { more: { deep: [1] } }, { ...known, ...settled, more: { deep: [1] } }],
		['fields that the node knows too', overruled, { ...overruled, ...settled }],
		['nulls for what the node knows', { ...nulls, other: null }, { ...known, ...settled, other: null }],
		['the contrary of what is settled', contradicted, { ...known, ...settled }],
		[
			'an error of its own',
			{ error: { code: 7 }, a: 1 },
			{ ...known, ...settled, a: 1, serviceError: { code: 7 } },
		],
		['an error that is null', { error: null }, { ...known, ...settled, serviceError: null }],
		['text', 'Accepted', { ...known, ...settled, response: 'Accepted' }],
		['a list', [{ error: 1 }, 2], { ...known, ...settled, response: [{ error: 1 }, 2] }],
		['zero', 0, { ...known, ...settled, response: 0 }],
		['false', false, { ...known, ...settled, response: false }],
	];

	test.each(rows)('gives one item when the answer is %s', (_kind, reply, json) => {
		expect(under.output(reply)).toStrictEqual([json]);
	});
}
