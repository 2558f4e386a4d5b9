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
