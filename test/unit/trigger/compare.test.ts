import { idOf, momentOf, Poller, record, records, watchOf } from './watching.ts';

/** Five channels, some with changed values. */
function listWith(changes: Record<number, Record<string, unknown>>, count = 5) {
	return Array.from({ length: count }, (_, n) => record(n, changes[n]));
}

const down = { isConnected: false };

describe('a change', () => {
	it('gives one item, with what it was, what it is, and since when', async () => {
		const poller = new Poller();
		expect(await poller.poll(records(5))).toEqual([]);

		const items = await poller.poll(listWith({ 2: { ...down, stateUpdatedAt: '2026-02-03T04:05:06Z' } }));

		expect(items).toEqual([
			{
				event: 'channelDisconnected',
				channelId: idOf(2),
				name: 'Channel 2',
				channelType: 'E-mail',
				accountId: idOf(900),
				isConnected: false,
				status: 'Active',
				before: { isConnected: true },
				after: { isConnected: false },
				since: '2026-02-03T04:05:06Z',
			},
		]);
		expect(await poller.poll(listWith({ 2: down }))).toEqual([]);
		expect(await poller.poll(records(5))).toMatchObject([
			{ event: 'channelConnected', before: { isConnected: false }, after: { isConnected: true } },
		]);
	});

	it.each<[string, Record<string, unknown>, object]>([
		[
			'of the status',
			{ status: { channelStatusId: 3, name: 'Suspended' } },
			{
				event: 'channelStatusChanged',
				status: 'Suspended',
				before: { status: 'Active', channelStatusId: 1 },
				after: { status: 'Suspended', channelStatusId: 3 },
			},
		],
		[
			'of the feedback channel',
			{ feedbackChannelId: idOf(7) },
			{
				event: 'feedbackChannelChanged',
				before: { feedbackChannelId: null },
				after: { feedbackChannelId: idOf(7) },
				since: momentOf(2),
			},
		],
	])('%s says both sides', async (_what, changed, expected) => {
		const poller = new Poller();
		await poller.poll(records(5));
		expect(await poller.poll(listWith({ 1: changed }))).toMatchObject([expected]);
		expect(await poller.poll(listWith({ 1: changed }))).toEqual([]);
	});

	it('of several sides gives an item for each', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		const changed = {
			...down,
			status: { channelStatusId: 3, name: 'Suspended' },
			feedbackChannelId: idOf(7),
		};
		expect(await poller.events(listWith({ 3: changed }))).toEqual([
			'channelDisconnected 3',
			'channelStatusChanged 3',
			'feedbackChannelChanged 3',
		]);
	});

	it('that is not asked for is not told of, and does not hide the next', async () => {
		const poller = new Poller(watchOf({ events: ['channelDisconnected'] }));
		await poller.poll(records(5));
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
		const back = await poller.compare(records(5));
		expect(back).toMatchObject({ changes: [], learnt: true });
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
	});

	it('gives a channel that came all its fields after, and one that went all its fields before', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		const fields = {
			name: 'Channel 5',
			channelType: 'E-mail',
			accountId: idOf(900),
			isConnected: true,
			status: 'Active',
		};
		expect(await poller.poll(records(6))).toEqual([
			{
				event: 'channelCreated',
				channelId: idOf(5),
				...fields,
				before: {},
				after: fields,
				since: '2026-01-01T00:00:00Z',
			},
		]);
		await poller.restart();
		expect(await poller.poll(records(5))).toEqual([
			{
				event: 'channelRemoved',
				channelId: idOf(5),
				...fields,
				before: fields,
				after: {},
				since: momentOf(3),
			},
		]);
		expect(await poller.events(records(6))).toEqual(['channelCreated 5']);
	});

	it('is when the service says so, and when it was first seen where it does not', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(5));
		await poller.poll(listWith({ 1: { ...down, stateUpdatedAt: 'yesterday' } }));
		expect(await poller.poll(listWith({ 1: { ...down, stateUpdatedAt: null } }))).toMatchObject([
			{ since: momentOf(2) },
		]);
	});
});

