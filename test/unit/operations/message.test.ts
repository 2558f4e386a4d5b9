import { operationUnderTest } from '../support/operations.ts';
import { testReplies } from '../support/replies.ts';
import { testRequired } from '../support/required.ts';
import { byId, ids } from '../support/samples.ts';

const sent = { messageId: 'message-1', chatId: 'chat-1', channelId: ids.channel };

describe('edit', () => {
	const edit = operationUnderTest('message.edit');

	test('puts the new text', () => {
		expect(edit.compile().call).toStrictEqual({
			method: 'PUT',
			path: '/api/v1/message/EditMessage',
			body: { ...sent, newText: 'Hello again' },
		});
	});

	test('keeps texts as they were entered', () => {
		const given = { chatId: ' ada@example.com/…', messageId: '<id>', newText: ' a\n"b" ' };
		expect(edit.body(given)).toStrictEqual({ ...given, channelId: ids.channel });
	});

	testRequired(edit, ['channelId', 'chatId', 'messageId', 'newText']);

	test('refuses a channel that is no UUID', () => {
		expect(edit.refusal({ channelId: byId('../Me') }).field).toBe('Channel');
	});

	testReplies(edit, sent, { success: true });
});

describe('delete', () => {
	const remove = operationUnderTest('message.delete');

	test('names the message in a JSON body', () => {
		expect(remove.compile().call).toStrictEqual({
			method: 'DELETE',
			path: '/api/v1/message/DeleteMessage',
			body: sent,
		});
	});

	testRequired(remove, ['channelId', 'chatId', 'messageId']);

	testReplies(remove, sent, { deleted: true });
});

describe.each(['message.edit', 'message.delete'])('%s: the correlation id', (id) => {
	const under = operationUnderTest(id);

	test('goes along when it is given', () => {
		expect(under.body({ additionalFields: { correlationId: 'c-1' } })).toMatchObject({
			...sent,
			correlationId: 'c-1',
		});
	});

	test.each(['', null, undefined])('is not on the wire when it is %j', (correlationId) => {
		expect(under.body({ additionalFields: { correlationId } })).not.toHaveProperty('correlationId');
	});

	test('is refused when it is no text', () => {
		expect(under.refusal({ additionalFields: { correlationId: [] } }).field).toBe('Correlation ID');
	});
});
