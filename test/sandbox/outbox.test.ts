import type { OutboxEntryView } from '../../dev/sandbox/records/views.ts';
import { type ProblemBody, type Received, unknownId, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start({ outboxDelayMs: 60_000 })));
afterAll(() => world.stop());
beforeEach(() => world.reset());

const outboxPath = (channelName: string): string =>
	`/api/v1/admin/channel/${world.channelId(channelName)}/outbox`;

async function get(channelName: string, id: string): Promise<OutboxEntryView> {
	const { status, body } = await world.call<OutboxEntryView>('GET', `${outboxPath(channelName)}/${id}`);
	expect(status).toBe(200);
	return body;
}

function requeue(channelName: string, body: object): Promise<Received<ProblemBody>> {
	return world.call('POST', `${outboxPath(channelName)}/requeue`, { body });
}

test('a message on an HTTP channel goes through the outbox: pending, then sent', async () => {
	await world.send('Support Ticket Hook', 'Ticket 1');
	const entry = (await world.client.state()).outbox.at(-1);
	const id = entry?.httpSenderOutboxEntryId ?? '';
	expect(entry).toMatchObject({
		statusName: 'Pending',
		retryCount: 0,
		requestMetamodel: { body: { text: 'Ticket 1' } },
	});
	await world.client.deliverOutbox();
	expect(await get('Support Ticket Hook', id)).toMatchObject({
		statusName: 'Sent',
		responseStatusCode: 200,
		sentAt: expect.any(String),
	});
});

test('requeue takes the whole context, counts an id once, and takes ids in upper case', async () => {
	const id = world.entryId('Shop Orders Hook', 'Failed');
	const { status, body } = await requeue('Shop Orders Hook', {
		ids: [id, id.toUpperCase(), id],
		channelId: world.channelId('Shop Orders Hook'),
		accountId: world.accountId('Acme Shop'),
		organizationId: world.state.organizations[0]?.organizationId,
	});
	expect({ status, body }).toEqual({ status: 201, body: { requeuedCount: 1 } });
	expect(await get('Shop Orders Hook', id)).toMatchObject({ statusName: 'Pending', retryCount: 2 });
});

test('requeue changes nothing when one of the entries is unknown', async () => {
	const id = world.entryId('Shop Orders Hook', 'Failed');
	const elsewhere = world.entryId('Shop Warehouse Hook', 'Failed');
	const { status, body } = await requeue('Shop Orders Hook', { ids: [id, elsewhere, unknownId] });
	expect(status).toBe(404);
	expect(body.detail).toBe(`ids: channel "Shop Orders Hook" has no outbox entry ${elsewhere}, ${unknownId}.`);
	expect((await world.client.state()).outbox).toEqual(world.state.outbox);
});

test.each<[string, object, string]>([
	['no ids', {}, 'ids: must name at least one outbox entry'],
	['an empty list', { ids: [] }, 'ids: must name at least one outbox entry'],
	[
		'another channel',
		{ ids: [unknownId], channelId: unknownId },
		'channelId: differs from the id in the path',
	],
	[
		'another account',
		{ ids: [unknownId], accountId: unknownId },
		'accountId: is not the account of the channel',
	],
	[
		'another organization',
		{ ids: [unknownId], organizationId: unknownId },
		'organizationId: is not the organization of the channel',
	],
])('requeue with %s is refused', async (_case, body, detail) => {
	expect(await requeue('Shop Orders Hook', body)).toMatchObject({ status: 400, body: { detail } });
});

test('a pending entry is cancelled, also twice, and is not delivered any more', async () => {
	const id = world.entryId('Support CRM Hook', 'Pending');
	const path = `${outboxPath('Support CRM Hook')}/${id}/cancel`;
	for (const _ of [1, 2]) {
		expect(await world.call('PATCH', path)).toMatchObject({
			status: 200,
			body: { httpSenderOutboxEntryId: id, statusName: 'Cancelled' },
		});
	}
	await world.client.changeChannel(world.channelId('Support CRM Hook'), { isConnected: true });
	await world.client.deliverOutbox();
	expect(await get('Support CRM Hook', id)).toMatchObject({ statusName: 'Cancelled' });
	expect(await requeue('Support CRM Hook', { ids: [id] })).toMatchObject({ status: 201 });
	expect(await get('Support CRM Hook', id)).toMatchObject({ statusName: 'Pending' });
});

test('entries are delivered by themselves when they are due', async () => {
	const quick = await World.start({ outboxDelayMs: 100 });
	try {
		await quick.send('Support Ticket Hook', 'Ticket 1');
		let status: string | undefined;
		for (let tries = 0; tries < 100 && status !== 'Sent'; tries++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			status = (await quick.client.state()).outbox.at(-1)?.statusName;
		}
		expect(status).toBe('Sent');
	} finally {
		await quick.stop();
	}
});
