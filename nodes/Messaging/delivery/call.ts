import type { ApiCall } from '../service/api-call';
import { ask, isFailure, type RequestSettings, type Service } from '../service/connect';
import { type Failure, unsent } from '../service/failure';
import type { Reply } from '../service/reply';
import type { Clock } from './clock';
import type { Ending, KeyGate, Visitor } from './key-gate';
import type { Limiter } from './limiter';
import type { CallSettings } from './settings';

/** What the calls of one run share. */
export interface CallEnvironment {
	service: Service;
	gate: KeyGate;
	limiter: Limiter;
	clock: Clock;
	random: () => number;
	keepToPlan: boolean;
	/** Fires when nothing more may be sent: the execution was cancelled, or an item failed for good in stop mode. */
	signal: AbortSignal;
	/** Counted here for the hints. */
	stats: RunStats;
}

/** What happened on the way. */
export interface RunStats {
	/** Tries beyond the first. */
	retries: number;
	/** Times that the service said "later". */
	turnedAway: number;
	/** The longest time, in milliseconds, that a call waited to be let through. */
	pacedMs: number;
}

/** Told of each request as it leaves, so that one cut off half-way is known to have left. */
export interface CallWatch {
	left(): void;
	/** It can't have been processed: the service said no, or was not reached. */
	cameBack(): void;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/**
 * Makes one call, with as many tries as are safe. Never throws.
 *
 * Repeated are: what can't have been processed, always; what may have been, only where repeating does no harm
 * (every method but POST) or the user allows it. A service that says "later" is waited for, without counting tries, as
 * long as the call may wait.
 *
 * @param doubt why an earlier try may have been processed: unless the call succeeds, that stays so
 */
export async function makeCall(
	env: CallEnvironment,
	call: ApiCall,
	settings: CallSettings & RequestSettings,
	watch?: CallWatch,
	doubt?: Failure,
): Promise<Reply | Failure> {
	let last: Failure | undefined;
	const visitor = visitorOf(env, settings);
	for (let tries = 1; ;) {
		const asked = env.clock.now();
		const pass = await env.gate.enter(visitor);
		if (pass === 'halted') return doubted(doubt, last ?? STOPPED);
		if (pass === 'tooLong') return doubted(doubt, last ?? TOO_LONG);

		const began = env.clock.now();
		env.stats.pacedMs = Math.max(env.stats.pacedMs, began - asked);
		watch?.left();
		const result = await ask(env.service, call, settings);
		const ending = endingOf(result);
		const turnedAway = ending === 'later' || (isFailure(result) && result.statusCode === 503);
		if (turnedAway || ending === 'success') env.limiter.sample(env.clock.now() - began, turnedAway);
		pass.leave(ending, isFailure(result) ? result.waitMs : undefined);
		if (!isFailure(result)) return result;

		last = result;
		if (result.outcome === 'unknown') doubt = result;
		if (doubt === undefined) watch?.cameBack();
		if (ending === 'later') {
			env.stats.turnedAway += 1;
			const now = env.clock.now();
			visitor.laterSince ??= now;
			if (now - visitor.laterSince >= settings.maxWaitMs) return doubted(doubt, result);
			continue;
		}
		if (tries >= settings.maxTries || !mayRepeat(call, result, settings)) return doubted(doubt, result);
		// Full jitter: calls that failed together do not come back together.
		const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
		await env.clock.sleep(env.random() * most, env.signal);
		if (env.signal.aborted) return doubted(doubt, result);
		tries += 1;
		env.stats.retries += 1;
	}
}

/** A call of this run, to the gate. */
export function visitorOf(env: CallEnvironment, { maxWaitMs }: Pick<CallSettings, 'maxWaitMs'>): Visitor {
	return { keepToPlan: env.keepToPlan, maxWaitMs, signal: env.signal };
}

/** How a request ended, to the gate. */
export function endingOf(result: Reply | Failure): Ending {
	if (!isFailure(result)) return 'success';
	if (result.again === 'later') return 'later';
	return result.statusCode === null ? 'broken' : 'answered';
}

function mayRepeat(call: ApiCall, { again }: Failure, { resendUnknown }: CallSettings): boolean {
	return again === 'harmless' || (again === 'doubtful' && (call.method !== 'POST' || resendUnknown));
}

/** Once one try may have been processed, no later answer makes that undone. */
function doubted(doubt: Failure | undefined, failure: Failure): Failure {
	if (doubt === undefined || doubt === failure) return failure;
	return {
		...failure,
		outcome: 'unknown',
		description: `${failure.description} An earlier try of this call got no clear answer, so it may have been processed: check there before you repeat it.`,
	};
}

const STOPPED = unsent('The item was not sent', 'The run was stopped before its turn came.');
const TOO_LONG = unsent(
	'The item was not sent: the service keeps asking to come back later',
	'The API key has used up its plan, or the service is overloaded. Wait before you send it, or raise the option Max Wait.',
);
