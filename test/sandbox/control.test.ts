import { request } from 'undici';
import { packageFor, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

test('one seed gives one state, another seed another', async () => {
	const other = await world.client.reset(2);
	const second = await world.client.state();
	expect(other.seed).toBe(2);
	expect(second.seed).toBe(2);
	expect(second.channels.map(({ name }) => name)).toEqual(world.state.channels.map(({ name }) => name));
	expect(second.channels.map(({ channelId }) => channelId)).not.toEqual(
		world.state.channels.map(({ channelId }) => channelId),
	);
	expect(other.tokens).not.toEqual(world.sandbox.tokens);
	expect((await world.client.reset(1)).tokens).toEqual(world.sandbox.tokens);
	expect(await world.client.state()).toEqual(world.state);
});

test('the same calls after a reset give the same ids', async () => {
	const first = await world.send('Support E-mail', 'Hello');
	await world.reset();
	const second = await world.send('Support E-mail', 'Hello');
	expect(second.packageId).toBe(first.packageId);
	expect(second.content.messageId).toBe(first.content.messageId);
});

test('a reset brings back the seeded state and clears log and plans', async () => {
	await world.client.setPlan({ limit: 2, seconds: 3600 });
	await world.call('DELETE', `/api/v1/Admin/ApiKey/${world.keyId('Acme Shop key')}`);
	await world.send('Support Ticket Hook', 'Hello');
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 429 });
	const before = world.state;
	await world.reset();
	expect(world.state).toEqual(before);
	expect(await world.client.requests()).toEqual([]);
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 200 });
});

test('every seeded id is a version 4 uuid, and the tokens carry their prefixes', () => {
	const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
	const { organizations, accounts, channels, apiKeys, outbox, providers } = world.state;
	const ids = [
		...organizations.map((row) => row.organizationId),
		...accounts.map((row) => row.accountId),
		...channels.map((row) => row.channelId),
		...apiKeys.map((row) => row.id),
		...outbox.map((row) => row.httpSenderOutboxEntryId),
		...providers.map((row) => row.providerId),
	];
	for (const id of ids) expect(id).toMatch(uuid);
	expect(new Set(ids).size).toBe(ids.length);
	expect(apiKeys.map(({ apiKey }) => apiKey.slice(0, 4))).toEqual(['org_', 'acc_', 'acc_', 'acc_']);
	expect(world.sandbox.tokens).toEqual({ org: apiKeys[0]?.apiKey, acc: apiKeys[1]?.apiKey });
});

test('the request log is emptied on demand and counts what is open at once', async () => {
	await world.client.setFaults([{ kind: 'latency', ms: 150 }]);
	await Promise.all([1, 2, 3].map(() => world.call('GET', '/api/v1/Me')));
	const requests = await world.client.requests();
	expect(requests.map(({ inFlight }) => inFlight)).toEqual([1, 2, 3]);
	await world.client.clearRequests();
	expect(await world.client.requests()).toEqual([]);
});

test('channels are added in bulk, to the first account or to a named one', async () => {
	const { added, channelIds } = await world.client.addChannels(150);
	expect([added, channelIds.length]).toEqual([150, 150]);
	await world.client.addChannels(5, world.accountId('Acme Shop'));
	const { body } = await world.call<Array<{ accountId: string }>>('GET', '/api/v1/Admin/Channel');
	expect(body).toHaveLength(10 + 155);
	const shop = body.filter(({ accountId }) => accountId === world.accountId('Acme Shop'));
	expect(shop).toHaveLength(4 + 5);
});

