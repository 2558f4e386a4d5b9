import { byId, fromList } from '../../cases/values.mts';
import { fromStored, toStored } from '../../../nodes/Messaging/trigger/memory.ts';
import { idOf, momentOf, type Parameters, Poller, record, records, watchOf } from './watching.mts';

/** Channels, some with changed values; five unless a count is given. */
function listWith(changes: Record<number, Record<string, unknown>>, count = 5) {
	return Array.from({ length: count }, (_, n) => record(n, changes[n]));
}

/** Channels without some of them. */
const without = (count: number, ...missing: number[]) =>
	records(count).filter(({ channelId }) => !missing.some((n) => channelId === idOf(n)));

/** A poll's body, and the events that it gives. */
type Poll = [body: unknown[], ...events: string[]];

/** Polls with these bodies in turn, with a restart before each one. */
async function expectEvents(parameters: Parameters, polls: readonly Poll[]): Promise<Poller> {
	const poller = new Poller(watchOf(parameters));
	const given: Poll[] = [];
	for (const [body] of polls) {
		await poller.restart();
		given.push([body, ...(await poller.events(body))]);
	}
	expect(given.map(([, ...events]) => events)).toEqual(polls.map(([, ...events]) => events));
	return poller;
}

const down = { isConnected: false };
const unknown = { isConnected: null };
const suspended = { status: { channelStatusId: 3, name: 'Suspended' } };
const feedback = { feedbackChannelId: idOf(7) };
const deleted = { status: { channelStatusId: 5, name: 'Deleted', isTerminalDeletionState: true } };

describe('the item of a change', () => {
	const described = { name: 'Channel 2', channelType: 'E-mail', accountId: idOf(900) };
	const fields = { ...described, isConnected: true, status: 'Active' };

	const at = '2026-02-03T04:05:06Z';
	const [active, third] = [
		{ status: 'Active', channelStatusId: 1 },
		{ status: 'Suspended', channelStatusId: 3 },
	];

	it.each<[event: string, changed: Record<string, unknown>, before: object, after: object, since: string]>([
		['channelDisconnected', { ...down, stateUpdatedAt: at }, { isConnected: true }, down, at],
		['channelStatusChanged', suspended, active, third, momentOf(2)],
		['feedbackChannelChanged', feedback, { feedbackChannelId: null }, feedback, momentOf(2)],
	])('has both sides: %s', async (event, changed, before, after, since) => {
		const poller = new Poller();
		expect(await poller.poll(records(5))).toEqual([]);
		const shown = Object.entries(after).filter(([name]) => name in fields);
		expect(await poller.poll(listWith({ 2: changed }))).toEqual([
			{ event, channelId: idOf(2), ...fields, ...Object.fromEntries(shown), before, after, since },
		]);
		expect(await poller.poll(listWith({ 2: changed }))).toEqual([]);
	});

	it('has all fields on one side for a channel that is new or gone', async () => {
		const poller = new Poller();
		await poller.poll(without(5, 2));
		const item = { channelId: idOf(2), ...fields };
		expect(await poller.poll(records(5))).toEqual([
			{ event: 'channelCreated', ...item, before: {}, after: fields, since: '2026-01-01T00:00:00Z' },
		]);
		await poller.restart();
		// Values that the service does not show for a while are not lost.
		await poller.poll(listWith({ 2: { name: null, channelType: null, status: null, ...unknown } }));
		expect(await poller.poll(without(5, 2))).toEqual([
			{ event: 'channelRemoved', ...item, before: fields, after: {}, since: momentOf(4) },
		]);
	});

	it('has all fields of a channel that is gone, if no other event is chosen', async () => {
		const poller = new Poller(watchOf({ events: ['channelRemoved'] }));
		await poller.poll(records(5));
		await poller.restart();
		expect(await poller.poll(listWith({ 2: { ...down, status: { name: 'Suspended' } } }))).toEqual([]);
		const last = { ...fields, ...down, status: 'Suspended' };
		expect(await poller.poll(without(5, 2))).toMatchObject([
			{ event: 'channelRemoved', ...last, before: last, after: {} },
		]);
	});

	it('has the names on both sides of a status without a number', async () => {
		const poller = new Poller();
		await poller.poll(listWith({ 2: { status: { name: 'Active' } } }));
		expect(await poller.poll(listWith({ 2: { status: { name: 'Suspended' } } }))).toMatchObject([
			{
				before: { status: 'Active', channelStatusId: null },
				after: { status: 'Suspended', channelStatusId: null },
			},
		]);
	});

	it.each([null, 'yesterday', '0001-01-01T00:00:00', '2026-02-03 04:05:06', 'Tue, 03 Feb 2026 04:05:06 GMT'])(
		'says when the change was first seen, if the service does not say when it happened: %j',
		async (stateUpdatedAt) => {
			const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
			await poller.poll(records(5));
			await poller.poll(listWith({ 1: { ...down, stateUpdatedAt: null } }));
			expect(await poller.poll(listWith({ 1: { ...down, stateUpdatedAt } }))).toMatchObject([
				{ since: momentOf(2) },
			]);
		},
	);
});

