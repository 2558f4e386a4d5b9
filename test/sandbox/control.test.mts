import { setTimeout as sleep } from 'node:timers/promises';
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

test('what was changed last is on top of the page', async () => {
	const { control } = world.sandbox;
	const channelId = world.channelId('Support E-mail');
	for (const text of ['First', 'Second']) await world.send('Support E-mail', text);
	const [first] = (await world.client.state()).messages;
	// So that the change has a later time than the second message.
	await sleep(5);
	const edit = { channelId, chatId: 'ada@example.com', messageId: first?.messageId, newText: 'Edited' };
	await world.call('PUT', '/api/v1/message/EditMessage', { body: edit });
	await world.client.changeChannel(channelId, { isConnected: false });
	const [entry] = world.state.outbox.filter(({ statusName }) => statusName === 'Pending');
	const { channelId: hook, httpSenderOutboxEntryId: id } = entry ?? {};
	await world.call('PATCH', `/api/v1/admin/channel/${hook}/outbox/${id}/cancel`);

	const { body } = await request(`${control}/`);
	const [, json = ''] = /id="first">([^<]*)/.exec(await body.text()) ?? [];
	const shown = JSON.parse(json) as {
		accounts: Array<{ channels: Array<{ name: string }> }>;
		messages: { rows: Array<{ text: string }> };
		outbox: { rows: Array<{ id: string; status: string }> };
	};
	expect(shown.messages.rows.map(({ text }) => text)).toEqual(['Edited', 'Second']);
	expect(shown.outbox.rows[0]).toMatchObject({ id, status: 'Cancelled' });
	expect(shown.accounts[0]?.channels.slice(0, 3).map(({ name }) => name)).toEqual([
		'Support E-mail',
		'Support Feedback',
		'Support WhatsApp',
	]);
});
