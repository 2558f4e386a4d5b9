import { request } from 'undici';
import { useWorld } from './world.mts';

const world = useWorld();

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
