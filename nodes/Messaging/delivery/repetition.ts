import { type ApiCall, readsOnly } from '../service/api-call';
import type { Cause, Failure } from '../service/endings';
import type { CallSettings } from '../fields/settings';

/**
 * Decides whether, how often and when a failed call is repeated in its run. `service/` decides what kind of failure it
 * is. In later tries of the execution, the option When Outcome Is Unknown itself says what to do.
 */

type Method = ApiCall['method'];

/** Safe to repeat. */
const HARMLESS_TWICE: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Statuses after which another try may succeed; `null` means no answer at all. */
const PASSING: ReadonlyArray<number | null> = [null, 500, 502, 503, 504];

/** When a call may be repeated: every condition that a rule names has to hold. */
export interface Rule {
	readonly cause: Cause;
	readonly statuses?: ReadonlyArray<number | null>;
	readonly methods?: readonly Method[];
	/** The value of the option When Outcome Is Unknown. */
	readonly whenUnknown?: CallSettings['whenUnknown'];
	/** Whether the whole service is down, which the gate waits out. */
	readonly inOutage?: true;
	/** How often: until the call has used up its tries, or its waiting time, which uses up no tries. */
	readonly limit: 'maxTries' | 'maxWait';
	/** Spread the tries over at least this many milliseconds. */
	readonly spreadMs?: number;
}

/** The first rule that fits decides; without one, the call is not repeated. */
export const RULES: readonly Rule[] = [
	// The gate holds the call back until the service takes requests again.
	{ cause: 'throttled', limit: 'maxWait' },
	{ cause: 'neverLeft', inOutage: true, limit: 'maxWait' },
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
	/** How long it has waited for the service to accept it, in milliseconds. */
	readonly waitedMs: number;
	readonly settings: Pick<CallSettings, 'maxTries' | 'maxWaitMs' | 'whenUnknown'>;
	/** A number from 0 to 1. */
	random(): number;
}

/** Repeat after this many milliseconds, or stop. */
export type Repetition = 'stop' | { afterMs: number; usesTry: boolean };

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/** Whether and when a failed call is repeated. */
export function repetition(attempt: Attempt, rules: readonly Rule[] = RULES): Repetition {
	const rule = rules.find((each) => fits(each, attempt));
	if (rule === undefined) return 'stop';
	const { settings, triesBefore, waitedMs } = attempt;
	if (rule.limit === 'maxWait') {
		return waitedMs < settings.maxWaitMs ? { afterMs: 0, usesTry: false } : 'stop';
	}
	if (triesBefore + 1 >= settings.maxTries) return 'stop';
	// Full jitter: calls that failed together do not retry together.
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** triesBefore);
	const least = (rule.spreadMs ?? 0) / (settings.maxTries - 1);
	return { afterMs: least + attempt.random() * most, usesTry: true };
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
 * What a later try must know about a call: its state at any time, only that it is done, or nothing. A call it knows
 * nothing about is simply repeated.
 */
export function keepingOf(call: ApiCall): 'all' | 'done' | 'nothing' {
	if (readsOnly(call)) return 'nothing';
	return HARMLESS_TWICE.includes(call.method) ? 'done' : 'all';
}