describe('a change', () => {
	it.each<[string, ...Poll[]]>([
		[
			'of the status is one of its number, not of its name alone',
			[records(5)],
			[listWith({ 1: { status: { channelStatusId: 1, name: 'In use' } } })],
			[listWith({ 1: { status: { name: 'Suspended' } } })],
			[listWith({ 1: suspended }), 'channelStatusChanged 1'],
		],
		[
			'of the status is one of its name if the service shows no number',
			[listWith({ 1: { status: { name: 'Active' } }, 2: { status: { name: 'Active' } } })],
			[
				listWith({ 1: { status: { name: 'Suspended' } }, 2: suspended }),
				'channelStatusChanged 1',
				'channelStatusChanged 2',
			],
			[listWith({ 1: { status: null }, 2: { status: { channelStatusId: 3, name: 'Paused' } } })],
			[listWith({ 1: { status: { name: 'Active' } }, 2: suspended }), 'channelStatusChanged 1'],
			[listWith({ 1: { status: { channelStatusId: 1 } }, 2: suspended })],
			[listWith({ 1: suspended, 2: suspended }), 'channelStatusChanged 1'],
		],
		[
			'is one of the last entry when a channel is listed twice',
			[records(5)],
			[[record(0, down), ...records(5)]],
			[[...records(5), record(0, down)], 'channelDisconnected 0'],
		],
		[
			'to a permanent deletion is a removal, though the list still shows the channel',
			[records(5)],
			[listWith({ 2: deleted }), 'channelStatusChanged 2', 'channelRemoved 2'],
			[listWith({ 2: deleted })],
			[without(5, 2)],
		],
	])('%s', async (_name, ...polls) => {
		await expectEvents({}, polls);
	});

	it.each([
		[{ isConnected: 'yes' }],
		[{ status: { channelStatusId: 'two', name: 'Active' } }],
		[{ feedbackChannelId: undefined }],
		[{ accountId: null, channelType: null, name: null }],
		[{ channelId: idOf(1).toUpperCase() }],
	])('is none of these: %j', async (shown) => {
		const before = listWith({ 1: { ...down, ...feedback } });
		await expectEvents({ accountId: idOf(900), channelType: 'EMAIL' }, [
			[before],
			[listWith({ 1: { ...down, ...feedback, ...shown } })],
			[before],
		]);
	});
});

