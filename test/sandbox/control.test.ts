import { request } from 'undici';
import { RequestLog } from '../../dev/sandbox/requests/request-log.ts';
import { World } from './world.ts';

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
	// A single file: nothing is loaded from elsewhere.
	expect(html).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
	expect(html).not.toContain(world.sandbox.tokens.org);
});

/** The data behind the live page. */
interface Shown {
	keys: Array<{ id: string; token: string }>;
}

async function shown(): Promise<Shown> {
	const { body } = await request(world.sandbox.page);
	const [, json = ''] = /id="first">([^<]*)/.exec(await body.text()) ?? [];
	return JSON.parse(json) as Shown;
}

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

const entry: Parameters<RequestLog['begin']>[0] = {
	at: '2026-01-01T00:00:00.000Z',
	startedMs: 0,
	method: 'GET',
	path: '/api/v1/channel/ListChannels',
	query: {},
	headers: {},
	bodyText: '',
	body: null,
	operationId: null,
	conforms: true,
	problems: [],
	fault: null,
	status: null,
	accepted: false,
	keyId: null,
	clientClosed: false,
};

test('the last 20,000 requests are kept, however many there were', () => {
	const log = new RequestLog();
	for (let n = 1; n <= 70_000; n++) {
		log.begin(entry);
		// Not only the list: the data that it is cut from must not grow forever either.
		if (n % 1000 === 0) expect(log.latest(Infinity).length).toBeLessThanOrEqual(24_000);
	}
	expect(log.list()).toHaveLength(20_000);
	expect(log.list().at(0)?.n).toBe(50_001);
	expect(log.list().at(-1)?.n).toBe(70_000);
	expect(log.latest(2).map(({ n }) => n)).toEqual([70_000, 69_999]);
	expect(log.total).toBe(70_000);
});
