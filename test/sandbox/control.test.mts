import { request } from 'undici';
import { useWorld } from './world.mts';

const world = useWorld();

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

test('the page shows messages as they arrive, and no token of a key', async () => {
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

	const page = await request(world.sandbox.page);
	const html = await page.body.text();
	expect(page.headers['content-type']).toContain('text/html');
	expect(html).toContain('Hello \\u003c/script> page');
	// A single file: nothing is loaded from elsewhere.
	expect(html).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
	for (const { apiKey } of world.state.apiKeys) {
		expect(html).toContain(`"${apiKey.slice(0, 4)}********${apiKey.slice(-4)}"`);
		expect(html + stream).not.toContain(apiKey);
	}
});
