import { type ApiCall, readsOnly } from '../service/api-call';
import type { CallEnd, Cause, Failure, Outcome } from '../service/endings';
import type { CallSettings } from './settings';

/**
 * May this be repeated, how often, when? The whole policy stands here: what kind of failure it is, is decided in
 * `service/`; what to do about it, in this table.
 */

type Method = ApiCall['method'];

/** Doing it twice does no harm. */
const HARMLESS_TWICE: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Statuses after which another try may succeed; `null` is no answer at all. */
const PASSING: ReadonlyArray<number | null> = [null, 500, 502, 503, 504];

/** What may be repeated. All that is named has to hold; what is not named does not matter. */
export interface Rule {
	/** In the run in which it failed, or when n8n repeats the execution with what was left open in it. */
	readonly when: 'sameRun' | 'laterTry';
	readonly cause?: Cause;
	readonly outcome?: Outcome;
	readonly statuses?: ReadonlyArray<number | null>;
	readonly methods?: readonly Method[];
	/** Below the base URL, such as `/api/v1/message/SendMessage`. */
	readonly paths?: readonly string[];
	/** The setting that has to be on. */
	readonly allowedBy?: 'resendUnknown';
	/**
	 * How often: while the call has tries left, or at most so many times of these; or until the call has waited for as
	 * long as it may, which uses up no tries.
	 */
	readonly limit?: 'maxTries' | 'maxWait' | number;
}

/** The first rule that fits decides; without one it is not repeated. */
export const RULES: readonly Rule[] = [
	// The gate holds the call back until the service takes requests again.
	{ when: 'sameRun', cause: 'throttled', limit: 'maxWait' },
	{ when: 'sameRun', cause: 'neverLeft', limit: 'maxTries' },
	{ when: 'sameRun', cause: 'doubtful', statuses: PASSING, methods: HARMLESS_TWICE, limit: 'maxTries' },
	{ when: 'sameRun', cause: 'doubtful', statuses: PASSING, allowedBy: 'resendUnknown', limit: 'maxTries' },
	{ when: 'laterTry', outcome: 'unknown', allowedBy: 'resendUnknown' },
];

/** What failed, and what has been done about it so far. */
export interface Attempt {
	readonly when: Rule['when'];
	readonly call: ApiCall;
	readonly failure: Failure;
	/** The tries of this call that failed before, those aside that were told "later". */
	readonly before: readonly Failure[];
	/** How long, in milliseconds, it has been told "later". */
	readonly throttledForMs: number;
	readonly settings: Pick<CallSettings, 'maxTries' | 'maxWaitMs' | 'resendUnknown'>;
	/** A number from 0 to 1. */
	random(): number;
}

/** Again after so many milliseconds, or not. */
export type Repetition = 'stop' | { afterMs: number; usesTry: boolean };

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/** Whether and when something that failed is done again. */
export function repetition(attempt: Attempt, rules: readonly Rule[] = RULES): Repetition {
	const rule = rules.find((each) => fits(each, attempt, attempt.failure));
	if (rule === undefined) return 'stop';
	const { before, settings, throttledForMs } = attempt;
	if (rule.limit === undefined || (rule.limit === 'maxWait' && throttledForMs < settings.maxWaitMs)) {
		return { afterMs: 0, usesTry: false };
	}
	if (rule.limit === 'maxWait') return 'stop';
	if (before.length + 1 >= settings.maxTries) return 'stop';
	if (typeof rule.limit === 'number') {
		const times = before.filter((failure) => fits(rule, attempt, failure)).length;
		if (times >= rule.limit) return 'stop';
	}
	// Full jitter: calls that failed together do not come back together.
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** before.length);
	return { afterMs: attempt.random() * most, usesTry: true };
}

function fits(rule: Rule, { when, call, settings }: Attempt, failure: Failure): boolean {
	return (
		rule.when === when &&
		(rule.cause === undefined || rule.cause === failure.cause) &&
		(rule.outcome === undefined || rule.outcome === failure.outcome) &&
		(rule.statuses === undefined || rule.statuses.includes(failure.statusCode)) &&
		(rule.methods === undefined || rule.methods.includes(call.method)) &&
		(rule.paths === undefined || rule.paths.includes(call.path)) &&
		(rule.allowedBy === undefined || settings[rule.allowedBy])
	);
}

/** Whether a call of an earlier try, of which nobody knows whether it was processed, goes out again in this one. */
export function mayGoOutAgain(failure: Failure, call: ApiCall, settings: Attempt['settings']): boolean {
	const attempt = { failure, call, settings, before: [], throttledForMs: 0, random: () => 0 };
	return repetition({ when: 'laterTry', ...attempt }) !== 'stop';
}

/** Whether a call must not be made twice unasked: that it is on its way is noted before it leaves. */
export function isOnceOnly({ method }: ApiCall): boolean {
	return !HARMLESS_TWICE.includes(method);
}

/** Whether a later try of the execution has to know how a call ended. What is not remembered, it simply does again. */
export function isToRemember(call: ApiCall, end: CallEnd): boolean {
	if (readsOnly(call)) return false;
	return 'json' in end || (end.failure.outcome === 'unknown' && isOnceOnly(call));
}
