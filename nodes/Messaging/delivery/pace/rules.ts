import type { Failure } from '../../service/endings';
import type { Circuit } from './circuit';
import type { EndingReason, NoStart, QueuedCall, Reason } from './queued-call';
import type { RunQueue } from './run-queue';

const ENDING: readonly Reason[] = ['outage', 'channel', 'later', 'full'] satisfies EndingReason[];
const ends = (why: Reason): why is EndingReason => ENDING.includes(why);

/** What decides whether a call may start. Times are in milliseconds of the queue's clock; Infinity: nobody knows yet. */
export interface Facts {
	readonly now: number;
	readonly call: QueuedCall;
	readonly run: Pick<
		RunQueue,
		| 'beganAt'
		| 'comeBackAt'
		| 'ended'
		| 'hasPlace'
		| 'inFlight'
		| 'isHalted'
		| 'keepsToPlan'
		| 'keyRefusals'
		| 'started'
	>;
	readonly service: {
		readonly circuit: Circuit;
		/** Whether JSON has come from its address in this process. */
		readonly isProven: boolean;
		/** Whether GET /Me has to be asked for the address, or the plan; and whether it is being asked. */
		readonly isAddressOld: boolean;
		readonly isPlanOld: boolean;
		readonly isMeAsked: boolean;
		/** What has shown that the address is not that of the service, and when. */
		readonly elsewhere: { readonly shownBy: Failure; readonly at: number } | undefined;
		/** When the plan has a slot. */
		readonly slotAt: number;
	};
	readonly channel: {
		readonly circuit: Circuit;
		/** How many calls are in flight that started after its circuit last opened. */
		readonly inFlight: number;
		/** Whether it, and the service, take another call in flight. */
		readonly hasPlace: boolean;
		/** Whether the call may be tried although the circuit is open: it is to another recipient than the refused one. */
		readonly mayTryAnother: boolean;
		readonly gapEnd: number;
		readonly pauseEnd: number;
	};
}

/** What to do with a call: start it, look again at a time or when another request has ended, or never start it. */
export type Step =
	| { readonly kind: 'start' }
	| {
			readonly kind: 'wait';
			readonly until: number;
			readonly since: number;
			readonly rule: Rule;
			readonly why: Reason;
	  }
	/** It was tried and waits for its next try. */
	| { readonly kind: 'backoff'; readonly until: number }
	| NoStart;

/** A reason for a call to wait. */
export interface Rule {
	/** When it applies, for docs/internals/gate.md. */
	readonly when: string;
	/** What the run is told to wait for: one of these. */
	readonly reasons: readonly [Reason, ...Reason[]];
	/** Which one, if there are several. */
	readonly why?: (facts: Facts) => Reason;
	/** Until when the call waits at least, if it does; Infinity or a past moment: until another request has ended. */
	readonly until: (facts: Facts) => number | undefined;
	/** Since when, if not since it was first seen. */
	readonly since?: (facts: Facts) => number;
	/** Whether the job may get ready meanwhile: claim its once key. */
	readonly mayGetReady: boolean;
	/** How many jobs of the run may be drawn to find others that can start. */
	readonly drawAhead: number;
	/** Whether GET /Me has to be asked. */
	readonly asksMe?: (facts: Facts) => boolean;
}

/** After this many 401 answers in a row, nothing more of a run starts. */
const MOST_KEY_REFUSALS = 3;
/**
 * How long before a pause ends a key may be claimed, in milliseconds: soon enough to be ready for its turn, and late, because
 * a crash leaves it in doubt.
 */
const CLAIM_AHEAD_MS = 2000;
/** How many jobs may be drawn beside one that waits for a place, and beside those of a channel that waits. */
const BESIDE_A_PLACE = 1000;
const BESIDE_A_CHANNEL = 10_000;

const whySince = (
	of: (facts: Facts) => Circuit,
	failure: 'outage' | 'channel',
): Pick<Rule, 'reasons' | 'since' | 'why'> => ({
	reasons: [failure, 'later'],
	why: (facts) => of(facts).opening?.why ?? 'later',
	// Time in the queue behind other calls of the run counts too, but not the time before the run.
	since: (facts) => Math.max(of(facts).opening?.since ?? -Infinity, facts.run.beganAt),
});
const ofService = ({ service }: Facts): Circuit => service.circuit;
const ofChannel = ({ channel }: Facts): Circuit => channel.circuit;

/** Whether one of both circuits is half-open: a single call of each channel is tried. */
const isTrial = (facts: Facts): boolean =>
	ofService(facts).opening !== undefined || ofChannel(facts).opening !== undefined;

