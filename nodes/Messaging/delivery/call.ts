import { type ApiCall, readsOnly } from '../service/api-call';
import { ask, type RequestSettings, type Service } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import type { Reply } from '../service/reply';
import { type Clock, systemClock, timeIn } from '../shared/clock';
import { gateOf, type KeyGate } from './pace/key-gate';
import { RunQueue } from './pace/run-queue';
import type { NoStart, Start, Waiting } from './pace/queued-call';
import { repetition } from './repetition';
import type { CallSettings } from './settings';
import { comeBack, elsewhere, NOT_STARTED, pastDeadline } from './wording';

/** What the calls of one run share. */
export interface CallEnvironment {
	gate: KeyGate;
	/** The calls of the run that wait there. */
	queue: RunQueue;
	clock: Clock;
	random: () => number;
	/** In which times are said. */
	timezone: string;
}

/** Called for each request that starts and each that fails, so that the ledger is always up to date. */
export interface CallWatch {
	started(): void;
	failed(failure: Failure): void;
}

/** A call as the queue takes it. */
export function queuedCall(
	{ call, channel = '', lane }: { call: ApiCall; channel?: string | undefined; lane?: string | undefined },
	{ maxWaitMs, notAfter = Infinity }: CallSettings,
): Waiting {
	return { channel, recipient: lane, maxWaitMs, notAfter, changes: !readsOnly(call) };
}

/** What a caller of `makeCall` can do itself. */
export interface CallOptions {
	/** The queue's answer to its first request, if it has been asked. */
	readonly first?: Start | NoStart | undefined;
	/** Asks the queue for each further try; `undefined` if there is to be none. */
	readonly again?: ((call: Waiting) => Promise<Start | NoStart | undefined>) | undefined;
	readonly watch?: CallWatch | undefined;
}

/** Makes one call, with as many retries as `repetition.ts` allows. Never throws. */
export async function makeCall(
	env: CallEnvironment,
	call: ApiCall,
	settings: CallSettings & RequestSettings & { channel?: string | undefined; recipient?: string | undefined },
	{ first, again, watch }: CallOptions = {},
): Promise<Reply | Failure> {
	const { clock, gate, queue, random } = env;
	const { channel, notAfter = Infinity, recipient } = settings;
	const queued = queuedCall({ call, channel, lane: recipient }, settings);
	let triesBefore = 0;
	let last: Failure | undefined;
	let answer = first ?? (await queue.enter(queued));
	while (answer.kind === 'start') {
		watch?.started();
		queued.isRetry = true;
		const result = await ask(queue.settings.service, call, settings);
		answer.finish(result, queued);
		if (isFailure(result)) watch?.failed(result);
		const now = clock.now();
		const next = isFailure(result)
			? repetition({
					...{ call, failure: result, triesBefore, settings, random },
					isOutage: result.cause === 'neverLeft' && gate.isKnown(now),
				})
			: 'stop';
		if (next === 'stop') {
			gate.done(queued, queue);
			return result;
		}
		last = isFailure(result) ? result : undefined;
		if (next === 'inQueue') queued.laterSince ??= now;
		else {
			queued.notBefore = now + next.afterMs;
			triesBefore += 1;
		}
		const turn = again === undefined ? await queue.enter(queued) : await again(queued);
		if (turn === undefined) {
			gate.done(queued, queue);
			return result;
		}
		answer = turn;
	}
	if (last !== undefined) gate.done(queued, queue);
	return notStarted(env, answer, last, notAfter);
}

/**
 * The failure of a call that did not start.
 *
 * @param last the failure of its last try, if there was one
 * @param notAfter when it has expired
 */
function notStarted(
	{ clock, timezone }: CallEnvironment,
	noStart: NoStart,
	last: Failure | undefined,
	notAfter: number,
): Failure {
	// A call that may have been processed stays in doubt.
	if (last?.outcome === 'unknown') return last;
	if (noStart.why === 'expired') return pastDeadline(timeIn(notAfter - clock.now(), timezone));
	if (noStart.why === 'elsewhere') return elsewhere(noStart.shownBy);
	if (noStart.why === 'comeBack') return comeBack(timeIn(noStart.comeBackAt - clock.now(), timezone), last);
	const { why } = noStart;
	const failure = NOT_STARTED[why];
	if (last === undefined || why === 'keyRefused') return failure;
	// The service's own answer says more.
	if (why === 'halted' || why === 'later') return last;
	return { ...failure, description: `${failure.description} The last failure: ${last.message}.` };
}

/** Makes one call outside a run, through the gate of its key and with the same retries. Never throws. */
export async function makeSingleCall(
	service: Service,
	call: ApiCall,
	settings: CallSettings & RequestSettings,
	timezone: string,
): Promise<Reply | Failure> {
	const gate = gateOf(service);
	// A plan may be used up for hours.
	const signal = AbortSignal.timeout(300_000);
	const queue = new RunQueue(gate, { service, keepToPlan: true, signal });
	return await makeCall({ gate, queue, timezone, clock: systemClock, random: Math.random }, call, settings);
}
