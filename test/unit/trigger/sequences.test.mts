import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { runs } from '../../runs.mts';
import { idOf, Poller, record, watchOf } from './watching.mts';

/** The state of one of the service's channels. */
interface State {
	isConnected: boolean;
	channelStatusId: number;
	feedbackChannelId: string | null;
}

/** The existing channels, by ID. */
type World = Map<string, State>;

/** What a subscriber knows who got the first list and then only changes. */
type Reported = Map<string, IDataObject>;

/** What a poll does not show of the channels. */
interface Gaps {
	/** Channels without their state. */
	hidden: string[];
	/** Channels without their ID. */
	lost: string[];
	reversed: boolean;
}

/** One thing that happens: a channel is created or changes, a channel is removed, or n8n polls. */
type Step =
	| { kind: 'set'; id: string; state: State }
	| { kind: 'remove'; id: string }
	| { kind: 'poll'; gaps: Gaps };

const anyId = fc.nat({ max: 5 }).map(idOf);
const anyState = fc.record<State>({
	isConnected: fc.boolean(),
	channelStatusId: fc.integer({ min: 1, max: 3 }),
	feedbackChannelId: fc.constantFrom(null, idOf(101), idOf(102)),
});
const mostlyNone = fc.oneof(
	{ weight: 4, arbitrary: fc.constant<string[]>([]) },
	fc.array(anyId, { maxLength: 2 }),
);
const anyGaps = fc.record<Gaps>({ hidden: mostlyNone, lost: mostlyNone, reversed: fc.boolean() });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), id: anyId, state: anyState }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: anyId }) },
	{ weight: 5, arbitrary: fc.record({ kind: fc.constant('poll' as const), gaps: anyGaps }) },
);

/** The list that a poll receives. */
function bodyOf(world: World, gaps?: Gaps) {
	const list = [...world].map(([channelId, { channelStatusId, ...shown }]) =>
		record(0, {
			channelId: gaps?.lost.includes(channelId) ? null : channelId,
			...shown,
			status: { channelStatusId, name: `Status ${channelStatusId}` },
			...(gaps?.hidden.includes(channelId) && {
				isConnected: null,
				status: null,
				feedbackChannelId: undefined,
			}),
		}),
	);
	return gaps?.reversed ? list.reverse() : list;
}

/** Applies an item; fails if it reports something untrue. */
function take(reported: Reported, item: IDataObject, world: World): void {
	const channelId = item.channelId as string;
	const shownBefore = reported.get(channelId);
	const actual = world.get(channelId);
	const [before, after] = [named(item.before), named(item.after)];
	if (item.event === 'channelRemoved') {
		expect(shownBefore).toBeDefined();
		reported.delete(channelId);
	} else if (item.event === 'channelCreated') {
		const shown = after.isConnected === null ? {} : { isConnected: after.isConnected };
		expect(shownBefore).toBeUndefined();
		expect(actual).toMatchObject(shown);
		reported.set(channelId, shown);
	} else {
		expect(before).not.toEqual(after);
		expect(actual).toMatchObject(after);
		// A value never shown before cannot contradict `before`.
		expect({ ...before, ...shownBefore }).toMatchObject(before);
		reported.set(channelId, { ...shownBefore, ...after });
	}
}

/** Status names are not compared. */
function named(side: unknown): IDataObject {
	const { status: _, ...fields } = side as IDataObject;
	return fields;
}

test.each([1, 2, 3])(
	'whatever happens between polls, the items add up to the present state (Hold For: %d)',
	async (holdFor) => {
		await fc.assert(
			fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
				const first = { isConnected: true, channelStatusId: 1, feedbackChannelId: null };
				const world: World = new Map([0, 1, 2, 3].map((n) => [idOf(n), first]));
				const reported: Reported = new Map([...world].map(([id, state]) => [id, { ...state }]));
				const poller = new Poller(watchOf({ options: { holdFor } }));
				const poll = async (gaps?: Gaps): Promise<number> => {
					await poller.restart();
					const items = await poller.poll(bodyOf(world, gaps));
					for (const item of items) take(reported, item, world);
					return items.length;
				};

				await poll();
				for (const step of steps) {
					if (step.kind === 'set') world.set(step.id, step.state);
					else if (step.kind === 'remove') world.delete(step.id);
					else await poll(step.gaps);
				}
				// Enough polls for changes to count as stable, and for a short list to be believed.
				for (let more = 0; more <= Math.max(holdFor, 2); more++) await poll();

				expect([...reported.keys()].sort()).toEqual([...world.keys()].sort());
				// For a new channel, the item reported the rest.
				for (const [id, shown] of reported) expect(world.get(id)).toMatchObject(shown);
				expect(await poll()).toBe(0);
			}),
			runs(200),
		);
	},
);

test('a change is reported when enough polls in a row have found it, and not before', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 4 }),
			fc.array(fc.boolean(), { maxLength: 30 }),
			async (holdFor, shown) => {
				const poller = new Poller(watchOf({ options: { holdFor } }));
				await poller.poll([record(0)]);
				let reported = true;
				for (const [at, isConnected] of shown.entries()) {
					const items = await poller.poll([record(0, { isConnected })]);
					await poller.restart();
					const last = shown.slice(Math.max(0, at + 1 - holdFor), at + 1);
					const holds = last.length === holdFor && last.every((value) => value === isConnected);
					const changes = holds && isConnected !== reported;
					if (changes) reported = isConnected;
					expect(items.map(({ after }) => after)).toEqual(changes ? [{ isConnected }] : []);
				}
			},
		),
		runs(300),
	);
});
