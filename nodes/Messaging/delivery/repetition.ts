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

/**
 * Statuses after which another try may succeed: no answer at all, those of HTTP, those that gateways put in the place of
 * these, Cloudflare's, and those of proxies.
 */
const RETRYABLE: ReadonlyArray<number | null> = [
	...[null, 500, 502, 503, 504],
	...[302, 307, 404, 405, 410],
	...[520, 521, 522, 523, 524, 525, 526, 527, 530],
	...[598, 599],
];

/** When a failed call may be repeated, and how often. */
interface Rule {
	readonly fits: (attempt: Attempt) => boolean;
	/** How often: until the call has used up its tries; or, without using up any, until its time at the gate is over. */
	readonly limit: 'maxTries' | 'maxWait';
	/** Spread the tries over at least this many milliseconds. */
	readonly spreadMs?: number;
}

/** The first rule that fits decides; without one, the call is not repeated. */
const RULES: readonly Rule[] = [
	// The call waits in the queue until the service takes requests again, or Max Wait is over.
	{ fits: ({ failure }) => failure.cause === 'throttled', limit: 'maxWait' },
	{ fits: ({ failure, isOutage }) => failure.cause === 'neverLeft' && isOutage, limit: 'maxWait' },
	// The address may be wrong, or a name server down for a moment.
	{ fits: ({ failure }) => failure.cause === 'neverLeft', limit: 'maxTries', spreadMs: 5000 },
	{
		fits: ({ call, failure }) => isRetryable(failure) && REPEAT_SAFE.includes(call.method),
		limit: 'maxTries',
	},
	{
		fits: ({ failure, settings }) => isRetryable(failure) && settings.whenUnknown === 'sendAgain',
		limit: 'maxTries',
	},
];

/** Whether a call whose outcome is not known may succeed if it is made again. */
function isRetryable({ cause, statusCode }: Failure): boolean {
	return cause === 'doubtful' && RETRYABLE.includes(statusCode);
}

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
export type Repetition = 'stop' | 'inQueue' | { afterMs: number };

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/** Whether and when a failed call is repeated. */
export function repetition(attempt: Attempt): Repetition {
	const rule = RULES.find(({ fits }) => fits(attempt));
	if (rule === undefined) return 'stop';
	if (rule.limit === 'maxWait') return 'inQueue';
	const { settings, triesBefore } = attempt;
	if (triesBefore + 1 >= settings.maxTries) return 'stop';
	// Full jitter: calls that failed together do not retry together.
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** triesBefore);
	const least = (rule.spreadMs ?? 0) / (settings.maxTries - 1);
	return { afterMs: least + attempt.random() * most };
}

/** What an item's once key is: `none` if it has no key, `unclaimed` before it is claimed, or what the claim finds. */
export type KeyState = ClaimResult | 'none' | 'unclaimed';

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
	const decision = isTried || key === 'inDoubt' ? whenUnknown : 'send';
	// What is held back needs no claim.
	return key === 'unclaimed' && decision !== 'hold' ? 'claimKey' : decision;
}
