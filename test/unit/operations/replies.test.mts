/** The output for every kind of answer. */
import { cases, idsWhere, type OperationId } from '../../cases/index.mts';
import { ids } from '../../cases/values.mts';
import { operationUnderTest } from '../support/operations.mts';

const rawOf = (id: OperationId) => cases[id].record?.raw ?? {};

/** Operations that wait return a person's answer, not the service's. */
const handsOn = idsWhere(({ reply, traits }) => !reply.list && !traits.includes('waits'));

describe.each(handsOn)('%s', (id) => {
	const under = operationUnderTest(id);
	const { ownFields, settled } = cases[id].reply;
	const overruled = Object.fromEntries(
		Object.keys(ownFields).map((name) => [name, `${name} of the service`]),
	);
	const nulls = Object.fromEntries(Object.keys(ownFields).map((name) => [name, null]));
	const contradicted = Object.fromEntries(Object.keys(settled).map((name) => [name, false]));

	const rows: Array<[kind: string, reply: unknown, json: object]> = [
		['nothing', undefined, { ...ownFields, ...settled }],
		['null', null, { ...ownFields, ...settled }],
		['an empty object', {}, { ...ownFields, ...settled }],
		['an object', { more: { deep: [1] } }, { ...ownFields, ...settled, more: { deep: [1] } }],
		['fields that the node knows too', overruled, { ...overruled, ...settled }],
		['nulls for what the node knows', { ...nulls, other: null }, { ...ownFields, ...settled, other: null }],
		['the contrary of what is settled', contradicted, { ...ownFields, ...settled }],
		['an error of its own', { error: { code: 7 } }, { ...ownFields, ...settled, serviceError: { code: 7 } }],
		['an error that is null', { error: null }, { ...ownFields, ...settled, serviceError: null }],
		['text', 'Accepted', { ...ownFields, ...settled, response: 'Accepted' }],
		['a list', [{ error: 1 }, 2], { ...ownFields, ...settled, response: [{ error: 1 }, 2] }],
		['zero', 0, { ...ownFields, ...settled, response: 0 }],
		['false', false, { ...ownFields, ...settled, response: false }],
	];

	test('gives one item, whatever the answer is', () => {
		for (const [kind, reply, json] of rows) {
			expect([kind, ...under.output(reply, rawOf(id))]).toStrictEqual([kind, json]);
		}
	});
});

test('a question keeps nothing of the answer of the service, which repeats its link', () => {
	const { ownFields } = cases['message.sendAndWait'].reply;
	const ask = operationUnderTest('message.sendAndWait');
	const content = { text: 'May I? https://n8n.example/?signature=x' };
	for (const reply of [undefined, 'text', { content, packageId: 'other' }]) {
		expect(ask.output(reply)).toStrictEqual([ownFields]);
	}
});

describe('message.send', () => {
	const send = operationUnderTest('message.send');

	test.each([
		['at the top', { messageId: 'm-1', status: 'x' }, 'm-1'],
		['in the content', { content: { messageId: 'm-2' } }, 'm-2'],
		['at the top, which wins', { messageId: 'm-1', content: { messageId: 'm-2' } }, 'm-1'],
		['only in the content', { messageId: null, content: { messageId: 'm-2' } }, 'm-2'],
		['in the content beside an empty one', { messageId: '', content: { messageId: 'm-2' } }, 'm-2'],
	])('has the message id that the answer has %s', (_kind, reply, messageId) => {
		expect(send.output(reply)).toStrictEqual([
			{ ...cases['message.send'].reply.ownFields, ...reply, messageId },
		]);
	});

	test.each([{ content: {} }, { content: { messageId: null } }, { content: 'm' }, { content: [] }, 'm', []])(
		'has no message id when the answer has none: %j',
		(reply) => {
			expect(send.output(reply)[0]).not.toHaveProperty('messageId');
		},
	);

	test('has the package id that was given', () => {
		const given = { additionalFields: { packageId: ids.package } };
		expect(send.output(undefined, given)).toMatchObject([{ packageId: ids.package, channelId: ids.channel }]);
		expect(send.output({ packageId: null }, given)).toMatchObject([{ packageId: ids.package }]);
		expect(send.output({ packageId: 'other' }, given)).toMatchObject([{ packageId: 'other' }]);
	});
});
