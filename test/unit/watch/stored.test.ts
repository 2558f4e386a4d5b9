import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import type { Memory } from '../../../nodes/Messaging/watch/memory.ts';
import { fromStored, toStored } from '../../../nodes/Messaging/watch/stored.ts';
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
const state = fc.record(
	{ connected: fc.constantFrom('0', '1'), status: word, feedback: word },
	{ requiredKeys: [] },
);
const pending = fc.record({ value: word, polls: fc.nat(), since: word });
const memory: fc.Arbitrary<Memory> = fc.record({
	scope: word,
	listed: fc.nat(),
	channels: mapOf(
		fc.oneof(
			fc.record({ state }),
			fc.record({ state, identity: fc.record({ name: word, channelType: word, accountId: word }) }),
		),
	),
	pending: mapOf(
		fc.record(
			{ connected: pending, status: pending, feedback: pending, listed: pending },
			{ requiredKeys: [] },
		),
	),
});

function mapOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<ReadonlyMap<string, T>> {
	return fc.array(fc.tuple(key, value), { maxLength: 6 }).map((entries) => new Map(entries));
}

test('what is saved is read as it was', async () => {
	await fc.assert(
		fc.asyncProperty(memory, async (remembered) => {
			const saved = JSON.stringify(await toStored(remembered));
			expect(await fromStored(JSON.parse(saved))).toEqual(remembered);
		}),
		runs(500),
	);
});

test.each([
	[undefined],
	[null],
	['memory'],
	[[]],
	[{}],
	[{ version: 2 }],
	[{ version: 1, scope: 'x', listed: 1 }],
])('what is no memory is none: %j', async (stored) => {
	expect(await fromStored(stored)).toBeUndefined();
});

test('what somebody broke is read as far as it goes', async () => {
	const broken = {
		version: 1,
		scope: 's',
		listed: 1,
		words: [7],
		channels: { '=a': null, '=b': '9,0' },
		pending: { '=a': 1, '=b': { connected: [1] } },
	};
	expect(await fromStored(broken)).toEqual({
		scope: 's',
		listed: 1,
		channels: new Map([
			['a', { state: {} }],
			['b', { state: { status: '7' } }],
		]),
		pending: new Map([
			['a', {}],
			['b', {}],
		]),
	});
});

describe('10,000 channels', () => {
	const list = Array.from({ length: 10_000 }, (_, n) =>
		record(n, { channelId: randomUUID(), name: `Customer hotline ${n}`, accountId: idOf(900 + (n % 50)) }),
	);

	test.each<[string, object, number]>([
		['connections only', { events: ['channelConnected', 'channelDisconnected'] }, 300_000],
		['everything', {}, 600_000],
	])('take little room in the database: %s', async (_what, parameters, most) => {
		const poller = new Poller(watchOf(parameters));
		await poller.poll(list);
		const { memory: remembered } = poller;
		const bytes = Buffer.byteLength(JSON.stringify(remembered && (await toStored(remembered))));
		expect(bytes).toBeLessThan(most);
		expect(bytes).toBeGreaterThan(most / 2);
	});
});
