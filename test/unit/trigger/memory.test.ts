import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import { fromStored, type Memory, toStored } from '../../../nodes/Messaging/trigger/compare.ts';
import { runs } from '../support/arbitraries.ts';
import { idOf, Poller, record, watchOf } from './watching.ts';

const word = fc.oneof(
	fc.string({ unit: 'grapheme', maxLength: 12 }),
	fc.constantFrom('', ',', '1', '=', '__proto__'),
);
const key = fc.oneof(
	fc.uuid(),
	word.filter((text) => text !== ''),
	fc.constant('__proto__'),
);
const facts = fc.record(
	{
		connected: fc.constantFrom('yes', 'no'),
		status: word,
		feedback: word,
		name: word,
		channelType: word,
		accountId: word,
	},
	{ requiredKeys: [] },
);
const memory: fc.Arbitrary<Memory> = fc.record({
	scope: word,
	listed: fc.nat(),
	channels: mapOf(facts),
	pending: mapOf(fc.record({ value: word, polls: fc.nat(), since: word })),
});

function mapOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<ReadonlyMap<string, T>> {
	return fc.array(fc.tuple(key, value), { maxLength: 6 }).map((entries) => new Map(entries));
}

test('what is saved is read as it was', () => {
	fc.assert(
		fc.property(memory, (remembered) => {
			const saved = JSON.stringify(toStored(remembered));
			expect(fromStored(JSON.parse(saved))).toEqual(remembered);
		}),
		runs(500),
	);
});

const saved = {
	version: 3,
	scope: 's',
	listed: 1,
	groups: [[[null, null], [['a', 'yes', null, null, null]]]],
	pending: [],
};

test.each<[what: string, stored: unknown]>([
	['nothing', undefined],
	['null', null],
	['text', 'memory'],
	['a list', []],
	['an empty object', {}],
	['an earlier form', { version: 1, scope: 's', listed: 1, words: [], channels: {}, pending: {} }],
	['a later form', { ...saved, version: 4 }],
])('what can not be read counts as no memory: %s', (_what, stored) => {
	expect(fromStored(saved)?.channels.get('a')).toEqual({ connected: 'yes' });
	expect(fromStored(stored)).toBeUndefined();
});

describe('10,000 channels', () => {
	const list = Array.from({ length: 10_000 }, (_, n) =>
		record(n, { channelId: randomUUID(), name: `Customer hotline ${n}`, accountId: idOf(900 + (n % 50)) }),
	);

	test.each<[string, object, number]>([
		['connections only', { events: ['channelConnected', 'channelDisconnected'] }, 800_000],
		['everything', {}, 1_000_000],
	])('take the room in the database that the documentation names: %s', async (_what, parameters, most) => {
		const poller = new Poller(watchOf(parameters));
		await poller.poll(list);
		const { memory: remembered } = poller;
		const bytes = Buffer.byteLength(JSON.stringify(remembered && toStored(remembered)));
		expect(bytes).toBeLessThan(most);
		expect(bytes).toBeGreaterThan(most / 2);
	});
});
