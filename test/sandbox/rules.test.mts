import { startSandbox } from '../../dev/sandbox/server.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import type { OutboxEntryView } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { type CallOptions, packageFor, type SentPackage, unknownId, useWorld } from './world.mts';

/** What the sandbox does with conforming requests: the rules that the interface has no words for. */

const world = useWorld({ outboxDelayMs: 60_000 });

const sendPath = '/api/v1/message/SendMessage';
const editPath = '/api/v1/message/EditMessage';
const deletePath = '/api/v1/message/DeleteMessage';

test('send answers with the stored package and the ids the service gave it', async () => {
	const channelId = world.channelId('Support E-mail');
	const sent = { ...packageFor(channelId, 'Hello'), correlationId: 'order-1', echoMessage: true };
	const { status, body } = await world.call<SentPackage>('POST', sendPath, { body: sent });
	expect(status).toBe(200);
	const accountId = world.accountId('Acme Support');
	expect(body).toMatchObject({ ...sent, accountId, accountName: 'Acme Support', organizationName: 'Acme' });
	expect(body.packageId).toMatch(/^[0-9a-f-]{36}$/);
	expect(body.content.messageId).toMatch(/^msg-/);
	expect((await world.client.state()).messages).toEqual([
		{
			n: 1,
			messageId: body.content.messageId,
			packageId: body.packageId,
			channelId,
			accountId,
			keyId: world.keyId('Acme organization key'),
			correlationId: 'order-1',
			type: 'TEXT',
			text: 'Hello',
			recipient: 'ada@example.com',
			sender: null,
			package: sent,
			sentAt: body.timestamp,
			edits: [],
			deletedAt: null,
		},
	]);
});

test('a message is edited, deleted by a DELETE with a JSON body, also twice, and then gone', async () => {
	const { content } = await world.send('Support E-mail', 'Hello');
	const chatId = 'ada@example.com';
	const body = { messageId: content.messageId, chatId, channelId: world.channelId('Support E-mail') };
	const edit = { ...body, newText: 'Bye', correlationId: 'c-1' };
	expect(await world.call<object>('PUT', editPath, { body: edit })).toMatchObject({ status: 200, body });
	for (const _ of [1, 2]) {
		expect(await world.call('DELETE', deletePath, { body })).toMatchObject({ status: 200, text: '' });
	}
	expect((await world.client.state()).messages).toMatchObject([
		{
			text: 'Bye',
			edits: [{ chatId, text: 'Bye', correlationId: 'c-1' }],
			deletedAt: expect.any(String) as unknown,
		},
	]);
	expect(await world.call('PUT', editPath, { body: edit })).toMatchObject({ status: 404 });
});

const outboxPath = (channelName: string): string =>
	`/api/v1/admin/channel/${world.channelId(channelName)}/outbox`;

async function entryOf(channelName: string, id: string): Promise<OutboxEntryView> {
	const { status, body } = await world.call<OutboxEntryView>('GET', `${outboxPath(channelName)}/${id}`);
	expect(status).toBe(200);
	return body;
}

test('entries are delivered by themselves when they are due', async () => {
	const quick = await startSandbox({ outboxDelayMs: 20 });
	const client = new SandboxClient(quick.control);
	const answer = await fetch(quick.url + sendPath, {
		method: 'POST',
		headers: { 'x-api-key': quick.tokens.org, 'content-type': 'application/json; v=1.0' },
		body: JSON.stringify(packageFor(world.channelId('Support Ticket Hook'), 'Ticket 1')),
	});
	expect(answer.status).toBe(200);
	const last = async () => (await client.state()).outbox.at(-1)?.statusName;
	await eventually(async () => (await last()) === 'Sent', 'the delivery');
	await quick.close();
});

test('requeue takes the whole context, counts an id once, and takes ids in upper case', async () => {
	const id = world.entryId('Shop Orders Hook', 'Failed');
	const channelId = world.channelId('Shop Orders Hook');
	const accountId = world.accountId('Acme Shop');
	const { organizationId } = world.state.organizations[0]!;
	const { status, body } = await world.call<object>('POST', `${outboxPath('Shop Orders Hook')}/requeue`, {
		body: { ids: [id, id.toUpperCase(), id], channelId, accountId, organizationId },
	});
	expect({ status, body }).toEqual({ status: 201, body: { requeuedCount: 1 } });
	expect(await entryOf('Shop Orders Hook', id)).toMatchObject({ statusName: 'Pending', retryCount: 2 });
});

