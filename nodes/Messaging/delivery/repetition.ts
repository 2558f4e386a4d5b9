import type { CallSettings } from './settings';
import type { ApiCall } from '../service/api-call';
import type { Failure } from '../service/endings';
import type { ClaimResult } from './once/claim';

/**
 * What may be repeated, and when: in the same run (`repetition`), and after an earlier try (`decide`). `service/` decides
 * what kind of failure it is.
 */

/** Safe to repeat. */
const REPEAT_SAFE: ReadonlyArray<ApiCall['method']> = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Statuses of calls in doubt that another try would get again, as every success is. */
const FINAL: ReadonlyArray<number | null> = [303, 304, 501, 505];

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

/**
 * Stop; repeat when the queue lets it through, until Max Wait is over; or repeat after this many milliseconds, which uses up
 * a try.
 */
export type Repetition = 'stop' | 'inQueue' | { afterMs: number };

/**
 * The first back-off of a call that failed, and the longest, in milliseconds. Half: a service that is failing is asked twice
 * as often. Double: a single failure costs a second.
 */
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;
/** Over how many milliseconds the tries to reach a service are spread, which may be down for a moment, or its name server. */
const SPREAD_MS = 5000;

/** Whether and when a failed call is repeated. */
export function repetition(attempt: Attempt): Repetition {
	const { call, failure, isOutage, settings, triesBefore } = attempt;
	const { cause, statusCode } = failure;
	const neverLeft = cause === 'neverLeft';
	// A service that says "later" or is down is waited for.
	if (cause === 'throttled' || (neverLeft && isOutage)) return 'inQueue';
	if (!neverLeft && cause !== 'doubtful') return 'stop';
	const isAllowed = neverLeft || REPEAT_SAFE.includes(call.method) || settings.whenUnknown === 'sendAgain';
	const isRetryable = (statusCode ?? Infinity) >= 300 && !FINAL.includes(statusCode);
	if (!isAllowed || !isRetryable) return 'stop';
	if (triesBefore + 1 >= settings.maxTries) return 'stop';
	// Full jitter: calls that failed together do not retry together.
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** triesBefore);
	const least = neverLeft ? SPREAD_MS / (settings.maxTries - 1) : 0;
	return { afterMs: least + attempt.random() * most };
}

/** What the claim of an item's once key has found; `none` if it has no key. */
export type KeyState = Exclude<ClaimResult, Failure> | 'none';

/** What to do with an item. */
export type Decision =
	| 'send'
	/** It may have been sent: a failure leaves it in doubt. */
	| 'sendAgain'
	| 'countAsSent'
	/** Its once key shows that it was sent. */
	| 'alreadySent'
	| 'hold';

/**
 * What to do with an item before anything of it leaves in this try.
 *
 * @param isTried whether an earlier try of the execution may have been processed
 */
export function decide(isTried: boolean, key: KeyState, whenUnknown: CallSettings['whenUnknown']): Decision {
	if (key === 'sent') return 'alreadySent';
	if (key === 'busy') return 'hold';
	return isTried || key === 'inDoubt' ? whenUnknown : 'send';
}
