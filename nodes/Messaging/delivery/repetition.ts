import type { CallSettings } from './settings';
import type { ApiCall, Effect } from '../service/api-call';
import type { Cause, Failure } from '../service/endings';
import type { ClaimEnd } from './once/ticket';

/**
 * What may be repeated, and when: in the same run (`repetition`), and after an earlier try (`decide`). `service/` decides
 * what kind of failure it is.
 */

type Method = ApiCall['method'];

/** Safe to repeat. */
const HARMLESS_TWICE: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Statuses after which another try may succeed: no answer at all, those of HTTP, Cloudflare's, and those of proxies. */
const PASSING: ReadonlyArray<number | null> = [
	...[null, 500, 502, 503, 504],
	...[520, 521, 522, 523, 524, 525, 526, 527, 530],
	...[598, 599],
];

/** When a call may be repeated: every condition that a rule names has to hold. */
interface Rule {
	readonly cause: Cause;
	readonly statuses?: ReadonlyArray<number | null>;
	readonly methods?: readonly Method[];
	/** The value of the option When Outcome Is Unknown. */
	readonly whenUnknown?: CallSettings['whenUnknown'];
	/** Whether the whole service is down, which the gate waits out. */
	readonly inOutage?: true;
	/** How often: until the call has used up its tries; or, without using up any, until its time at the gate is over. */
	readonly limit: 'maxTries' | 'gate';
	/** Spread the tries over at least this many milliseconds. */
	readonly spreadMs?: number;
}

/** The first rule that fits decides; without one, the call is not repeated. */
const RULES: readonly Rule[] = [
	// The gate holds the call back until the service takes requests again, or Max Wait is over.
	{ cause: 'throttled', limit: 'gate' },
	{ cause: 'neverLeft', inOutage: true, limit: 'gate' },
	// The address may be wrong, or a name server down for a moment.
	{ cause: 'neverLeft', limit: 'maxTries', spreadMs: 5000 },
	{ cause: 'doubtful', statuses: PASSING, methods: HARMLESS_TWICE, limit: 'maxTries' },
	{ cause: 'doubtful', statuses: PASSING, whenUnknown: 'sendAgain', limit: 'maxTries' },
];

/** A failed try, and what has been done so far. */
export interface Attempt {
	readonly call: ApiCall;
	readonly failure: Failure;
	/** Whether the whole service is down, which the gate waits out. */
	readonly isOutage: boolean;
	/** How many earlier tries of this call have failed; waiting for the service uses up none. */
	readonly triesBefore: number;
	readonly settings: Pick<CallSettings, 'maxTries' | 'whenUnknown'>;
	/** A number from 0 to 1. */
	random(): number;
}

/** Stop, repeat when the gate lets it through, or repeat after this many milliseconds, which uses up a try. */
export type Repetition = 'stop' | 'atGate' | { afterMs: number };

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/** Whether and when a failed call is repeated. */
export function repetition(attempt: Attempt): Repetition {
	const rule = RULES.find((each) => fits(each, attempt));
	if (rule === undefined) return 'stop';
	if (rule.limit === 'gate') return 'atGate';
	const { settings, triesBefore } = attempt;
	if (triesBefore + 1 >= settings.maxTries) return 'stop';
	// Full jitter: calls that failed together do not retry together.
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** triesBefore);
	const least = (rule.spreadMs ?? 0) / (settings.maxTries - 1);
	return { afterMs: least + attempt.random() * most };
}

function fits(rule: Rule, { call, failure, isOutage, settings }: Attempt): boolean {
	return (
		rule.cause === failure.cause &&
		(rule.inOutage === undefined || isOutage) &&
		(rule.statuses === undefined || rule.statuses.includes(failure.statusCode)) &&
		(rule.methods === undefined || rule.methods.includes(call.method)) &&
		(rule.whenUnknown === undefined || rule.whenUnknown === settings.whenUnknown)
	);
}

/**
 * What later tries of the execution must know about an item: its state at any time, only that it is done, or nothing. An
 * item that they know nothing about is simply repeated.
 *
 * @param isOnceOnly whether a repetition does harm: the operation has the option When Outcome Is Unknown
 */
export function keepingOf(effect: Effect, isOnceOnly: boolean): 'all' | 'done' | 'nothing' {
	if (effect === 'reads') return 'nothing';
	return isOnceOnly ? 'all' : 'done';
}

/** What an item's once key is: `none` if it has no key, `unclaimed` before it is claimed, or what the claim finds. */
export type KeyState = ClaimEnd | 'none' | 'unclaimed';

/** What to do with an item. */
export type Decision =
	| 'send'
	/** It may have been sent: a failure leaves it in doubt. */
	| 'sendAgain'
	| 'countAsSent'
	/** Its once key shows that it was sent. */
	| 'alreadySent'
	| 'hold'
	| 'claimKey'
	/** The claim of its once key has failed. */
	| 'fail';

/**
 * What to do with an item before anything of it leaves in this try.
 *
 * @param isTried whether an earlier try of the execution may have been processed
 */
export function decide(isTried: boolean, key: KeyState, whenUnknown: CallSettings['whenUnknown']): Decision {
	if (key === 'withdrawn' || typeof key === 'object') return 'fail';
	if (key === 'sent') return 'alreadySent';
	if (key === 'busy') return 'hold';
	const decision = isTried || key === 'open' ? whenUnknown : 'send';
	// What is held back needs no claim.
	return key === 'unclaimed' && decision !== 'hold' ? 'claimKey' : decision;
}
