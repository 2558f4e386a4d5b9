import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import { fromStored, type Memory, toStored } from '../../../nodes/Messaging/trigger/compare.ts';
import { runs } from '../support/arbitraries.ts';
import { idOf, Poller, record, watchOf } from './watching.ts';

const known = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const key = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), fc.constant('__proto__'));
const facts = fc.record({
	name: known(fc.string({ unit: 'grapheme' })),
	channelType: known(fc.string()),
	accountId: known(fc.uuid()),
	isConnected: known(fc.boolean()),
	status: known(fc.string()),
	channelStatusId: known(fc.nat()),
	feedbackChannelId: known(fc.string()),
});
const pending = fc.record({ value: fc.boolean(), polls: fc.nat(), since: fc.string() });
const memory: fc.Arbitrary<Memory> = fc.record({
	scope: fc.string(),
	listed: fc.nat(),
	channels: mapOf(facts),
	pending: mapOf(pending),
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

test.each<[what: string, stored: unknown]>([
	['nothing', undefined],
	['text', 'memory'],
	['an empty object', {}],
	['an earlier form', { version: 1, scope: 's', listed: 1, words: [], channels: {}, pending: {} }],
	['a later form', { version: 5, scope: 's', listed: 0, channels: '[]', pending: [] }],
])('%s counts as no memory', (_what, stored) => {
	expect(fromStored(stored)).toBeUndefined();
});

describe('10,000 channels', () => {
	const list = Array.from({ length: 10_000 }, (_, n) =>
		record(n, { channelId: randomUUID(), name: `Customer hotline ${n}`, accountId: idOf(900 + (n % 50)) }),
	);

	test.each<[string, object, number]>([
		['connections only', { events: ['channelConnected', 'channelDisconnected'] }, 550_000],
		['everything', {}, 800_000],
	])('take the room in the database that the documentation names: %s', async (_what, parameters, most) => {
		const poller = new Poller(watchOf(parameters));
		await poller.poll(list);
		const bytes = Buffer.byteLength(JSON.stringify(poller.memory && toStored(poller.memory)));
		expect(bytes).toBeLessThan(most);
		expect(bytes).toBeGreaterThan(most / 2);
	});
});
