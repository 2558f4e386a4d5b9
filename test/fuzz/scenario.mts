/** What happens in one round of the fuzz, all drawn from one number, the seed. */
import fc from 'fast-check';
import { drawnFrom, weighted } from './draw.mts';
import {
	deadChannels,
	treatmentsOf,
	outages,
	wrongAddresses,
	type Treatment,
	type Outage,
} from './treatments.mts';
import { allChannelIds, channelIds, emptyItem, item, type FuzzItem } from './messages.mts';

/** The engine in which a round is played. */
export type Stage =
	/** The engine that most rounds share. */
	| 'shared'
	/** A separate one, which is killed. */
	| 'deadly'
	/** A separate one, whose store for once keys fails. */
	| 'troubled';

/** What goes wrong with n8n during an act. */
export interface Trouble {
	/** The executions are cancelled, n8n is killed, or its store for once keys fails until the end of the act. */
	readonly how: 'cancel' | 'kill' | 'storeFails';
	/** After so many requests; later ones get no answer until it has happened. The store may fail before all of them. */
	readonly after: number;
}

/** One action of a user. */
export interface Act {
	/** Runs the workflow, or retries an execution that failed. */
	readonly what: 'run' | 'retry';
	/** How many executions run at once, all with the same items; for a retry, how often the user clicks. */
	readonly times: number;
	/** For a retry: which failed execution, counted from the newest. */
	readonly which: number;
	/** For a retry: the new When Outcome Is Unknown in the saved workflow; undefined when unchanged. */
	readonly whenUnknown: WhenUnknown | undefined;
	/** For a retry: the first item with a parameter that somebody broke in the saved workflow, if there is one. */
	readonly brokenFrom: number | undefined;
	readonly trouble: Trouble | undefined;
}

/** When Outcome Is Unknown for items with an even index, and for those with an odd one. */
export type WhenUnknown = readonly [Choice, Choice];

/** The values of the option When Outcome Is Unknown. */
export type Choice = 'hold' | 'sendAgain' | 'countAsSent';

/** The answer to a request for the plan. */
export interface Answer {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: string;
}

/** One round of the fuzz. */
export interface Scenario {
	readonly seed: number;
	readonly stage: Stage;
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
		readonly keepToPlan: boolean;
		readonly timeout: number;
	};
	/** What `/Me` answers. */
	readonly me: Answer;
	readonly items: readonly FuzzItem[];
	/** The treatments of each item's first requests; all later ones are accepted. */
	readonly treatments: ReadonlyArray<readonly Treatment[]>;
	readonly acts: readonly Act[];
	/** An outage, if there is one. That of a channel is the only fault of the service in its round. */
	readonly outage: Outage | undefined;
	/** What answers everything until all faults end, if the address is wrong until then. */
	readonly elsewhere: Treatment | undefined;
}

/** Few rounds use a separate engine, which takes a second to start. */
const stages = weighted<Stage>(
	[945, fc.constant('shared')],
	[30, fc.constant('deadly')],
	[25, fc.constant('troubled')],
);

const mostItems = 12;

function itemsOf(isKeyed: boolean, isDead: boolean): fc.Arbitrary<FuzzItem[]> {
	const some = weighted<FuzzItem[]>(
		[14, item(isKeyed).map((one) => [one])],
		// Copies of a message are more frequent with once keys, which exist to stop duplicates.
		[isKeyed ? 4 : 1, item(isKeyed).map((one) => [one, one])],
		[1, fc.constant([emptyItem])],
	);
	return fc
		.array(some, { minLength: isDead ? mostItems : 1, maxLength: mostItems, size: 'max' })
		.map((drawn) => drawn.flat());
}

/** An answer with status 200. */
const answer = (body: string): Answer => ({ status: 200, body });

const plans = fc
	.tuple(fc.constantFrom(2, 5, 50, 1000), fc.constantFrom(1, 3))
	.map(([limit, seconds]) => answer(JSON.stringify({ resourcePlan: { limit, seconds } })));

const me = weighted<Answer>(
	[6, plans],
	[1, fc.constantFrom({ status: 404, body: '{}' }, answer('{"resourcePlan":{"limit":1e999,"seconds":-1}}'))],
);

/** A plan that holds everything: with more requests than the plan holds, the refusal of one channel is one of the key. */
const largePlan = answer('{"resourcePlan":{"limit":1000,"seconds":1}}');