describe('what is not known is no change', () => {
	it.each([
		['connection', { isConnected: null }],
		['connection', { isConnected: 'yes' }],
		['status', { status: null }],
		['status', { status: {} }],
		['feedback channel', { feedbackChannelId: undefined }],
		['account and type', { accountId: null, channelType: null, name: null }],
	])('the %s of a channel that does not show it: %j', async (_what, missing) => {
		const poller = new Poller(watchOf({ accountId: idOf(900), channelType: 'EMAIL' }));
		const before = listWith({ 1: { ...down, feedbackChannelId: idOf(7) } });
		await poller.poll(before);
		expect(await poller.poll(listWith({ 1: { ...down, feedbackChannelId: idOf(7), ...missing } }))).toEqual(
			[],
		);
		await poller.restart();
		expect(await poller.poll(before)).toEqual([]);
	});

	it('a change on both sides of what is not shown is told of once', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		await poller.poll(listWith({ 1: { isConnected: null } }));
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
	});

	it('a channel that shows its connection for the first time has not connected', async () => {
		const poller = new Poller();
		await poller.poll(listWith({ 1: { isConnected: null } }));
		expect(await poller.compare(records(5))).toMatchObject({ changes: [], learnt: true });
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
	});

	it('a status that gets another name is the same one, and one without its number goes by its name', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		const named = (status: object) => listWith({ 1: { status } });
		expect(await poller.poll(named({ channelStatusId: 1, name: 'In use' }))).toEqual([]);
		expect(await poller.poll(named({ name: 'In use' }))).toEqual([]);
		expect(await poller.poll(named({ channelStatusId: 1 }))).toEqual([]);
		expect(await poller.events(named({ name: 'Suspended' }))).toEqual(['channelStatusChanged 1']);
	});

	it('two entries of one channel that do not agree', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		const [first, ...rest] = records(5);
		expect(await poller.poll([record(0, down), first, ...rest])).toEqual([]);
		expect(await poller.poll([first, record(0, down), ...rest])).toEqual([]);
		expect(await poller.events([record(0, down), ...rest, record(0, down)])).toEqual([
			'channelDisconnected 0',
		]);
	});

	it('a UUID in the other case is the same channel', async () => {
		const poller = new Poller();
		const id = 'abcdefab-0000-4000-8000-000000000001';
		await poller.poll([...records(5), record(1, { channelId: id })]);
		expect(await poller.poll([...records(5), record(1, { channelId: id.toUpperCase() })])).toEqual([]);
	});

	it.each([[null], ['channel'], [17], [[]], [{}], [{ channelId: null }], [{ channelId: ' ' }]])(
		'an entry that is no channel: %j',
		async (odd) => {
			const poller = new Poller();
			await poller.poll(records(5));
			expect(await poller.poll([odd, ...records(5), odd])).toEqual([]);
			// The missing channel may be the entry without an id.
			expect(await poller.poll([odd, ...records(4)])).toEqual([]);
			expect(await poller.events([odd, ...records(4)])).toEqual(['channelRemoved 4']);
		},
	);
});

