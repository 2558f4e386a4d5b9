import { type ApiCall, readsOnly } from '../service/api-call';
import { ask, type RequestSettings, type Service } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import type { Reply } from '../service/reply';
import { type Clock, systemClock, timeIn } from '../shared/clock';
import { gateOf, type KeyGate } from './pace/key-gate';
import { RunQueue } from './pace/run-queue';
import type { NoPass, Pass, WaitingCall } from './pace/waiting-call';
import { repetition } from './repetition';
import type { CallSettings } from './settings';
import { comeBack, elsewhere, HELD_BACK, pastDeadline } from './wording';

/** What the calls of one run share. */
export interface CallEnvironment {
	gate: KeyGate;
	/** What waits at the gate. */
	queue: RunQueue;
	clock: Clock;
	random: () => number;
	/** In which times are said. */
	timezone: string;
}

/** Called for each request that leaves and each that fails, so that the ledger is always up to date. */
export interface CallWatch {
	left(): void;
	cameBack(failure: Failure): void;
}

/**
 * Makes one call, with as many retries as `repetition.ts` allows. Never throws.
 *
 * @param first the gate's answer to its first request, if it has been asked
 */
export async function makeCall(
	env: CallEnvironment,
	call: ApiCall,
	settings: CallSettings & RequestSettings & { readonly channel?: string | undefined },
	{ first, watch }: { first?: Pass | NoPass | undefined; watch?: CallWatch | undefined } = {},
): Promise<Reply | Failure> {
	const { clock, gate, queue, random } = env;
	const { channel = '', maxWaitMs, notAfter = Infinity } = settings;
	const waiting: Omit<WaitingCall, 'answer'> = { channel, maxWaitMs, changes: !readsOnly(call) };
	let triesBefore = 0;
	let last: Failure | undefined;
	let answer = first ?? (await queue.enter(waiting));
	while (answer.kind === 'pass') {
		if (clock.now() >= notAfter) {
			const late = pastDeadline(timeIn(notAfter - clock.now(), env.timezone));
			answer.leave(late);
			// A call that may have been processed stays in doubt.
			return last?.outcome === 'unknown' ? last : late;
		}
		watch?.left();
		waiting.isRepeated = true;
		const result = await ask(queue.settings.service, call, settings);
		answer.leave(result);
		if (!isFailure(result)) return result;

		last = result;
		watch?.cameBack(result);
		const now = clock.now();
		const isOutage = result.cause === 'neverLeft' && gate.availability.isKnown(now);
		const next = repetition({ call, failure: result, isOutage, triesBefore, settings, random });
		if (next === 'stop') return result;
		if (next === 'atGate') waiting.waitingSince ??= now;
		else {
			waiting.notBefore = now + next.afterMs;
			triesBefore += 1;
		}
		answer = await queue.enter(waiting);
	}
	return notLetThrough(env, answer, last);
}

/**
 * The failure of a call that the gate did not let through.
 *
 * @param last the failure of its last try, if there was one
 */
function notLetThrough(
	{ clock, timezone }: CallEnvironment,
	noPass: NoPass,
	last: Failure | undefined,
): Failure {
	// A call that may have been processed stays in doubt.
	if (last?.outcome === 'unknown') return last;
	if (noPass.why === 'elsewhere') return elsewhere(noPass.shownBy);
	const { comeBackAt = 0, why } = noPass;
	if (why === 'comeBack') return comeBack(timeIn(comeBackAt - clock.now(), timezone), last);
	const failure = HELD_BACK[why];
	if (last === undefined || why === 'keyRefused') return failure;
	// If the service asked to wait, its own words say so.
	if (why === 'halted' || why === 'pause') return last;
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
