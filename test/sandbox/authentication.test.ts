import { unknownId, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

interface Named {
	name: string;
}

test.each([
	['no key', null, 'The X-API-KEY header is missing.'],
	['a key nobody has', 'acc_nobody', 'The X-API-KEY is not a valid API key.'],
	['an empty key', '', 'The X-API-KEY is not a valid API key.'],
])('%s is refused with 401 problem details', async (_case, token, detail) => {
	const { status, body, headers } = await world.call('GET', '/api/v1/Me', { token });
	expect(status).toBe(401);
	expect(headers['content-type']).toBe('application/json; v=1.0');
	expect(body).toEqual({
		type: 'https://httpstatuses.io/401',
		title: 'Unauthorized',
		status: 401,
		detail,
		instance: '/api/v1/Me',
	});
});

test('an organization key reaches every account of its organization, an account key its own', async () => {
	const all = await world.call<Named[]>('GET', '/api/v1/Admin/Account');
	expect(all.body.map(({ name }) => name)).toEqual(['Acme Support', 'Acme Shop']);
	const own = await world.call<Named[]>('GET', '/api/v1/Admin/Account', { token: world.sandbox.tokens.acc });
	expect(own.body.map(({ name }) => name)).toEqual(['Acme Support']);
	const channels = await world.call<Named[]>('GET', '/api/v1/Admin/Channel', {
		token: world.token('Acme Shop key'),
	});
	expect(channels.body.map(({ name }) => name)).toEqual([
		'Shop Newsletter',
		'Shop Orders Hook',
		'Shop Warehouse Hook',
		'Shop Old WhatsApp',
	]);
});

test('what is out of reach answers exactly like what does not exist', async () => {
	const path = (id: string): string => `/api/v1/Admin/Channel/${id}/parameters`;
	const foreignId = world.channelId('Globex E-mail');
	const foreign = await world.call('PUT', path(foreignId), { body: { parameters: {} } });
	const missing = await world.call('PUT', path(unknownId), { body: { parameters: {} } });
	expect(foreign.status).toBe(404);
	expect(missing.text).toBe(foreign.text.replaceAll(foreignId, unknownId));
});

test('an account key does not reach another account of its own organization', async () => {
	const token = world.sandbox.tokens.acc;
	const channelId = world.channelId('Shop Orders Hook');
	const entryId = world.entryId('Shop Orders Hook', 'Failed');
	const outbox = `/api/v1/admin/channel/${channelId}/outbox`;
	const answers = await Promise.all([
		world.call('POST', '/api/v1/message/SendMessage', {
			token,
			body: { channelId, content: { to: { type: 'EMAIL', email: 'a@b.example' } } },
		}),
		world.call('GET', `${outbox}/${entryId}`, { token }),
		world.call('PATCH', `${outbox}/${entryId}/cancel`, { token }),
		world.call('POST', `${outbox}/requeue`, { token, body: { ids: [entryId] } }),
		world.call('PUT', `/api/v1/Admin/ApiKey/${world.keyId('Acme Shop key')}`, { token, body: { name: 'x' } }),
		world.call('DELETE', `/api/v1/Admin/ApiKey/${world.keyId('Acme Shop key')}`, { token }),
	]);
	expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
	expect(await world.client.state()).toEqual(world.state);
});

test('the log names the key by its id and never holds a token', async () => {
	await world.call('GET', '/api/v1/Me');
	await world.call('GET', '/api/v1/Me', { token: 'acc_nobody' });
	const requests = await world.client.requests();
	expect(requests.map(({ headers, keyId }) => [headers['x-api-key'], keyId])).toEqual([
		[world.keyId('Acme organization key'), world.keyId('Acme organization key')],
		['unknown', null],
	]);
	expect(JSON.stringify(requests)).not.toContain(world.sandbox.tokens.org);
	expect(JSON.stringify(requests)).not.toContain('acc_nobody');
});