const choices = fc.constantFrom<Choice>('hold', 'hold', 'hold', 'sendAgain', 'countAsSent');

const whenUnknown = weighted<WhenUnknown>(
	[2, choices.map((all): WhenUnknown => [all, all])],
	[1, fc.tuple(choices, choices)],
);

/** Mostly undefined. */
const seldom = <T,>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
	weighted([2, fc.constant(undefined)], [1, arbitrary]);

const trouble = (how: Trouble['how']): fc.Arbitrary<Trouble> => fc.nat(6).map((after) => ({ how, after }));

const troubles: Readonly<Record<Stage, fc.Arbitrary<Trouble | undefined>>> = {
	shared: seldom(trouble('cancel')),
	deadly: trouble('kill'),
	troubled: weighted([3, trouble('storeFails')], [1, trouble('cancel')]),
};

const actOf = (what: Act['what'], stage: Stage): fc.Arbitrary<Act> =>
	fc.record({
		what: fc.constant(what),
		times: fc.constantFrom(1, 1, 1, 1, 2, 3),
		which: fc.constantFrom(0, 0, 0, 1, 2),
		whenUnknown: seldom(whenUnknown),
		brokenFrom: seldom(fc.constantFrom(0, 1, 3)),
		trouble: troubles[stage],
	});

function actsOf(stage: Stage): fc.Arbitrary<Act[]> {
	// An engine is killed once.
	const later = stage === 'deadly' ? 'shared' : stage;
	const more = weighted([1, actOf('run', later)], [2, actOf('retry', later)]);
	return fc
		.tuple(actOf('run', stage), fc.array(more, { maxLength: 3 }))
		.map(([first, rest]) => [first, ...rest]);
}

/**
 * @param isBrisk whether the engine's clock is slow, with once keys or a wrong address
 * @param isDead whether a channel is dead for a while: others must not wait for as long as Max Wait
 */
const options = (hasSilence: boolean, isBrisk: boolean, isDead: boolean): fc.Arbitrary<Scenario['options']> =>
	fc.record({
		maxTries: fc.constantFrom(1, 2, 3, 4),
		maxWait: isDead ? fc.constant(10) : fc.constantFrom(1, 5, isBrisk ? 8 : 60),
		maxConcurrency: fc.constantFrom(0, 0, 1, 2, 6),
		whenUnknown,
		ordering: fc.constantFrom('recipient', 'recipient', 'none'),
		keepToPlan: fc.boolean(),
		// In the engine's seconds: 60 of them pass in a real one; 2 if its clock is slow, as with a dead channel.
		timeout: fc.constant((hasSilence ? 120 : 3000) / (isBrisk || isDead ? 20 : 1)),
	});

function scenarioFor(stage: Stage): fc.Arbitrary<Omit<Scenario, 'seed'>> {
	return fc
		.record({
			isKeyed: stage === 'troubled' ? fc.constant(true) : fc.boolean(),
			hasSilence: weighted([14, fc.constant(false)], [1, fc.constant(true)]),
			outage: weighted<Outage | undefined>(
				[6, fc.constant(undefined)],
				[2, outages],
				[3, deadChannels(channelIds, allChannelIds)],
			),
			elsewhere: weighted<Treatment | undefined>([14, fc.constant(undefined)], [1, wrongAddresses]),
		})
		.chain(({ isKeyed, hasSilence, elsewhere, outage: drawn }) => {
			const outage = elsewhere === undefined ? drawn : undefined;
			const isDead = outage?.channel !== undefined;
			return itemsOf(isKeyed, isDead).chain((items) =>
				fc.record({
					stage: fc.constant(stage),
					isKeyed: fc.constant(isKeyed),
					items: fc.constant(items),
					treatments: fc.tuple(...items.map(() => (isDead ? fc.constant([]) : treatmentsOf(hasSilence)))),
					onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
					nodeTries: fc.constantFrom(1, 1, 2, 3),
					options: options(
						hasSilence || outage?.beside !== undefined,
						isKeyed || elsewhere !== undefined,
						isDead,
					),
					me: outage?.beside === undefined ? me : fc.constant(largePlan),
					acts: actsOf(stage),
					outage: fc.constant(outage),
					elsewhere: fc.constant(elsewhere),
				}),
			);
		});
}

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
	return { seed, ...drawnFrom(stages.chain(scenarioFor), seed, 'delivery') };
}
