/** What happens in one round of the fuzz: all of it drawn from one number, the seed. */
import fc from 'fast-check';
import { drawnFrom } from './draw.ts';
import { fatesOf, outages, type Fate, type Outage } from './fates.ts';
import { keyedKinds, kinds } from './kinds/index.ts';
import type { FuzzItem, Kind } from './kinds/kind.ts';
import { channelList } from './kinds/requeue.ts';

/** Where a round is played. */
export type Stage =
	/** In the engine that most rounds share. */
	| 'shared'
	/** In one of its own, which is killed. */
	| 'deadly'
	/** In one whose store for once keys fails, which one round at a time has. */
	| 'troubled';

/** How an execution is ended before its time. */
export interface Stop {
	readonly how: 'cancel' | 'kill';
	/** After so many requests; what comes after them is not answered before the end. */
	readonly after: number;
}

/** When the store for once keys fails. */
export interface Trouble {
	/** Before anything is sent, or while requests are under way. */
	readonly when: 'before' | 'during';
	/** After so many requests; only `during`. */
	readonly after: number;
	/** When it works again, in milliseconds; undefined when it does not before the act is over. */
	readonly backAfterMs: number | undefined;
}

/** One thing that somebody does. */
export interface Act {
	/** Runs the workflow, or retries an execution that failed. */
	readonly what: 'run' | 'retry';
	/** How many executions at once; they are given the same items. */
	readonly beside: number;
	/** Of a retry: which of those that failed, counted from the newest. */
	readonly which: number;
	/** Of a retry: what When Outcome Is Unknown has been set to in the saved workflow; undefined where nobody has touched it. */
	readonly whenUnknown: WhenUnknown | undefined;
	/** Of a retry: whether somebody clicks twice. */
	readonly isDouble: boolean;
	readonly stop: Stop | undefined;
	readonly trouble: Trouble | undefined;
}

/** What becomes of an item that may have been processed: of those with an even number, and of the others. */
export type WhenUnknown = readonly [Choice, Choice];

/** What the option When Outcome Is Unknown may be set to. */
export type Choice = 'hold' | 'sendAgain' | 'countAsSent';

/** An answer to a question that comes before the calls. */
export interface Told {
	readonly status: number;
	readonly text: string;
}

/** The whole of it. */
export interface Scenario {
	readonly seed: number;
	readonly stage: Stage;
	/** The operation. */
	readonly kind: Kind;
	readonly onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** How often n8n runs the node by itself; 1 without Retry On Fail. */
	readonly nodeTries: number;
	readonly isKeyed: boolean;
	readonly options: {
		readonly maxTries: number;
		readonly maxWait: number;
		readonly maxConcurrency: number;
		readonly whenUnknown: WhenUnknown;
		readonly ordering: 'recipient' | 'none';
		readonly grouping: 'perChannel' | 'perItem';
		readonly keepToPlan: boolean;
		readonly timeout: number;
	};
	/** What `/Me` answers. */
	readonly me: Told;
	/** What the list of channels answers while something may go wrong, but for the times that it is refused. */
	readonly channels: Told;
	/** Whether the list of channels is refused, time by time; later it is not. */
	readonly refusesChannels: readonly boolean[];
	readonly items: readonly FuzzItem[];
	/** For each item, what its first requests meet; all later ones are taken. */
	readonly fates: ReadonlyArray<readonly Fate[]>;
	readonly acts: readonly Act[];
	/** Of each act that is a retry: from which item on somebody has broken a parameter, if anybody has. */
	readonly brokenFrom: ReadonlyArray<number | undefined>;
	/** When the service fails for all alike, if it ever does. */
	readonly outage: Outage | undefined;
}

/** An engine of one's own takes a second to start, and rounds of some kinds wait for others: few rounds have that. */
const stages: fc.Arbitrary<Stage> = fc.oneof(
	{ weight: 945, arbitrary: fc.constant<Stage>('shared') },
	{ weight: 30, arbitrary: fc.constant<Stage>('deadly') },
	{ weight: 25, arbitrary: fc.constant<Stage>('troubled') },
);

