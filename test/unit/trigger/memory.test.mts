import { randomUUID } from 'node:crypto';

import { fromStored, toStored } from '../../../nodes/Messaging/trigger/memory.ts';
import { idOf, Poller, record, watchOf } from './watching.mts';

test.each<[what: string, stored: unknown]>([
	['nothing', undefined],
	['text', 'memory'],
	['an empty object', {}],
	['an earlier form', { version: 1, scope: 's', listed: 1, words: [], channels: {}, pending: {} }],
	['a later form', { version: 6, scope: 's', listed: 0, channels: '[]', pending: [] }],
])('%s counts as no memory', (_what, stored) => {
	expect(fromStored(stored)).toBeUndefined();
});

test.each<[string, object, number]>([
	['connections only', { events: ['channelConnected', 'channelDisconnected'] }, 7],
	['everything', {}, 25],
])('100 channels take the room that the documentation names: %s', async (_what, parameters, kilobytes) => {
	const poller = new Poller(watchOf(parameters));
	await poller.poll(
		Array.from({ length: 100 }, (_, n) =>
			record(n, { channelId: randomUUID(), name: `Customer hotline ${n}`, accountId: idOf(900 + n) }),
		),
	);
	const bytes = JSON.stringify(poller.memory && toStored(poller.memory)).length;
	expect(Math.abs(bytes / 1000 - kilobytes)).toBeLessThan(1);
});
