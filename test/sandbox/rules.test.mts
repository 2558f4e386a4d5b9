import { startSandbox } from '../../dev/sandbox/server.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { eventually } from '../waiting.mts';
import { type CallOptions, packageFor, unknownId, useWorld } from './world.mts';

/** What the sandbox does with conforming requests: the rules that the interface has no words for. */

const world = useWorld({ outboxDelayMs: 60_000 });

const sendPath = '/api/v1/message/SendMessage';

const outboxPath = (channelName: string): string =>
	`/api/v1/admin/channel/${world.channelId(channelName)}/outbox`;

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