const mostItems = 12;

const emptyItem: FuzzItem = { json: {}, isSendable: false, key: '', things: [] };

function itemsOf(kind: Kind, isKeyed: boolean): fc.Arbitrary<FuzzItem[]> {
	const item = kind.item(isKeyed);
	const some = fc.array(
		fc.oneof(
			{ weight: 14, arbitrary: item.map((made) => ({ made, copies: 1 })) },
			// Under a key, the same message comes twice more often.
			{ weight: isKeyed ? 4 : 1, arbitrary: item.map((made) => ({ made, copies: 2 })) },
			{ weight: 1, arbitrary: fc.constant({ made: () => emptyItem, copies: 1 }) },
		),
		{ minLength: 1, maxLength: mostItems, size: 'max' },
	);
	return some.map((drawn) =>
		drawn
			.flatMap(({ made, copies }) => Array.from({ length: copies }, () => made))
			.map((made, index) => made(index)),
	);
}

const plans = fc
	.tuple(fc.constantFrom(2, 5, 50, 1000), fc.constantFrom(1, 3))
	.map(([limit, seconds]): Told => ({
		status: 200,
		text: JSON.stringify({ resourcePlan: { limit, seconds } }),
	}));

const me: fc.Arbitrary<Told> = fc.oneof(
	{ weight: 6, arbitrary: plans },
	{
		weight: 1,
		arbitrary: fc.constantFrom<Told>(
			{ status: 404, text: '' },
			{ status: 500, text: '{}' },
			{ status: 200, text: '<html>' },
			{ status: 200, text: '{"resourcePlan":{"limit":0,"seconds":-1}}' },
			{ status: 200, text: '{"resourcePlan":{"limit":1e999,"seconds":"x"}}' },
			{ status: 200, text: '{"resourcePlan":[[]]}' },
		),
	},
);

const channels: fc.Arbitrary<Told> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant<Told>({ status: 200, text: channelList }) },
	{
		weight: 1,
		arbitrary: fc.constantFrom<Told>(
			{ status: 403, text: '{}' },
			{ status: 503, text: '' },
			{ status: 200, text: '[]' },
			{ status: 200, text: '{"channelId":null}' },
			{ status: 200, text: '[null,5,[[]],{"channelId":{"a":1},"account":{"accountId":"no"}}]' },
		),
	},
);

/** Each of these is rare but where the round is about it. */
interface ActSettings {
	readonly isKilled: boolean;
	readonly isTroubled: boolean;
}

const choices = fc.constantFrom<Choice>('hold', 'hold', 'hold', 'sendAgain', 'countAsSent');

const whenUnknown: fc.Arbitrary<WhenUnknown> = fc.oneof(
	{ weight: 2, arbitrary: choices.map((all): WhenUnknown => [all, all]) },
	{ weight: 1, arbitrary: fc.tuple(choices, choices) },
);

const trouble: fc.Arbitrary<Trouble> = fc.record({
	when: fc.constantFrom('before' as const, 'during' as const),
	after: fc.nat(4),
	backAfterMs: fc.constantFrom<number | undefined>(undefined, undefined, 5, 30, 100),
});

function actOf({ isKilled, isTroubled }: ActSettings): fc.Arbitrary<Act> {
	return fc
		.record({
			what: fc.constantFrom('run' as const, 'run' as const, ...Array<'retry'>(3).fill('retry')),
			beside: fc.constantFrom(1, 1, 1, 1, 2, 3),
			which: fc.constantFrom(0, 0, 0, 1, 2),
			whenUnknown: fc.oneof(
				{ weight: 2, arbitrary: fc.constant(undefined) },
				{ weight: 1, arbitrary: whenUnknown },
			),
			isDouble: fc.constantFrom(false, false, false, true),
			isStopped: fc.constantFrom(false, false, true),
			after: fc.nat(6),
			trouble: isTroubled ? trouble : fc.constant(undefined),
		})
		.map(({ isStopped, after, ...act }) => {
			// Only one of them can hold the answers back.
			const isCancelled = isStopped && act.trouble?.when !== 'during';
			return {
				...act,
				beside: act.what === 'retry' ? 1 : act.beside,
				isDouble: act.isDouble && act.what === 'retry',
				stop: isKilled ? { how: 'kill', after } : isCancelled ? { how: 'cancel', after } : undefined,
			};
		});
}

