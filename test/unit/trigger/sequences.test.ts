import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { runs } from '../support/arbitraries.ts';
import { idOf, Poller, record, watchOf } from './watching.ts';

/** The state of one of the service's channels. */
interface Channel {
	isConnected: boolean;
	status: number;
	feedback: number;
}

/** The existing channels, by number. */
type World = Map<number, Channel>;

const CHANNELS = 6;

/** One thing that happens between two polls. */
type Step =
	| { kind: 'set'; n: number; channel: Channel }
	| { kind: 'remove'; n: number }
	| { kind: 'poll'; hidden: number[]; lost: number[]; turned: boolean }
	| { kind: 'restart' };

const number = fc.nat({ max: CHANNELS - 1 });
const channel = fc.record<Channel>({
	isConnected: fc.boolean(),
	status: fc.integer({ min: 1, max: 3 }),
	feedback: fc.nat({ max: 2 }),
});
const none = fc.constant<number[]>([]);
const poll = fc.record({
	kind: fc.constant('poll' as const),
	/** Channels whose state is missing from this poll. */
	hidden: fc.oneof({ weight: 3, arbitrary: none }, fc.array(number, { maxLength: 2 })),
	/** Channels whose entry has no id in this poll. */
	lost: fc.oneof({ weight: 5, arbitrary: none }, fc.array(number, { maxLength: 2 })),
	turned: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), n: number, channel }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), n: number }) },
	{ weight: 5, arbitrary: poll },
	{ weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
);

function recordOf(n: number, { isConnected, status, feedback }: Channel): Record<string, unknown> {
	return record(n, {
		isConnected,
		status: { channelStatusId: status, name: `Status ${status}` },
		feedbackChannelId: feedback === 0 ? null : idOf(100 + feedback),
	});
}

const HIDDEN = { isConnected: null, status: null, feedbackChannelId: undefined };

/** The list that a poll receives. */
function bodyOf(
	world: World,
	{ hidden = [], lost = [], turned = false }: Partial<Extract<Step, { kind: 'poll' }>>,
) {
	const list = [...world].map(([n, it]) => {
		if (lost.includes(n)) return { ...recordOf(n, it), channelId: null };
		return hidden.includes(n) ? { ...recordOf(n, it), ...HIDDEN } : recordOf(n, it);
	});
	return turned ? list.reverse() : list;
}

/** What a subscriber knows who got the first list and then only changes. */
type Told = Map<string, IDataObject>;

function toldOf(world: World): Told {
	return new Map(
		[...world].map(([n, { isConnected, status, feedback }]) => [
			idOf(n),
			{
				isConnected,
				channelStatusId: status,
				feedbackChannelId: feedback === 0 ? null : idOf(100 + feedback),
			},
		]),
	);
}

/** Applies an item; fails if it reports something untrue. */
function take(told: Told, item: IDataObject, world: World): void {
	const id = item.channelId as string;
	const known = told.get(id);
	const actual = toldOf(world).get(id);
	const [before, after] = [named(item.before), named(item.after)];
	if (item.event === 'channelRemoved') {
		expect(known).toBeDefined();
		told.delete(id);
	} else if (item.event === 'channelCreated') {
		expect(known).toBeUndefined();
		expect(actual).toMatchObject(after.isConnected === null ? {} : { isConnected: after.isConnected });
		told.set(id, after.isConnected === null ? {} : { isConnected: after.isConnected });
	} else {
		expect(before).not.toEqual(after);
		expect(actual).toMatchObject(after);
		// A value never shown before cannot contradict `before`.
		expect({ ...before, ...known }).toMatchObject(before);
		told.set(id, { ...known, ...after });
	}
}

/** Status names are not compared. */
function named(side: unknown): IDataObject {
	const { status: _, ...fields } = side as IDataObject;
	return fields;
}

describe('whatever the lists and the restarts', () => {
	test.each([1, 2, 3])('the items add up to the present state (Hold For: %d)', async (holdFor) => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				const world: World = new Map(
					Array.from({ length: 4 }, (_, n) => [n, { isConnected: true, status: 1, feedback: 0 }]),
				);
				const poller = new Poller(watchOf({ options: { holdFor } }));
				await poller.poll(bodyOf(world, {}));
				const told = toldOf(world);
				const listen = async (body: unknown): Promise<number> => {
					const items = await poller.poll(body);
					for (const item of items) take(told, item, world);
					return items.length;
				};

				for (const happens of steps) {
					if (happens.kind === 'set') world.set(happens.n, happens.channel);
					else if (happens.kind === 'remove') world.delete(happens.n);
					else if (happens.kind === 'restart') await poller.restart();
					else await listen(bodyOf(world, happens));
				}
				// Enough polls for changes to count as stable, and for a short list to be believed.
				for (let more = 0; more <= Math.max(holdFor, 2); more++) await listen(bodyOf(world, {}));

				const actual = toldOf(world);
				expect([...told.keys()].sort()).toEqual([...actual.keys()].sort());
				// For a new channel, the item reported the rest.
				for (const [id, state] of told) expect(actual.get(id)).toMatchObject(state);
				expect(await listen(bodyOf(world, {}))).toBe(0);
			}),
			runs(200),
		);
	});

	test('a change is reported when it has held, and not before', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.array(fc.boolean(), { maxLength: 30 }),
				async (holdFor, shown) => {
					const poller = new Poller(watchOf({ options: { holdFor } }));
					await poller.poll([record(0)]);
					let counts = true;
					for (const [at, isConnected] of shown.entries()) {
						const items = await poller.poll([record(0, { isConnected })]);
						await poller.restart();
						const last = shown.slice(Math.max(0, at + 1 - holdFor), at + 1);
						const holds = last.length === holdFor && last.every((value) => value === isConnected);
						const changes = holds && isConnected !== counts;
						if (changes) counts = isConnected;
						expect(items.map(({ after }) => after)).toEqual(changes ? [{ isConnected }] : []);
					}
				},
			),
			runs(300),
		);
	});

	test('two lists that are the same report nothing, whatever is in them', async () => {
		const odd = fc.dictionary(
			fc.constantFrom(
				'channelId',
				'name',
				'isConnected',
				'status',
				'feedbackChannelId',
				'channelType',
				'accountId',
			),
			fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(idOf(1), idOf(2))),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(fc.oneof(odd, fc.jsonValue({ maxDepth: 1 }))), async (body) => {
				const poller = new Poller();
				await poller.poll(body);
				for (let again = 0; again < 3; again++) {
					expect(await poller.poll(body)).toEqual([]);
					await poller.restart();
				}
			}),
			runs(500),
		);
	});
});
