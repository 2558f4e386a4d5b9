import { operationUnderTest } from '../support/operations.ts';
import { byId, ids, type Parameters } from '../support/samples.ts';

const laneOf = (id: string, given: Parameters = {}) => operationUnderTest(id).compile(given).lane;

test.each<[id: string, kind: string, given: Parameters, same: boolean]>([
	['message.send', 'another text', { text: 'Bye' }, true],
	['message.send', 'the address in upper case', { toEmail: 'ADA@example.com' }, true],
	['message.send', 'another name', { additionalFields: { toName: 'Countess Ada' } }, true],
	['message.send', 'another address', { toEmail: 'grace@example.com' }, false],
	['message.send', 'another channel', { channelId: byId(ids.feedback) }, false],
	['message.edit', 'another message of the chat', { messageId: 'message-2' }, true],
	['message.edit', 'another chat', { chatId: 'chat-2' }, false],
	['message.edit', 'another channel', { channelId: byId(ids.feedback) }, false],
	['message.delete', 'another message of the chat', { messageId: 'message-2' }, true],
	['message.delete', 'another chat', { chatId: 'chat-2' }, false],
	['message.delete', 'another channel', { channelId: byId(ids.feedback) }, false],
	['channel.updateParameters', 'other parameters', { parameters: '{"a":1}' }, true],
	['channel.updateParameters', 'another channel', { channelId: byId(ids.feedback) }, false],
	['outbox.cancel', 'another entry', { entryId: ids.otherEntry }, false],
	['outbox.requeue', 'another entry', { entryIds: ids.otherEntry }, true],
	['outbox.requeue', 'another channel', { channelId: byId(ids.feedback) }, false],
	['apiKey.update', 'another name', { updateFields: { name: 'B' } }, true],
	['apiKey.update', 'another key', { apiKeyId: ids.package }, false],
	['apiKey.delete', 'another key', { apiKeyId: ids.package }, false],
])('%s with %s waits for the one before: %#', (id, _kind, given, same) => {
	expect(laneOf(id)).toEqual(expect.any(String));
	expect(laneOf(id, given) === laneOf(id)).toBe(same);
});

test('the same recipient is one lane in both input modes', () => {
	const content = { text: 'Hi', to: { email: 'ada@example.com', name: 'Ada', type: 'EMAIL' } };
	expect(laneOf('message.send', { inputMode: 'json', package: { content } })).toBe(laneOf('message.send'));
});

test.each(['apiKey', 'message'])(
	'%s: changes of one entry wait for each other across operations',
	(resource) => {
		const [first, second] = resource === 'apiKey' ? ['update', 'delete'] : ['edit', 'delete'];
		expect(laneOf(`${resource}.${first}`)).toBe(laneOf(`${resource}.${second}`));
	},
);

test.each([
	'account.getAll',
	'channel.getAll',
	'outbox.get',
	'apiKey.getCurrent',
	'account.create',
	'channel.create',
])('%s waits for no other call', (id) => {
	expect(laneOf(id)).toBeUndefined();
});

test.each<[id: string, given: Parameters]>([
	['message.send', { channelId: byId(ids.channel.toUpperCase()) }],
	['message.edit', { channelId: byId(ids.channel.toUpperCase()) }],
	['message.delete', { channelId: byId(ids.channel.toUpperCase()) }],
	['channel.updateParameters', { channelId: byId(ids.channel.toUpperCase()) }],
	['outbox.cancel', { entryId: ids.entry.toUpperCase() }],
	['outbox.requeue', { channelId: byId(ids.channel.toUpperCase()) }],
	['apiKey.update', { apiKeyId: ids.key.toUpperCase() }],
	['apiKey.delete', { apiKeyId: ids.key.toUpperCase() }],
])('%s: an id in upper case is the same lane', (id, given) => {
	expect(laneOf(id, given)).toBe(laneOf(id));
});
