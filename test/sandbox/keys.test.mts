import { useWorld } from './world.mts';

const world = useWorld();

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
