/** What happens in one round of the fuzz, all drawn from one number, the seed. */
import fc from 'fast-check';
import { drawnFrom } from './draw.ts';
import { fatesOf, outages, type Fate, type Outage } from './fates.ts';
import { keyedKinds, kinds } from './kinds/index.ts';
import type { FuzzItem, Kind } from './kinds/kind.ts';
import { channelList } from './kinds/requeue.ts';

/** The engine in which a round is played. */
export type Stage =
	/** The engine that most rounds share. */
	| 'shared'
	/** A separate one, which is killed. */
	| 'deadly'
	/** One whose store for once keys fails, lent to one round at a time. */
	| 'troubled';

/** How an execution is interrupted. */
export interface Stop {
	readonly how: 'cancel' | 'kill';
	/** After so many requests; later ones get no answer until the execution has stopped. */
	readonly after: number;
}

/** When the store for once keys fails. */
export interface Trouble {
	/** Before anything is sent, or while requests are in flight. */
	readonly when: 'before' | 'during';
	/** After so many requests; only `during`. */
	readonly after: number;
	/** When it works again, in milliseconds; undefined when not before the end of the act. */
	readonly backAfterMs: number | undefined;
}

/** One action of a user. */
export interface Act {
	/** Runs the workflow, or retries an execution that failed. */
	readonly what: 'run' | 'retry';
	/** How many executions run at once, all with the same items. */
	readonly beside: number;
	/** For a retry: which failed execution, counted from the newest. */
	readonly which: number;
	/** For a retry: the new When Outcome Is Unknown in the saved workflow; undefined when unchanged. */
	readonly whenUnknown: WhenUnknown | undefined;
	/** For a retry: whether the user clicks twice. */
	readonly isDouble: boolean;
	readonly stop: Stop | undefined;
	readonly trouble: Trouble | undefined;
}

/** When Outcome Is Unknown for items with an even index, and for those with an odd one. */
export type WhenUnknown = readonly [Choice, Choice];

/** The values of the option When Outcome Is Unknown. */
export type Choice = 'hold' | 'sendAgain' | 'countAsSent';

/** The answer to a lookup before the calls. */
export interface Told {
	readonly status: number;
	readonly text: string;
}

/** One round of the fuzz. */
export interface Scenario {
	readonly seed: number;
	readonly stage: Stage;
	readonly kind: Kind;
	readonly onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** The tries of n8n's Retry On Fail; 1 without it. */
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
	/** What the list of channels answers until the last act, unless refused. */
	readonly channels: Told;
	/** Whether each of the first requests for the list of channels is refused. */
	readonly refusesChannels: readonly boolean[];
	readonly items: readonly FuzzItem[];
	/** The fates of each item's first requests; all later ones are accepted. */
	readonly fates: ReadonlyArray<readonly Fate[]>;
	readonly acts: readonly Act[];
	/** For each act that is a retry: the first item with a broken parameter, if there is one. */
	readonly brokenFrom: ReadonlyArray<number | undefined>;
	/** An outage of the whole service, if there is one. */
	readonly outage: Outage | undefined;
}

/** Few rounds use a separate engine, which takes a second to start, or the troubled one, which they wait for. */
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
			// Copies of a message are more frequent with once keys, which exist to stop duplicates.
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

/** What is rare except in a round that is about it. */
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
			// A cancel and a failing store both hold answers back, so an act has only one of them.
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
		// In the engine's seconds: 60 of them pass in a real one, with once keys 2.
		timeout: fc.constant((hasSilence ? 120 : 3000) / (isKeyed ? 20 : 1)),
	});

/** What changes between the tries of an execution. Drawn separately, so that the other draws of a seed stay the same. */
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

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
	const stage = drawnFrom(stages, seed, 'stage');
	return {
		...{ seed, stage },
		...drawnFrom(scenarioFor(stage), seed, 'delivery'),
		...drawnFrom(changes, seed, 'changes'),
	};
}