describe('a removal', () => {
	it.each([[null], ['channel'], [[]], [{}], [{ channelId: null }], [{ channelId: ' ' }]])(
		'is found at once though the list has entries without an ID: %j',
		async (odd) => {
			await expectEvents({}, [
				[records(5)],
				[[odd, ...records(5), odd]],
				[[odd, ...records(4)], 'channelRemoved 4'],
			]);
		},
	);

	const own = (n: number) => record(n, { accountId: idOf(901) });
	const ofOne = { accountId: idOf(901) };
	const others = Array.from({ length: 20 }, (_, n) => record(100 + n));
	it.each<[string, Parameters, full: unknown[], short: unknown[], gone: number[]]>([
		['empty', {}, records(3), [], [0, 1, 2]],
		['short of others', ofOne, [own(0), own(1), own(2), ...others], [own(1), own(2)], [0]],
		['short of half of the watched', ofOne, [own(0), own(1), ...others], [own(1), ...others], [0]],
	])('needs a second poll when the list is suddenly %s', async (_what, parameters, full, short, gone) => {
		const removed = gone.map((n) => `channelRemoved ${n}`);
		await expectEvents(parameters, [[full], [short], [full], [short], [short, ...removed], [short]]);
	});

	it('needs as many polls as Hold For says, however short the list is', async () => {
		await expectEvents({ options: { holdFor: 3 } }, [
			[records(3)],
			[[]],
			[[]],
			[[], 'channelRemoved 0', 'channelRemoved 1', 'channelRemoved 2'],
		]);
	});

	it('hides no drop from those who watch connections only, however long the list is empty', async () => {
		await expectEvents({ events: ['channelConnected', 'channelDisconnected'] }, [
			[records(10)],
			[[]],
			[[]],
			[[]],
			[listWith({ 0: down }, 10), 'channelDisconnected 0'],
			[[]],
			[[]],
			[records(10), 'channelConnected 0'],
		]);
	});

	it('forgets channels that are deleted for good, even if removals are not reported', async () => {
		const poller = new Poller(watchOf({ events: ['channelDisconnected'] }));
		await poller.poll(records(3));
		await poller.poll([record(1, deleted)]);
		await poller.poll([record(1, deleted)]);
		expect(poller.memory?.channels.has(idOf(1))).toBe(false);
	});
});

it('Hold For holds new and missing channels too', async () => {
	await expectEvents({ options: { holdFor: 2 } }, [
		[records(10)],
		[records(11)],
		[records(10)],
		[records(11)],
		[records(11), 'channelCreated 10'],
		[records(10)],
		[records(11)],
		[records(10)],
		[records(10), 'channelRemoved 10'],
	]);
});

it('the first poll reports what it finds if First Poll says so, whatever Hold For says', async () => {
	const options = { firstPoll: 'report', holdFor: 3 };
	const list = [record(0), record(1, { ...down, ...feedback }), record(2, unknown), record(3, deleted)];
	await expectEvents({ options, events: ['channelDisconnected'] }, [[list, 'channelDisconnected 1']]);
	const poller = await expectEvents({ options, events: ['channelCreated', 'feedbackChannelChanged'] }, [
		[list, 'channelCreated 0', 'channelCreated 1', 'feedbackChannelChanged 1', 'channelCreated 2'],
		[list],
	]);
	expect(poller.memory?.channels.size).toBe(3);
});

describe('filters', () => {
	const types = [
		record(0),
		record(1, { channelType: { key: 'SMS', name: 'Text message' }, accountId: idOf(901) }),
		record(2, { channelType: null, provider: { channelTypeKey: 'SMS' } }),
		record(3, { account: { accountId: idOf(901) }, accountId: null }),
	];
	const allDown = types.map((one) => ({ ...one, ...down }));

	it.each<[string, Parameters, number[]]>([
		['a channel', { channelId: byId(` ${idOf(1).toUpperCase()}`) }, [1]],
		['a type by its key', { channelType: ' sms ' }, [1, 2]],
		['a type by its name', { channelType: 'Text Message' }, [1]],
		['an account and a type', { accountId: idOf(901), channelType: 'EMAIL' }, [3]],
		['all channels, if empty', { channelId: '', accountId: fromList('') }, [0, 1, 2, 3]],
	])('let through %s, and remember no other', async (_what, parameters, expected) => {
		const drops = expected.map((n) => `channelDisconnected ${n}`);
		const poller = await expectEvents(parameters, [[types], [allDown, ...drops]]);
		expect(poller.memory?.channels.size).toBe(expected.length);
	});

	it('report nothing when they are changed, and hide nothing of the channels that stay watched', async () => {
		const poller = new Poller();
		await poller.poll(types);
		poller.watch = watchOf({ accountId: idOf(901) });
		expect(await poller.events(allDown)).toEqual(['channelDisconnected 1', 'channelDisconnected 3']);
		poller.watch = watchOf();
		expect(await poller.events(allDown)).toEqual([]);
		poller.watch = watchOf({ channelId: idOf(2) });
		expect(await poller.events(types)).toEqual(['channelConnected 2']);
		expect(poller.memory?.channels.size).toBe(1);
	});

	it('report no removal of a channel that moves to another account', async () => {
		const moved = types.map((one) => ({ ...one, accountId: idOf(900) }));
		await expectEvents({ accountId: idOf(901) }, [[types], [moved]]);
	});
});

