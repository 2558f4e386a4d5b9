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

describe('a memory from before it said which facts are compared', () => {
	const inGroup = (facts: object, ...numbers: number[]) => [
		facts,
		numbers.map((n) => [idOf(n), `Channel ${n}`]),
	];
	const stored = (scope: string, ...groups: unknown[]) => ({
		version: 4,
		scope,
		listed: 3,
		channels: JSON.stringify(groups),
		pending: [],
	});
	const described = { channelType: 'E-mail', accountId: idOf(900) };

	test('goes on with what it has', async () => {
		const poller = new Poller();
		const compared = { isConnected: true, channelStatusId: 1, status: 'Active', feedbackChannelId: '' };
		poller.memory = fromStored(stored(poller.watch.scope, inGroup({ ...described, ...compared }, 0, 1, 2)));
		const changed = record(1, { isConnected: false, status: { channelStatusId: 3, name: 'Suspended' } });
		expect(await poller.events([record(0), changed, record(2)])).toEqual([
			'channelDisconnected 1',
			'channelStatusChanged 1',
		]);
	});

	test('reports nothing that it does not have, then or later', async () => {
		const poller = new Poller(watchOf({ events: ['channelRemoved'] }));
		poller.memory = fromStored(stored(poller.watch.scope, inGroup(described, 0, 1, 2)));
		const named = [0, 1, 2].map((n) => record(n, { status: { name: 'Active' } }));
		expect(await poller.events(named)).toEqual([]);
		poller.watch = watchOf();
		expect(await poller.events(named)).toEqual([]);
		expect(await poller.poll(named.slice(1))).toMatchObject([
			{ event: 'channelRemoved', before: { isConnected: true, status: 'Active' } },
		]);
	});
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
