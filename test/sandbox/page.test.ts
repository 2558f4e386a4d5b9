import { request } from 'undici';

import { World } from './world.ts';

/** What the live page is given to show. */

interface Shown {
	keys: Array<{ id: string; token: string }>;
	messages: { total: number; rows: Array<{ messageId: string; text: string; deleted: boolean }> };
	outbox: { rows: Array<{ id: string; status: string }> };
	accounts: Array<{ name: string; channelCount: number; channels: Array<{ id: string; name: string }> }>;
}

let world: World;
beforeAll(async () => (world = await World.start({ outboxDelayMs: 60_000 })));
afterAll(() => world.stop());
beforeEach(() => world.reset());

async function shown(): Promise<Shown> {
	const { body } = await request(world.sandbox.page);
	const [, json = ''] = /id="first">([^<]*)/.exec(await body.text()) ?? [];
	return JSON.parse(json) as Shown;
}

const texts = async (): Promise<string[]> => (await shown()).messages.rows.map(({ text }) => text);

test('messages come with their id, and the one that changed last stands on top', async () => {
	const channelId = world.channelId('Support E-mail');
	const first = await world.send('Support E-mail', 'one');
	const second = await world.send('Support E-mail', 'two');
	await world.send('Support E-mail', 'three');
	expect(await texts()).toStrictEqual(['three', 'two', 'one']);

	const edited = { channelId, chatId: 'chat', messageId: first.content.messageId };
	await world.call('PUT', '/api/v1/message/EditMessage', { body: { ...edited, newText: 'ONE' } });
	expect(await texts()).toStrictEqual(['ONE', 'three', 'two']);

	const deleted = { channelId, chatId: 'chat', messageId: second.content.messageId };
	await world.call('DELETE', '/api/v1/message/DeleteMessage', { body: deleted });
	expect((await shown()).messages).toMatchObject({
		total: 3,
		rows: [
			{ messageId: second.content.messageId, deleted: true },
			{ messageId: first.content.messageId, deleted: false },
			{ text: 'three' },
		],
	});

	// What changes nothing moves nothing.
	await world.call('PUT', '/api/v1/message/EditMessage', { body: { ...edited, newText: 'one' } });
	await world.call('DELETE', '/api/v1/message/DeleteMessage', { body: deleted });
	expect(await texts()).toStrictEqual(['one', 'two', 'three']);
});

test('of a long message the beginning and the end are shown, cut between characters', async () => {
	const family = '👨‍👩‍👧‍👦';
	await world.send('Support E-mail', `${family.repeat(100_000)} https://n8n.example/answer`);
	const [text = ''] = await texts();
	expect(text.length).toBeLessThan(5_000);
	expect(text.replaceAll(family, '')).toBe('\n…\n https://n8n.example/answer');
	expect((await world.client.state()).messages.at(-1)?.text).toHaveLength(100_000 * family.length + 27);
});

test('an old message that is edited is shown among ever so many newer ones', async () => {
	const first = await world.send('Support E-mail', 'old');
	for (let number = 1; number <= 80; number++) await world.send('Support E-mail', `new ${number}`);
	expect(await texts()).not.toContain('old');
	const reference = { channelId: first.channelId, chatId: 'chat', messageId: first.content.messageId };
	await world.call('PUT', '/api/v1/message/EditMessage', { body: { ...reference, newText: 'edited' } });
	const { total, rows } = (await shown()).messages;
	expect(total).toBe(81);
	expect(rows.length).toBeLessThan(80);
	expect(rows.slice(0, 2)).toMatchObject([{ text: 'edited' }, { text: 'new 80' }]);
});

test('outbox entries come with their id, and the one that changed last stands on top', async () => {
	const cancelled = world.entryId('Support CRM Hook', 'Pending');
	const path = `/api/v1/admin/channel/${world.channelId('Support CRM Hook')}/outbox`;
	await world.call('PATCH', `${path}/${cancelled}/cancel`);
	const [top] = (await shown()).outbox.rows;
	expect(top).toMatchObject({ id: cancelled, status: 'Cancelled' });

	const requeued = world.entryId('Support CRM Hook', 'Failed');
	await world.call('POST', `${path}/requeue`, { body: { ids: [requeued] } });
	await world.call('PATCH', `${path}/${cancelled}/cancel`);
	expect((await shown()).outbox.rows.slice(0, 2)).toMatchObject([{ id: requeued }, { id: cancelled }]);
});

test('the channel that changed last stands on top of its account; the others keep their order', async () => {
	const names = async (): Promise<string[]> => {
		const accounts = (await shown()).accounts;
		return accounts.find(({ name }) => name === 'Acme Support')?.channels.map(({ name }) => name) ?? [];
	};
	const before = await names();
	expect(before[0]).toBe('Support Feedback');
	const id = world.channelId('Support Ticket Hook');
	await world.call('PUT', `/api/v1/Admin/Channel/${id}/parameters`, { body: { parameters: {} } });
	expect(await names()).toStrictEqual([
		'Support Ticket Hook',
		...before.filter((name) => name !== 'Support Ticket Hook'),
	]);
});

test('keys come with their prefix and last four characters, and no token stands anywhere', async () => {
	const { apiKeys } = world.state;
	const { keys } = await shown();
	expect(keys.map(({ id, token }) => ({ id, token }))).toStrictEqual(
		apiKeys.map(({ id, apiKey }) => ({ id, token: `${apiKey.slice(0, 4)}********${apiKey.slice(-4)}` })),
	);
	const page = await request(world.sandbox.page);
	const html = await page.body.text();
	expect(apiKeys.filter(({ apiKey }) => html.includes(apiKey))).toStrictEqual([]);
});

test('what a page is told as it happens holds no token', async () => {
	const { body } = await request(`${world.sandbox.control}/events`);
	const key = world.keyId('Acme Shop key');
	let stream = '';
	const arrived = (async () => {
		for await (const chunk of body) {
			stream += String(chunk);
			if (stream.includes('Renamed')) return;
		}
	})();
	await world.call('PUT', `/api/v1/Admin/ApiKey/${key}`, { body: { name: 'Renamed' } });
	await arrived;
	body.destroy();
	expect(world.state.apiKeys.filter(({ apiKey }) => stream.includes(apiKey))).toStrictEqual([]);
});