/** In this order; the first that applies decides. */
export const RULES: readonly Rule[] = [
	{
		when: 'The circuit of the service is open',
		...whySince(ofService, 'outage'),
		until: ({ now, service: { circuit } }) =>
			circuit.stateAt(now) === 'open' ? circuit.opening?.until : undefined,
		asksMe: ({ now, service: { circuit } }) =>
			circuit.mode === 'untilMe' && (circuit.opening?.until ?? 0) <= now,
		...{ mayGetReady: false, drawAhead: 0 },
	},
	{
		when: 'The circuit of its channel is open, and it is no trial for another recipient than the refused one',
		...whySince(ofChannel, 'channel'),
		until: ({ channel: { circuit, mayTryAnother }, now }) =>
			circuit.stateAt(now) === 'open' && !mayTryAnother ? circuit.opening?.until : undefined,
		...{ mayGetReady: false, drawAhead: BESIDE_A_CHANNEL },
	},
	{
		when: 'A circuit is half-open, and another call of its channel is the trial',
		reasons: ['outage', 'channel', 'later'],
		why: (facts) => (ofService(facts).opening ?? ofChannel(facts).opening)?.why ?? 'later',
		since: (facts) =>
			Math.max((ofService(facts).opening ?? ofChannel(facts).opening)?.since ?? -Infinity, facts.run.beganAt),
		until: (facts) => (isTrial(facts) && facts.channel.inFlight > 0 ? Infinity : undefined),
		...{ mayGetReady: false, drawAhead: BESIDE_A_CHANNEL },
	},
	{
		when: 'It changes something, and the address was not checked within a day',
		reasons: ['me'],
		until: ({ call, now, service }) => (call.changes && service.isAddressOld ? now : undefined),
		asksMe: () => true,
		...{ mayGetReady: true, drawAhead: 0 },
	},
	{
		when: 'The plan is not known, and it is not the first call of its run (which may be the only one)',
		reasons: ['me'],
		until: (facts) => {
			const { call, now, run, service } = facts;
			const isFirst = run.started <= (call.isRetry === true ? 1 : 0);
			const needsPlan = run.keepsToPlan && !isFirst && !isTrial(facts) && service.isPlanOld;
			return needsPlan && (service.isMeAsked || service.slotAt <= now) ? now : undefined;
		},
		asksMe: () => true,
		...{ mayGetReady: true, drawAhead: 0 },
	},
	{
		when: 'The plan has no slot',
		reasons: ['plan'],
		until: ({ now, run, service: { slotAt } }) => (run.keepsToPlan && slotAt > now ? slotAt : undefined),
		...{ mayGetReady: true, drawAhead: 0 },
	},
	{
		when: 'The gap to the last call of the channel is not over',
		reasons: ['gap'],
		until: ({ channel: { gapEnd }, now }) => (gapEnd > now ? gapEnd : undefined),
		...{ mayGetReady: true, drawAhead: BESIDE_A_CHANNEL },
	},
	{
		when: 'The pause after the last message of the channel is not over within two seconds',
		reasons: ['pause'],
		until: ({ channel: { pauseEnd }, now }) =>
			pauseEnd - CLAIM_AHEAD_MS > now ? pauseEnd - CLAIM_AHEAD_MS : undefined,
		...{ mayGetReady: false, drawAhead: BESIDE_A_CHANNEL },
	},
	{
		when: 'The pause after the last message of the channel is not over',
		reasons: ['pause'],
		until: ({ channel: { pauseEnd }, now }) => (pauseEnd > now ? pauseEnd : undefined),
		...{ mayGetReady: true, drawAhead: BESIDE_A_CHANNEL },
	},
	{
		when: 'Nothing shows yet that this is the service, and another call of the run is the first one to change something',
		reasons: ['own'],
		until: ({ call, run, service }) =>
			call.changes && run.inFlight > 0 && run.ended === 0 && !service.isProven ? Infinity : undefined,
		...{ mayGetReady: true, drawAhead: 0 },
	},
	{
		when: 'As many calls of its run are in flight as Max Concurrency allows',
		reasons: ['own'],
		until: ({ run }) => (run.hasPlace ? undefined : Infinity),
		...{ mayGetReady: true, drawAhead: 0 },
	},
	{
		when: 'As many calls of the channel, or in all, are in flight as may be',
		reasons: ['own', 'full'],
		why: ({ run }) => (run.inFlight > 0 ? 'own' : 'full'),
		until: (facts) => (facts.channel.hasPlace || isTrial(facts) ? undefined : Infinity),
		...{ mayGetReady: true, drawAhead: BESIDE_A_PLACE },
	},
];

/** Whether a call may start now, and if not, when to look again, or why never. */
export function nextStep(facts: Facts): Step {
	const { call, now, run, service } = facts;
	const { laterSince = Infinity, maxWaitMs, notAfter = Infinity, notBefore = now } = call;
	const never = (why: EndingReason | 'expired' | 'halted' | 'keyRefused'): Step => ({ kind: 'noStart', why });
	if (run.isHalted) return never('halted');
	if (now >= notAfter) return never('expired');
	if (run.keyRefusals >= MOST_KEY_REFUSALS) return never('keyRefused');
	const { elsewhere } = service;
	// Later runs ask again.
	if (call.changes && elsewhere !== undefined && elsewhere.at > run.beganAt) {
		return { kind: 'noStart', why: 'elsewhere', shownBy: elsewhere.shownBy };
	}
	const told = run.comeBackAt(call.channel) ?? now;
	const comeBackAt = call.comeBackAt ?? (told - now > maxWaitMs ? told : undefined);
	if (comeBackAt !== undefined) return { kind: 'noStart', why: 'comeBack', comeBackAt };
	const opening = ofService(facts).opening ?? ofChannel(facts).opening;
	// With closed circuits, other calls were answered, and this one was refused each time.
	if (laterSince + maxWaitMs <= now) return never(opening?.why ?? 'later');
	if (notBefore > now) return { kind: 'backoff', until: Math.min(notBefore, laterSince + maxWaitMs) };
	for (const rule of RULES) {
		const until = rule.until(facts);
		if (until === undefined) continue;
		const why = rule.why?.(facts) ?? rule.reasons[0];
		const since = rule.since?.(facts) ?? (call.waitsFor?.why === why ? call.waitsFor.since : now);
		// A past moment: the end of another request wakes the queue.
		const lookAgainAt = until > now ? until : Infinity;
		const givesUpAt = Math.min(ends(why) ? since : Infinity, laterSince) + maxWaitMs;
		// The time that the service names is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (why === 'later' && givesUpAt < until && until < Infinity);
		if (isInVain && ends(why)) return never(why);
		return { kind: 'wait', until: Math.min(lookAgainAt, givesUpAt), since, rule, why };
	}
	return { kind: 'start' };
}
