import type { IncomingMessage as Request, ServerResponse } from 'node:http';

import type { OutboxEntryView } from '../../dev/sandbox/types.mts';
import { isOnThisMachine } from '../../dev/sandbox/records/outbox.mts';
import { serve } from '../serve.mts';
import { useWorld } from './world.mts';

/** Outbox entries as real requests, to receivers on this machine. */

interface Arrived {
	method: string | undefined;
	headers: Request['headers'];
	body: unknown;
}

const world = useWorld({ outboxDelayMs: 60_000 });
let arrived: Arrived[] = [];
let answer: (response: ServerResponse) => unknown;
let url: string;

beforeEach(async () => {
	arrived = [];
	answer = (response) => response.end('Thanks');
	const receiver = await serve((request, response) => {
		let text = '';
		request.on('data', (part) => (text += String(part)));
		request.on('end', () => {
			arrived.push({ method: request.method, headers: request.headers, body: JSON.parse(text) });
			answer(response);
		});
	});
	url = `${receiver.url}/hook`;
	await configure({ url });
});

const hook = 'Support Ticket Hook';

async function configure(parameters: object): Promise<void> {
	const channelId = world.channelId(hook);
	const path = `/api/v1/Admin/Channel/${channelId}/parameters`;
	expect(await world.call<object>('PUT', path, { body: { channelId, parameters } })).toMatchObject({
		status: 200,
	});
}

const lastEntry = async (): Promise<OutboxEntryView | undefined> =>
	(await world.client.state()).outbox.at(-1);

/** What is left of a message that was sent and delivered. */
async function delivered(): Promise<OutboxEntryView | undefined> {
	await world.send(hook, 'Ticket 1');
	await world.client.deliverOutbox();
	return await lastEntry();
}

/** What a person does with the last entry: put it back. */
const requeue = async (id = ''): Promise<unknown> =>
	await world.call<object>('POST', `${outbox()}/requeue`, { body: { ids: [id] } });
const outbox = () => `/api/v1/admin/channel/${world.channelId(hook)}/outbox`;

test('an entry is posted as the channel says, and keeps the answer', async () => {
	await configure({ url, method: 'PUT', headers: { authorization: 'Bearer t' } });
	const sent = { statusName: 'Sent', responseStatusCode: 200, responseBody: 'Thanks', failedAt: null };
	expect(await delivered()).toMatchObject(sent);
	expect(arrived).toMatchObject([
		{
			method: 'PUT',
			headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
			body: { text: 'Ticket 1' },
		},
	]);
});

test.each<[answer: string, act: (response: ServerResponse) => unknown, status: number | null]>([
	['404', (response) => response.writeHead(404).end('No'), 404],
	['a redirect', (response) => response.writeHead(302, { location: '/hook' }).end(), 302],
	['none', (response) => response.destroy(), null],
	['none in time', () => undefined, null],
])('the answer is %s: the entry failed, and a requeue delivers it again', async (_kind, act, status) => {
	await configure({ url, timeoutSeconds: 0.3 });
	answer = act;
	const failed = await delivered();
	expect(failed).toMatchObject({ statusName: 'Failed', responseStatusCode: status, sentAt: null });
	answer = (response) => response.writeHead(204).end();
	await requeue(failed?.httpSenderOutboxEntryId);
	await world.client.deliverOutbox();
	expect(await lastEntry()).toMatchObject({ statusName: 'Sent', responseStatusCode: 204, retryCount: 1 });
	expect(arrived).toHaveLength(2);
});

test.each([
	['http://127.0.0.1:5678/a', true],
	['https://localhost/', true],
	['http://[::1]:80/', true],
	['http://127.0.0.1.example.com/', false],
	['http://localhost@example.com/', false],
	['https://tickets.acme.example/', false],
	['http://10.0.0.1/', false],
	['ftp://127.0.0.1/', false],
	['', false],
])('%s gets a request: %s', (address, gets) => expect(isOnThisMachine(address)).toBe(gets));

describe('a customer writes', () => {
	const from = { type: 'PHONE', phone: '+43 1', name: 'Ada' };
	const write = async (more: object = {}) => {
		const channelId = world.channelId('Support WhatsApp');
		return await world.client.receive({ channelId, from, text: 'Where is it?', ...more });
	};

	beforeEach(async () => {
		const feedbackChannelId = world.channelId(hook);
		await world.client.changeChannel(world.channelId('Support WhatsApp'), { feedbackChannelId });
	});

	test('the feedback channel posts the message package', async () => {
		const { packageId } = await write({ messageId: 'in-1', isGroupMessage: true, echoMessage: true });
		await world.client.deliverOutbox();
		expect(arrived.map(({ body }) => body)).toMatchObject([
			{
				packageId,
				channelId: world.channelId('Support WhatsApp'),
				accountName: 'Acme Support',
				echoMessage: true,
				content: { type: 'TEXT', text: 'Where is it?', from, messageId: 'in-1', isGroupMessage: true },
			},
		]);
		expect((await world.client.state()).messages).toMatchObject([
			{ sender: '+43 1', recipient: '', text: 'Where is it?', keyId: null },
		]);
	});

	test('not on a channel that receives nothing, and it can not be edited', async () => {
		const channelId = world.channelId('Shop Old WhatsApp');
		await expect(write({ channelId })).rejects.toThrow('409');
		await expect(write({ from: 5 })).rejects.toThrow('400');
		const { messageId } = await write();
		const edit = { messageId, chatId: '+43 1', channelId: world.channelId('Support WhatsApp'), newText: 'x' };
		expect(await world.call('PUT', '/api/v1/message/EditMessage', { body: edit })).toMatchObject({
			status: 404,
		});
	});
});