test('another key or service reports no channels as created or removed, then or later', async () => {
	const poller = new Poller();
	await poller.poll(records(5));
	poller.watch = watchOf({}, { id: 'another key' });
	const others = [record(0, down), ...Array.from({ length: 4 }, (_, n) => record(50 + n))];
	expect(await poller.events(others)).toEqual(['channelDisconnected 0']);
	expect(await poller.events(others)).toEqual([]);
});

test('events that are chosen later are reported from then on', async () => {
	const poller = new Poller(watchOf({ events: ['channelCreated'] }));
	await poller.poll(records(5));
	poller.watch = watchOf();
	const changed = listWith({ 1: { ...down, ...feedback } });
	expect(await poller.events(changed)).toEqual([]);
	expect(await poller.events(records(5))).toEqual(['channelConnected 1', 'feedbackChannelChanged 1']);
	poller.watch = watchOf({ events: ['channelRemoved'] });
	expect(await poller.events(changed)).toEqual([]);
	expect(await poller.poll(changed.slice(1))).toMatchObject([{ event: 'channelRemoved', name: 'Channel 0' }]);
});

test('a channel that went before removals were chosen is not reported as removed', async () => {
	const poller = new Poller(watchOf({ events: ['channelDisconnected'] }));
	await poller.poll(records(5));
	await poller.poll(without(5, 2));
	poller.watch = watchOf({ events: ['channelDisconnected', 'channelRemoved'] });
	expect(await poller.events(without(5, 2))).toEqual([]);
	expect(await poller.events(without(5, 2))).toEqual([]);
	expect(await poller.events(without(5, 2, 3))).toEqual(['channelRemoved 3']);
});

test('what is remembered for a removal serves an event that is chosen later, too', async () => {
	const poller = new Poller(watchOf({ events: ['channelRemoved'] }));
	await poller.poll(records(5));
	poller.watch = watchOf();
	const changed = listWith({ 1: { ...down, ...suspended }, 2: { status: { name: 'Suspended' } } });
	expect(await poller.events(changed)).toEqual([
		'channelDisconnected 1',
		'channelStatusChanged 1',
		'channelStatusChanged 2',
	]);
});

test.each<[Parameters, RegExp]>([
	[{ channelId: 'E-mail' }, /"Channel" .*UUID/],
	[{ accountId: 17 }, /"Account" .*UUID/],
	[{ events: [] }, /"Trigger On" .*it is empty/],
	[{ events: ['channelExploded'] }, /"Trigger On" .*channelExploded/],
	[{ events: 'channelCreated' }, /"Trigger On" needs a list/],
	[{ options: { firstPoll: 'panic' } }, /"First Poll" needs one of its choices/],
])('invalid parameters are refused: %j', (parameters, message) => {
	expect(() => watchOf(parameters)).toThrow(message);
});

test('10,000 channels are remembered in less than 1 MB, however much of them the events need', async () => {
	const poller = new Poller();
	const many = records(10_000).map((channel, n) => ({
		...channel,
		name: `The channel of customer ${n}`,
		accountId: idOf(20_000 + (n % 100)),
		feedbackChannelId: idOf(30_000 + (n % 100)),
		isConnected: n % 3 === 0,
	}));
	await poller.poll(many);
	const stored = toStored(poller.memory!);
	expect(JSON.stringify(stored).length).toBeLessThan(2 ** 20);
	expect(fromStored(stored)).toEqual(poller.memory);
});

test('of a text without an end, little is remembered and shown', async () => {
	const poller = new Poller();
	const endless = 'x'.repeat(1_000_000);
	await poller.poll([record(0, { name: endless, accountId: endless, status: { name: endless } })]);
	const [item] = await poller.poll([record(0, { ...down, name: endless })]);
	expect(JSON.stringify([toStored(poller.memory!), item]).length).toBeLessThan(5_000);
});

test.each<[what: string, stored: unknown]>([
	['nothing', undefined],
	['text', 'memory'],
	['an empty object', {}],
	['an earlier form', { version: 1, scope: 's', listed: 1, words: [], channels: {}, pending: {} }],
	['a later form', { version: 7, scope: 's', listed: 0, channels: '[]', pending: [] }],
])('%s counts as no memory of an earlier poll', (_what, stored) => {
	expect(fromStored(stored)).toBeUndefined();
});