test('a channel drops, comes back, changes its status and its feedback channel', async () => {
	const channelId = world.channelId('Support E-mail');
	const feedbackChannelId = world.channelId('Support WhatsApp');
	const listed = async () => {
		const { body } = await world.call<Array<Record<string, unknown>>>('GET', '/api/v1/Admin/Channel');
		return body.find((channel) => channel['channelId'] === channelId);
	};
	const before = await listed();
	await world.client.changeChannel(channelId, { isConnected: false, channelStatusId: 3, feedbackChannelId });
	const changed = await listed();
	expect(changed).toMatchObject({ isConnected: false, status: { channelStatusId: 3 }, feedbackChannelId });
	expect(changed?.['stateUpdatedAt']).not.toBe(before?.['stateUpdatedAt']);
	await world.client.changeChannel(channelId, { isConnected: true, feedbackChannelId: null });
	expect(await listed()).toMatchObject({ isConnected: true, feedbackChannelId: null });
});

test('a channel that is removed is gone, from the feedback of others too', async () => {
	const channelId = world.channelId('Support Feedback');
	await world.client.removeChannel(channelId);
	const { body } = await world.call<Array<{ channelId: string; feedbackChannelId: string | null }>>(
		'GET',
		'/api/v1/Admin/Channel',
	);
	expect(body.map((channel) => channel.channelId)).not.toContain(channelId);
	expect(body.map((channel) => channel.feedbackChannelId)).not.toContain(channelId);
	await expect(world.client.removeChannel(channelId)).rejects.toThrow('404');
});

test('a configuration schema is served where the channel type says', async () => {
	const types = Object.fromEntries(
		world.state.channelTypes.map((type) => [type.key, type.configurationSchemaUrl]),
	);
	expect(types['WEBCHAT']).toBeNull();
	const schema = await request(String(types['HTTP']));
	expect(schema.headers['content-type']).toContain('application/schema+json');
	expect(await schema.body.json()).toMatchObject({ type: 'object', required: ['url'] });
	const page = await request(String(types['SMS']));
	expect(page.headers['content-type']).toContain('text/html');
	await page.body.dump();
});

test('an unknown control endpoint is a 404 and no request of the API', async () => {
	const { statusCode, body } = await request(`${world.sandbox.control}/nothing`);
	expect(statusCode).toBe(404);
	await body.dump();
	expect(await world.client.requests()).toEqual([]);
});

test('the page shows messages as they arrive', async () => {
	const { headers, body } = await request(`${world.sandbox.control}/events`);
	expect(headers['content-type']).toBe('text/event-stream');
	let stream = '';
	const arrived = (async () => {
		for await (const chunk of body) {
			stream += String(chunk);
			if (stream.includes('Hello </script> page')) return;
		}
	})();
	await world.send('Support E-mail', 'Hello </script> page');
	await arrived;
	body.destroy();
	expect(stream).toContain('"accounts"');
	expect(stream).not.toContain(world.sandbox.tokens.org);

	const page = await request(world.sandbox.page);
	const html = await page.body.text();
	expect(page.headers['content-type']).toContain('text/html');
	expect(html).toContain('Hello \\u003c/script> page');
	// One file: nothing is fetched from anywhere else.
	expect(html).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
	expect(html).not.toContain(world.sandbox.tokens.org);
});

test('two thousand requests are served, 32 at a time, and all are logged', async () => {
	const body = packageFor(world.channelId('Support E-mail'), 'Hello');
	let next = 0;
	const worker = async (): Promise<void> => {
		while (next++ < 2_000) {
			const response = await request(`${world.sandbox.url}/api/v1/message/SendMessage`, {
				method: 'POST',
				headers: { 'x-api-key': world.sandbox.tokens.org, 'content-type': 'application/json; v=1.0' },
				body: JSON.stringify(body),
			});
			await response.body.dump();
			expect(response.statusCode).toBe(200);
		}
	};
	await Promise.all(Array.from({ length: 32 }, worker));
	expect((await world.client.state()).messages).toHaveLength(2_000);
	const requests = await world.client.requests();
	expect(requests).toHaveLength(2_000);
	expect(requests.every(({ conforms, accepted }) => conforms && accepted)).toBe(true);
}, 60_000);