test('a pending entry is cancelled, also twice, is not delivered any more, and can be requeued', async () => {
	const id = world.entryId('Support CRM Hook', 'Pending');
	const path = outboxPath('Support CRM Hook');
	for (const _ of [1, 2]) {
		const { status, body } = await world.call<object>('PATCH', `${path}/${id}/cancel`);
		expect(status).toBe(200);
		expect(body).toMatchObject({ httpSenderOutboxEntryId: id, statusName: 'Cancelled' });
	}
	await world.client.changeChannel(world.channelId('Support CRM Hook'), { isConnected: true });
	await world.client.deliverOutbox();
	expect(await entryOf('Support CRM Hook', id)).toMatchObject({ statusName: 'Cancelled' });
	expect(await world.call('POST', `${path}/requeue`, { body: { ids: [id] } })).toMatchObject({ status: 201 });
	expect(await entryOf('Support CRM Hook', id)).toMatchObject({ statusName: 'Pending' });
});

type Asked = () => [path: string, options: CallOptions];

const toSend =
	(body: object): Asked =>
	() => [sendPath, { body }];
const toSendHello =
	(change: object): Asked =>
	() => [sendPath, { body: { ...packageFor(world.channelId('Support E-mail'), 'Hello'), ...change } }];
const toRequeue =
	(body: () => object): Asked =>
	() => [`${outboxPath('Shop Orders Hook')}/requeue`, { body: body() }];
const toCreate =
	(change: () => object): Asked =>
	() => {
		const body = {
			name: 'Second hook',
			channelType: 'HTTP',
			providerId: world.providerId('http-sender'),
			accountId: world.accountId('Acme Shop'),
			feedbackChannelId: world.channelId('Support Feedback'),
			parameters: { url: 'https://second.acme.example/' },
			...change(),
		};
		return ['/api/v1/message/Configure/CreateChannel', { body }];
	};
const toAnswerOn = (channel: string): Asked =>
	toCreate(() => ({ feedbackChannelId: world.channelId(channel) }));
const toCreateSms = toCreate(() => ({
	...{ channelType: 'SMS', providerId: world.providerId('sms-gateway'), feedbackChannelId: undefined },
}));
const toUseRelay = toCreate(() => ({ providerId: world.providerId('smtp-relay') }));
const toRequeueMore = toRequeue(() => ({ ids: [world.entryId('Shop Orders Hook', 'Failed'), unknownId] }));
const toRequeueOf = (channelId: string): Asked => toRequeue(() => ({ ids: [unknownId], channelId }));

test.each<[status: number, detail: string, asked: Asked]>([
	[400, 'channelId: missing', toSend({ content: { to: { type: 'X' } } })],
	[400, 'content: missing', toSend({})],
	[400, 'content.to: missing', toSend({ content: {} })],
	[400, 'content.to.email: must be an e-mail address', toSend({ content: { to: { type: 'EMAIL' } } })],
	[400, 'content.text: must not be empty', toSend({ content: { to: { type: 'X' }, type: 'TEXT' } })],
	[400, 'accountId: is not the account of the channel', toSendHello({ accountId: unknownId })],
	[400, 'organizationID: is not the organization of the channel', toSendHello({ organizationID: unknownId })],
	[400, 'channelId: differs from the id in the path', toRequeueOf(unknownId)],
	[400, 'providerId: SMTP relay provides EMAIL channels, not HTTP', toUseRelay],
	[400, "feedbackChannelId: a WHATSAPP channel can't be a feedback channel", toAnswerOn('Support WhatsApp')],
	[400, 'feedbackChannelId: a SMS channel needs one', toCreateSms],
	[400, 'ids: must name at least one outbox entry', toRequeue(() => ({}))],
	[400, 'ids: must name at least one outbox entry', toRequeue(() => ({ ids: [] }))],
	[404, `ids: channel "Shop Orders Hook" has no outbox entry ${unknownId}.`, toRequeueMore],
	[404, `No account with id ${unknownId}.`, toCreate(() => ({ accountId: unknownId }))],
	[404, 'No channel with id', toAnswerOn('Globex E-mail')],
])('nothing changes after the answer %i: %s', async (status, detail, asked) => {
	const answer = await world.call('POST', ...asked());
	expect(answer.status).toBe(status);
	expect(answer.body.detail).toContain(detail);
	expect(await world.client.state()).toEqual(world.state);
});
