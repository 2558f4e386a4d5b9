import { packageFor, type SentPackage, unknownId, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

const sendPath = '/api/v1/message/SendMessage';
const editPath = '/api/v1/message/EditMessage';
const deletePath = '/api/v1/message/DeleteMessage';

test('send answers with the stored package and the ids the service gave it', async () => {
	const channelId = world.channelId('Support E-mail');
	const { status, body } = await world.call<SentPackage>('POST', sendPath, {
		body: { ...packageFor(channelId, 'Hello'), correlationId: 'order-1', echoMessage: true },
	});
	expect(status).toBe(200);
	expect(body).toMatchObject({
		channelId,
		correlationId: 'order-1',
		echoMessage: true,
		accountId: world.accountId('Acme Support'),
		accountName: 'Acme Support',
		organizationName: 'Acme',
		content: { type: 'TEXT', text: 'Hello', to: { email: 'ada@example.com' } },
	});
	expect(body.packageId).toMatch(/^[0-9a-f-]{36}$/);
	expect(body.content.messageId).toMatch(/^msg-/);
	expect((await world.client.state()).messages).toEqual([
		{
			n: 1,
			messageId: body.content.messageId,
			packageId: body.packageId,
			channelId,
			accountId: world.accountId('Acme Support'),
			keyId: world.keyId('Acme organization key'),
			correlationId: 'order-1',
			type: 'TEXT',
			text: 'Hello',
			recipient: 'ada@example.com',
			package: { ...packageFor(channelId, 'Hello'), correlationId: 'order-1', echoMessage: true },
			sentAt: body.timestamp,
			edits: [],
			deletedAt: null,
		},
	]);
});

test('the ids that the caller gives are kept, and two sends are two messages', async () => {
	const body = {
		...packageFor(world.channelId('Support E-mail'), 'Hello', { messageId: 'mine' }),
		packageId: unknownId,
	};
	const first = await world.call<SentPackage>('POST', sendPath, { body });
	const second = await world.call<SentPackage>('POST', sendPath, { body });
	expect(first.body).toMatchObject({ packageId: unknownId, content: { messageId: 'mine' } });
	expect(second.status).toBe(200);
	expect((await world.client.state()).messages).toHaveLength(2);
});

test.each<[string, object, string]>([
	['no channel', { content: { to: { type: 'X' } } }, 'channelId: missing'],
	['no content', {}, 'content: missing'],
	['no recipient', { content: {} }, 'content.to: missing'],
	['no address', { content: { to: { type: 'EMAIL' } } }, 'content.to.email: must be an e-mail address'],
	['no text', { content: { to: { type: 'X' }, type: 'TEXT' } }, 'content.text: must not be empty'],
	['another account', { accountId: unknownId }, 'accountId: is not the account of the channel'],
	[
		'another organization',
		{ organizationID: unknownId },
		'organizationID: is not the organization of the channel',
	],
])('%s is refused', async (_case, change, problem) => {
	const needsRest = 'accountId' in change || 'organizationID' in change;
	const channelId = world.channelId('Support E-mail');
	const body = needsRest ? { ...packageFor(channelId, 'Hello'), ...change } : change;
	const { status, body: answer } = await world.call('POST', sendPath, { body });
	expect(status).toBe(400);
	expect(answer.detail).toContain(problem);
	expect((await world.client.state()).messages).toEqual([]);
});

test('a message is edited', async () => {
	const channelId = world.channelId('Support E-mail');
	const { content } = await world.send('Support E-mail', 'Hello');
	const body = {
		messageId: content.messageId,
		chatId: 'any chat',
		channelId,
		newText: 'Bye',
		correlationId: 'c-1',
	};
	const { status, body: answer } = await world.call<object>('PUT', editPath, { body });
	expect(status).toBe(200);
	expect(answer).toMatchObject({ messageId: content.messageId, chatId: 'any chat', channelId });
	expect((await world.client.state()).messages).toMatchObject([
		{ text: 'Bye', edits: [{ chatId: 'any chat', text: 'Bye', correlationId: 'c-1' }] },
	]);
});

test('a message is deleted by a DELETE with a JSON body, and deleting it again succeeds', async () => {
	const { content } = await world.send('Support E-mail', 'Hello');
	const body = { messageId: content.messageId, chatId: 'c', channelId: world.channelId('Support E-mail') };
	const first = await world.call<undefined>('DELETE', deletePath, { body });
	expect(first).toMatchObject({ status: 200, text: '' });
	const { deletedAt } = (await world.client.state()).messages[0] ?? {};
	expect(deletedAt).toEqual(expect.any(String));

	expect(await world.call('DELETE', deletePath, { body })).toMatchObject({ status: 200 });
	expect((await world.client.state()).messages).toMatchObject([{ deletedAt }]);
	expect(await world.call('PUT', editPath, { body: { ...body, newText: 'x' } })).toMatchObject({
		status: 404,
	});
});