function actsOf(stage: Stage): fc.Arbitrary<Act[]> {
	const settings: ActSettings = {
		isKilled: false,
		isTroubled: stage === 'troubled',
	};
	return fc
		.tuple(
			actOf({ ...settings, isKilled: stage === 'deadly' }).map((act): Act => ({
				...act,
				what: 'run',
			})),
			fc.array(actOf(settings), { maxLength: 3 }),
		)
		.map(([first, more]) => [first, ...more]);
}

const options = (hasSilence: boolean, isKeyed: boolean): fc.Arbitrary<Scenario['options']> =>
	fc.record({
		maxTries: fc.constantFrom(1, 2, 3, 4),
		maxWait: fc.constantFrom(1, 5, isKeyed ? 8 : 60),
		maxConcurrency: fc.constantFrom(0, 0, 1, 2, 6),
		whenUnknown,
		ordering: fc.constantFrom('recipient' as const, 'recipient' as const, 'none' as const),
		grouping: fc.constantFrom('perChannel' as const, 'perItem' as const),
		keepToPlan: fc.boolean(),
		// Of the engine's seconds: sixty of them pass in one, and with keys two.
		timeout: fc.constant((hasSilence ? 120 : 3000) / (isKeyed ? 20 : 1)),
	});

/** What changes between the tries of an execution. Drawn apart: all else stays as it is without it. */
type Changes = Pick<Scenario, 'refusesChannels' | 'brokenFrom' | 'outage'>;

const changes: fc.Arbitrary<Changes> = fc.record({
	refusesChannels: fc.oneof(
		fc.constant([]),
		fc.array(fc.constantFrom(false, false, true), { maxLength: 4, size: 'max' }),
	),
	brokenFrom: fc.array(fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 3), {
		minLength: 4,
		maxLength: 4,
	}),
	outage: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: outages }),
});

function scenarioFor(stage: Stage): fc.Arbitrary<Omit<Scenario, 'seed' | 'stage' | keyof Changes>> {
	const needsKeys = stage === 'troubled';
	return fc
		.record({
			kind: needsKeys ? keyedKinds : kinds,
			wantsKeys: needsKeys ? fc.constant(true) : fc.boolean(),
			hasSilence: fc.constantFrom(...Array<boolean>(14).fill(false), true),
		})
		.chain(({ kind, wantsKeys, hasSilence }) => {
			const isKeyed = wantsKeys && kind.offers.onceKey;
			return itemsOf(kind, isKeyed).chain((items) =>
				fc.record({
					kind: fc.constant(kind),
					isKeyed: fc.constant(isKeyed),
					items: fc.constant(items),
					fates: fc.tuple(...items.map(() => fatesOf(hasSilence))),
					onError: fc.constantFrom(
						'stopWorkflow' as const,
						'continueRegularOutput' as const,
						'continueErrorOutput' as const,
					),
					nodeTries: fc.constantFrom(1, 1, 2, 3),
					options: options(hasSilence, isKeyed),
					me,
					channels,
					acts: actsOf(stage),
				}),
			);
		});
}

/** What happens under a seed. */
export function scenarioOf(seed: number): Scenario {
	const stage = drawnFrom(stages, seed, 'stage');
	return {
		...{ seed, stage },
		...drawnFrom(scenarioFor(stage), seed, 'delivery'),
		...drawnFrom(changes, seed, 'changes'),
	};
}