describe('a list that is suddenly short', () => {
	it.each([
		['empty', []],
		['nothing at all', null],
		['less than half as long', records(4)],
	])('is not believed at once: %s', async (_what, short) => {
		const poller = new Poller();
		await poller.poll(records(10));
		expect(await poller.poll(short)).toEqual([]);
		expect(await poller.poll(records(10))).toEqual([]);
		expect(await poller.poll(short)).toEqual([]);
		await poller.restart();
		const gone = await poller.events(short);
		expect(gone).toHaveLength(10 - (short?.length ?? 0));
		expect(new Set(gone.map((text) => text.split(' ')[0]))).toEqual(new Set(['channelRemoved']));
		expect(await poller.poll(short)).toEqual([]);
	});

	it('tells at once of what it shows of those that are in it', async () => {
		const poller = new Poller();
		await poller.poll(records(10));
		expect(await poller.events([record(0, down)])).toEqual(['channelDisconnected 0']);
	});

	it('keeps those that are missing, and what they were like', async () => {
		const poller = new Poller();
		await poller.poll(records(10));
		await poller.poll([]);
		expect(await poller.events(listWith({ 1: down }, 10))).toEqual(['channelDisconnected 1']);
	});

	it.each([
		['empty', []],
		['without the channel', records(9).slice(1)],
	])('for a while hides no drop from those who are not told who comes and goes: %s', async (_what, short) => {
		const poller = new Poller(watchOf({ events: ['channelConnected', 'channelDisconnected'] }));
		await poller.poll(records(10));
		for (let polls = 0; polls < 5; polls++) expect(await poller.poll(short)).toEqual([]);
		await poller.restart();
		expect(await poller.events(listWith({ 0: down }, 10))).toEqual(['channelDisconnected 0']);
		expect(await poller.poll(short)).toEqual([]);
		expect(await poller.poll(short)).toEqual([]);
		expect(await poller.events(records(10))).toEqual(['channelConnected 0']);
		expect(await poller.poll(records(10))).toEqual([]);
	});

	it('leaves no memory that grows for ever', async () => {
		const poller = new Poller(watchOf({ events: ['channelDisconnected'] }));
		const all = records(16_000);
		for (const day of [0, 1, 2, 3, 4, 4]) await poller.poll(all.slice(day * 3_000, day * 3_000 + 4_000));
		expect(poller.memory?.channels.size).toBeLessThanOrEqual(14_000);
		const deleted = record(1, { status: { channelStatusId: 5, isTerminalDeletionState: true } });
		await poller.poll([deleted]);
		await poller.poll([deleted]);
		expect(poller.memory?.channels.has(idOf(1))).toBe(false);
	});

	it('is short by what the whole list had, however few of its channels are watched', async () => {
		const mine = { accountId: idOf(901) };
		const list = (others: number) => [
			...Array.from({ length: 3 }, (_, n) => record(n, mine)),
			...Array.from({ length: others }, (_, n) => record(100 + n)),
		];
		const poller = new Poller(watchOf({ accountId: idOf(901) }));
		await poller.poll(list(20));
		expect(await poller.poll(list(0).slice(1))).toEqual([]);
		expect(await poller.poll(list(20))).toEqual([]);
		expect(await poller.events(list(20).slice(1))).toEqual(['channelRemoved 0']);
	});

	it('is doubtful as well when it lacks half of those that are watched', async () => {
		const mine = Array.from({ length: 4 }, (_, n) => record(n, { accountId: idOf(901) }));
		const others = Array.from({ length: 20 }, (_, n) => record(100 + n));
		const poller = new Poller(watchOf({ accountId: idOf(901) }));
		await poller.poll([...mine, ...others]);
		expect(await poller.poll([...mine.slice(2), ...others])).toEqual([]);
		expect(await poller.events([...mine.slice(2), ...others])).toEqual([
			'channelRemoved 0',
			'channelRemoved 1',
		]);
	});

	it('one channel of many that is missing is believed at once', async () => {
		const poller = new Poller();
		await poller.poll(records(10));
		expect(await poller.events(records(9))).toEqual(['channelRemoved 9']);
	});
});

