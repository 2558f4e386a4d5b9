import type { ApiKeyView } from '../../dev/sandbox/records/views.ts';
import { unknownId, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

const path = (keyName: string): string => `/api/v1/Admin/ApiKey/${world.keyId(keyName)}`;

test.each([
	['org', 'Acme organization key', 'organization'],
	['acc', 'Acme Support key', 'account'],
] as const)('Me shows the calling %s key with a masked token and its plan', async (which, name, type) => {
	const token = world.sandbox.tokens[which];
	const { status, body } = await world.call<ApiKeyView>('GET', '/api/v1/Me', { token });
	expect(status).toBe(200);
	expect(body).toMatchObject({
		id: world.keyId(name),
		name,
		type,
		apiKey: `${which}_********${token.slice(-4)}`,
		accountId: world.accountId('Acme Support'),
		account: { name: 'Acme Support' },
		organization: { name: 'Acme' },
		resourcePlan: { limit: 1_000_000, seconds: 60 },
	});
});

test('an update changes name and description only, each by itself', async () => {
	const before = await world.call<ApiKeyView>('GET', '/api/v1/Me', { token: world.token('Acme Shop key') });
	const renamed = await world.call<ApiKeyView>('PUT', path('Acme Shop key'), {
		body: { apiKeyId: world.keyId('Acme Shop key'), name: 'Renamed' },
	});
	expect(renamed).toMatchObject({ status: 200 });
	expect(renamed.body).toEqual({ ...before.body, name: 'Renamed' });
	const cleared = await world.call<ApiKeyView>('PUT', path('Acme Shop key'), { body: { description: '' } });
	expect(cleared.body).toEqual({ ...before.body, name: 'Renamed', description: '' });
	const again = await world.call('GET', '/api/v1/Me', { token: world.token('Acme Shop key') });
	expect(again).toMatchObject({ status: 200 });
});

test('an update with another id in the body is refused', async () => {
	const answer = await world.call('PUT', path('Acme Shop key'), { body: { apiKeyId: unknownId } });
	expect(answer).toMatchObject({
		status: 400,
		body: { detail: 'apiKeyId: differs from the id in the path' },
	});
});

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

test('a key may revoke itself', async () => {
	const token = world.sandbox.tokens.acc;
	expect(await world.call('DELETE', path('Acme Support key'), { token })).toMatchObject({ status: 204 });
	expect(await world.call('GET', '/api/v1/Me', { token })).toMatchObject({ status: 401 });
});

test('a key of the other organization is out of reach', async () => {
	expect(await world.call('DELETE', path('Globex Helpdesk key'))).toMatchObject({ status: 404 });
	expect(await world.call('DELETE', `/api/v1/Admin/ApiKey/${unknownId}`)).toMatchObject({ status: 404 });
});

test('no answer of the API holds a whole token', async () => {
	const answers = [
		await world.call<unknown>('GET', '/api/v1/Me'),
		await world.call<unknown>('PUT', path('Acme Shop key'), { body: { name: 'x' } }),
		await world.call<unknown>('GET', '/api/v1/Admin/Account'),
	];
	const tokens = world.state.apiKeys.map(({ apiKey }) => apiKey);
	for (const { text } of answers) {
		for (const token of tokens) expect(text).not.toContain(token);
	}
});
