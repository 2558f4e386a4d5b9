import { randomUUID } from 'node:crypto';

import { fromStored, toStored } from '../../../nodes/Messaging/trigger/memory.ts';
import { idOf, Poller, record, watchOf } from './watching.mts';

test.each<[what: string, stored: unknown]>([
	['nothing', undefined],
	['text', 'memory'],
	['an empty object', {}],
	['an earlier form', { version: 1, scope: 's', listed: 1, words: [], channels: {}, pending: {} }],
	['a later form', { version: 5, scope: 's', listed: 0, channels: '[]', pending: [] }],
])('%s counts as no memory', (_what, stored) => {
	expect(fromStored(stored)).toBeUndefined();
});

const list = Array.from({ length: 10_000 }, (_, n) =>
	record(n, { channelId: randomUUID(), name: `Customer hotline ${n}`, accountId: idOf(900 + (n % 50)) }),
);

test.each<[string, object, number]>([
	['connections only', { events: ['channelConnected', 'channelDisconnected'] }, 550_000],
	['everything', {}, 800_000],
])(
	'10,000 channels take the room in the database that the documentation names: %s',
	async (_what, parameters, most) => {
		const poller = new Poller(watchOf(parameters));
		await poller.poll(list);
		const bytes = Buffer.byteLength(JSON.stringify(poller.memory && toStored(poller.memory)));
		expect(bytes).toBeLessThan(most);
		expect(bytes).toBeGreaterThan(most / 2);
	},
);