describe('Hold For', () => {
	it('tells nobody of a blink', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 3 } }));
		await poller.poll(records(5));
		for (const body of [listWith({ 1: down }), listWith({ 1: down }), records(5), listWith({ 1: down })]) {
			expect(await poller.poll(body)).toEqual([]);
		}
		expect(await poller.poll(listWith({ 1: down }))).toEqual([]);
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
		expect(await poller.poll(listWith({ 1: down }))).toEqual([]);
	});

	it('counts each side of a channel by itself, and over a restart', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(5));
		await poller.poll(listWith({ 1: down }));
		await poller.restart();
		expect(await poller.events(listWith({ 1: { ...down, feedbackChannelId: idOf(7) } }))).toEqual([
			'channelDisconnected 1',
		]);
		expect(await poller.events(listWith({ 1: { ...down, feedbackChannelId: idOf(7) } }))).toEqual([
			'feedbackChannelChanged 1',
		]);
	});

	it('holds those that come and go as well', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(10));
		expect(await poller.poll(records(11))).toEqual([]);
		expect(await poller.poll(records(10))).toEqual([]);
		expect(await poller.poll(records(11))).toEqual([]);
		expect(await poller.events(records(11))).toEqual(['channelCreated 10']);
		expect(await poller.poll(records(10))).toEqual([]);
		expect(await poller.poll(records(11))).toEqual([]);
		expect(await poller.poll(records(10))).toEqual([]);
		expect(await poller.events(records(10))).toEqual(['channelRemoved 10']);
	});

	it('begins anew when the change is another one', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(5));
		const status = (id: number) => listWith({ 1: { status: { channelStatusId: id, name: `Status ${id}` } } });
		expect(await poller.poll(status(2))).toEqual([]);
		expect(await poller.poll(status(3))).toEqual([]);
		expect(await poller.poll(status(3))).toMatchObject([
			{ before: { channelStatusId: 1 }, after: { channelStatusId: 3 } },
		]);
	});

	it('a poll that does not show the state neither counts nor ends it', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(5));
		await poller.poll(listWith({ 1: down }));
		expect(await poller.poll(listWith({ 1: { isConnected: null } }))).toEqual([]);
		expect(await poller.events(listWith({ 1: down }))).toEqual(['channelDisconnected 1']);
	});

	it('a poll that does not show the channel neither counts nor ends it', async () => {
		const poller = new Poller(watchOf({ options: { holdFor: 2 } }));
		await poller.poll(records(10));
		await poller.poll(listWith({ 1: down }, 10));
		expect(await poller.poll(records(10).filter(({ channelId }) => channelId !== idOf(1)))).toEqual([]);
		expect(await poller.events(listWith({ 1: down }, 10))).toEqual(['channelDisconnected 1']);
	});
});

describe('a channel that is deleted for good', () => {
	const deleted = { status: { channelStatusId: 5, name: 'Deleted', isTerminalDeletionState: true } };

	it('is removed, though the list still shows it, and stays so', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		expect(await poller.events(listWith({ 2: deleted }))).toEqual([
			'channelStatusChanged 2',
			'channelRemoved 2',
		]);
		expect(await poller.poll(listWith({ 2: deleted }))).toEqual([]);
		expect(await poller.poll(records(5).filter(({ channelId }) => channelId !== idOf(2)))).toEqual([]);
	});

	it('does not come into being', async () => {
		const poller = new Poller(watchOf({ options: { firstPoll: 'report' } }));
		await poller.poll(listWith({ 2: deleted }));
		expect(poller.memory?.channels.size).toBe(4);
	});
});

describe('the first poll', () => {
	it('only remembers, unless it is to report', async () => {
		expect(await new Poller().compare(records(5))).toMatchObject({ changes: [], learnt: false });
	});

	it('reports what it finds, whatever Hold For says', async () => {
		const options = { firstPoll: 'report', holdFor: 3 };
		const list = [
			record(0),
			record(1, { ...down, feedbackChannelId: idOf(7) }),
			record(2, { isConnected: null }),
		];
		expect(await new Poller(watchOf({ options, events: ['channelDisconnected'] })).events(list)).toEqual([
			'channelDisconnected 1',
		]);
		const poller = new Poller(watchOf({ options, events: ['channelCreated', 'feedbackChannelChanged'] }));
		expect(await poller.poll(list)).toMatchObject([
			{ event: 'channelCreated', channelId: idOf(0) },
			{ event: 'channelCreated', channelId: idOf(1) },
			{ event: 'feedbackChannelChanged', before: {}, after: { feedbackChannelId: idOf(7) } },
			{ event: 'channelCreated', channelId: idOf(2) },
		]);
		expect(await poller.poll(list)).toEqual([]);
	});
});

