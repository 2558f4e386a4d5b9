import type { ApiCall } from '../service/api-call';
import { ask, type RequestSettings, type Service } from '../service/connect';
import { type Failure, isFailure, requestEnd } from '../service/endings';
import type { Reply } from '../service/reply';
import type { Clock } from '../time/clock';
import type { KeyGate, Visitor } from './pace/key-gate';
import type { Latency, Limiter } from './pace/limiter';
import { repetition } from './repetition';
import { STOPPED, TOO_LONG } from './report/not-sent';
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
	/** How long all calls together waited to be let through, in milliseconds. */
	waitedMs: number;
	/** Requests that have left and not ended. */
	underWay: number;
	/** Requests that have ended, and how long, in milliseconds, they took together. */
	answers: number;
	answerMs: number;
}

/** Nothing has happened yet. */
export function newStats(): RunStats {
	return { retries: 0, turnedAway: 0, pacedMs: 0, waitedMs: 0, underWay: 0, answers: 0, answerMs: 0 };
}

/** Told of each request as it leaves, so that one cut off half-way is known to have left. */
export interface CallWatch {
	left(): void;
	/** It can't have been processed: the service said no, or was not reached. */
	cameBack(): void;
	/** The service has said yes. Its answer is yet to be read. */
	accepted(): void;
}

/**
 * Makes one call, with as many tries as `repetition.ts` allows. Never throws.
 *
 * @param unclear the failure of an earlier try that may have been processed: unless the call succeeds, it stays unknown
 */
export async function makeCall(
	env: CallEnvironment,
	call: ApiCall,
	settings: CallSettings & RequestSettings,
	watch?: CallWatch,
	unclear?: Failure,
): Promise<Reply | Failure> {
	const { clock, random, stats } = env;
	const visitor = visitorOf(env, settings);
	const request = { ...settings, accepted: () => watch?.accepted() };
	const before: Failure[] = [];
	let last: Failure | undefined;
	for (;;) {
		const asked = clock.now();
		const pass = await env.gate.enter(visitor);
		if (pass === 'halted') return stillUnclear(unclear, last ?? STOPPED);
		if (pass === 'tooLong') return stillUnclear(unclear, last ?? TOO_LONG);

		const began = clock.now();
		const idleBefore = clock.idle();
		stats.pacedMs = Math.max(stats.pacedMs, began - asked);
		stats.waitedMs += began - asked;
		stats.underWay += 1;
		watch?.left();
		const result = await ask(env.service, call, request);
		const took = clock.now() - began;
		stats.underWay -= 1;
		stats.answers += 1;
		stats.answerMs += took;
		learnFrom(result, env.limiter, { ms: took, idleMs: clock.idle() - idleBefore });
		pass.leave(requestEnd(result), isFailure(result) ? result.waitMs : undefined);
		if (!isFailure(result)) return result;

		last = result;
		if (result.outcome === 'unknown') unclear = result;
		if (unclear === undefined) watch?.cameBack();
		const now = clock.now();
		if (result.cause === 'throttled') {
			stats.turnedAway += 1;
			visitor.laterSince ??= now;
		}
		const throttledForMs = now - (visitor.laterSince ?? now);
		const attempt = { call, failure: result, before, throttledForMs, settings, random };
		const next = repetition({ when: 'sameRun', ...attempt });
		if (next === 'stop') return stillUnclear(unclear, result);
		if (!next.usesTry) continue;
		await clock.sleep(next.afterMs, env.signal);
		if (env.signal.aborted) return stillUnclear(unclear, result);
		before.push(result);
		stats.retries += 1;
	}
}

/** A call of this run, to the gate. */
export function visitorOf(env: CallEnvironment, { maxWaitMs }: Pick<CallSettings, 'maxWaitMs'>): Visitor {
	return { keepToPlan: env.keepToPlan, maxWaitMs, signal: env.signal };
}

/** Only successes and being turned away say how much the service can take. */
function learnFrom(result: Reply | Failure, limiter: Limiter, latency: Latency): void {
	const turnedAway = isFailure(result) && (result.cause === 'throttled' || result.statusCode === 503);
	if (turnedAway || !isFailure(result)) limiter.sample(latency, turnedAway);
}

/** Once one try may have been processed, no later answer makes that undone. */
export function stillUnclear(unclear: Failure | undefined, failure: Failure): Failure {
	if (unclear === undefined || unclear === failure) return failure;
	return {
		...failure,
		outcome: 'unknown',
		cause: 'doubtful',
		message: `Failed now, but an earlier try may have been processed: ${failure.message}`,
		description: `${failure.description} An earlier try of this call got no clear answer, so it may have been processed: check there before you repeat it.`,
	};
}
