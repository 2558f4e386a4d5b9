import { useWorld } from './world.mts';

const world = useWorld();

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

const path = (keyName: string): string => `/api/v1/Admin/ApiKey/${world.keyId(keyName)}`;

test('a deleted key is revoked at once and for good, and the others work on', async () => {
	const token = world.token('Acme Shop key');
	const removed = await world.call<undefined>('DELETE', path('Acme Shop key'));
	expect(removed).toMatchObject({ status: 204, text: '' });
	expect(await world.call('GET', '/api/v1/Me', { token })).toMatchObject({ status: 401 });
	expect(await world.call('GET', '/api/v1/Me')).toMatchObject({ status: 200 });
	expect(await world.call('DELETE', path('Acme Shop key'))).toMatchObject({ status: 404 });
	expect(await world.call('PUT', path('Acme Shop key'), { body: { name: 'x' } })).toMatchObject({
		status: 404,
	});
	const { apiKeys } = await world.client.state();
	expect(apiKeys.find(({ name }) => name === 'Acme Shop key')?.revokedAt).toEqual(expect.any(String));
	expect(apiKeys.filter(({ revokedAt }) => revokedAt !== null)).toHaveLength(1);
});

test("the sandbox's own list of outbox entries: of one channel or all, with one status or any, in reach of the key", async () => {
	const list = async (query = '', token: string | null = world.sandbox.tokens.org) =>
		await world.call<Array<{ channelId: string; statusName: string }>>('GET', `/sandbox/outbox${query}`, {
			token,
		});
	const channelId = world.channelId('Shop Orders Hook');
	const failed = await list(`?channelId=${channelId}&statusName=Failed`);
	expect(failed.body).toMatchObject([{ channelId, statusName: 'Failed' }]);
	expect((await list(`?channelId=${channelId}`)).body).toHaveLength(3);
	expect((await list()).body).toHaveLength(12);
	expect((await list('', world.sandbox.tokens.acc)).body).toHaveLength(7);
	expect(await list('', null)).toMatchObject({ status: 401 });
	expect((await world.client.requests()).map(({ problems }) => problems)).toEqual([[], [], [], [], []]);
});