describe('filters', () => {
	const types = [
		record(0),
		record(1, { channelType: { key: 'SMS', name: 'Text message' }, accountId: idOf(901) }),
		record(2, { channelType: null, provider: { channelTypeKey: 'SMS' } }),
		record(3, { account: { accountId: idOf(901) }, accountId: null }),
	];
	const allDown = types.map((one) => ({ ...one, ...down }));

	it.each([
		['a channel', { channelId: { __rl: true, mode: 'id', value: ` ${idOf(1).toUpperCase()}` } }, [1]],
		['an account', { accountId: idOf(901) }, [1, 3]],
		['a type by its key', { channelType: ' sms ' }, [1, 2]],
		['a type by its name', { channelType: 'Text Message' }, [1]],
		['all of them', { accountId: idOf(901), channelType: 'EMAIL' }, [3]],
		[
			'none that is empty',
			{ channelId: '', accountId: { __rl: true, mode: 'list', value: '' } },
			[0, 1, 2, 3],
		],
	])('let through %s, and remember no other', async (_what, parameters, expected) => {
		const poller = new Poller(watchOf(parameters));
		await poller.poll(types);
		expect(poller.memory?.channels.size).toBe(expected.length);
		expect(await poller.events(allDown)).toEqual(expected.map((n) => `channelDisconnected ${n}`));
	});

	it('that are changed report nothing by themselves, and hide nothing of those that stay', async () => {
		const poller = new Poller();
		await poller.poll(types);
		poller.watch = watchOf({ accountId: idOf(901) });
		expect(await poller.events(allDown)).toEqual(['channelDisconnected 1', 'channelDisconnected 3']);
		poller.watch = watchOf();
		expect(await poller.compare(allDown)).toMatchObject({ changes: [], learnt: true });
		poller.watch = watchOf({ channelId: idOf(2) });
		expect(await poller.poll(types)).toMatchObject([{ event: 'channelConnected', channelId: idOf(2) }]);
		expect(poller.memory?.channels.size).toBe(1);
	});

	it('another key or service reports nothing by itself, then or later', async () => {
		const poller = new Poller();
		await poller.poll(records(5));
		poller.watch = watchOf({}, { id: 'another key' });
		const others = [record(0, down), ...Array.from({ length: 4 }, (_, n) => record(50 + n))];
		expect(await poller.events(others)).toEqual(['channelDisconnected 0']);
		expect(await poller.poll(others)).toEqual([]);
		expect(await poller.poll(others)).toEqual([]);
	});

	it('a channel that leaves them is not removed', async () => {
		const poller = new Poller(watchOf({ accountId: idOf(901) }));
		await poller.poll(types);
		const moved = types.map((one) => ({ ...one, accountId: idOf(900) }));
		expect(await poller.poll(moved)).toEqual([]);
	});
});

describe('events that are changed between polls', () => {
	it('are told of from then on', async () => {
		const poller = new Poller(watchOf({ events: ['channelCreated'] }));
		await poller.poll(records(5));
		poller.watch = watchOf();
		const changed = listWith({ 1: { ...down, feedbackChannelId: idOf(7) } });
		expect(await poller.compare(changed)).toMatchObject({ changes: [], learnt: true });
		expect(await poller.events(records(5))).toEqual(['channelConnected 1', 'feedbackChannelChanged 1']);
		poller.watch = watchOf({ events: ['channelRemoved'] });
		expect(await poller.poll(changed)).toEqual([]);
		expect(await poller.poll(changed.slice(1))).toMatchObject([
			{ event: 'channelRemoved', name: 'Channel 0' },
		]);
	});
});

describe('parameters that do not fit', () => {
	it.each<[string, object, RegExp]>([
		['a channel that is no UUID', { channelId: 'E-mail' }, /"Channel" .*UUID/],
		['an account that is no UUID', { accountId: 17 }, /"Account" .*UUID/],
		['no event', { events: [] }, /"Trigger On" is empty/],
		['an event that there is not', { events: ['channelExploded'] }, /"Trigger On" .*channelExploded/],
		['events in a text', { events: 'channelCreated' }, /"Trigger On" needs a list/],
		['holding for no poll', { options: { holdFor: 0 } }, /"Hold For" needs a number from 1 up/],
		['another first poll', { options: { firstPoll: 'panic' } }, /"First Poll" needs one of its choices/],
	])('are refused: %s', (_what, parameters, message) => {
		expect(() => watchOf(parameters)).toThrow(message);
	});
});
