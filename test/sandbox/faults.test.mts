import { request } from 'undici';
import { packageFor, useWorld } from './world.mts';

const world = useWorld();

test('skip, every and times choose among the matches', async () => {
	await world.client.setFaults([{ kind: 'status', status: 500, skip: 1, every: 2, times: 2 }]);
	const statuses: number[] = [];
	for (let n = 0; n < 8; n++) {
		const body = packageFor(world.channelId('Support E-mail'), 'Hello');
		statuses.push((await world.call('POST', '/api/v1/message/SendMessage', { body })).status);
	}
	expect(statuses).toEqual([200, 200, 500, 200, 500, 200, 200, 200]);
	expect(await world.client.faults()).toMatchObject([{ matched: 8, applied: 2 }]);
});

test.each<[string, unknown]>([
	['an unknown kind', [{ kind: 'explode' }]],
	['a path that is no expression', [{ kind: 'reset', path: '(' }]],
	['no list', { kind: 'reset' }],
])('%s is refused', async (_case, rules) => {
	const { statusCode, body } = await request(`${world.sandbox.control}/faults`, {
		method: 'PUT',
		body: JSON.stringify(rules),
	});
	expect(statusCode).toBe(400);
	expect(await body.json()).toMatchObject({ title: 'Bad Request' });
	expect(await world.client.faults()).toEqual([]);
});
