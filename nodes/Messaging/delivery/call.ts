import type { ApiCall } from '../service/api-call';
import { ask, type RequestSettings, type Service } from '../service/connect';
import { type Failure, isFailure, requestEnd } from '../service/endings';
import type { Reply } from '../service/reply';
import { type Clock, systemClock, timeIn } from '../shared/clock';
import { gateOf, type KeyGate, type NoPass, type Visitor } from './pace/key-gate';
import { repetition } from './repetition';
import { RunStats } from './run-stats';
import type { CallSettings } from './settings';
import { comeBack, HELD_BACK } from './wording';

/** What the calls of one run share. */
export interface CallEnvironment {
	service: Service;
	gate: KeyGate;
	clock: Clock;
	random: () => number;
	keepToPlan: boolean;
	/** In which times are said; without it, in UTC. */
	timezone?: string;
	/** Fires when nothing more may be sent: the execution was cancelled, or an item failed in stop mode. */
	signal: AbortSignal;
	stats: RunStats;
}

/** Called for each request that leaves and each that fails, so that the ledger is always up to date. */
export interface CallWatch {
	left(): void;
	cameBack(failure: Failure): void;
}

/** Makes one call, with as many retries as `repetition.ts` allows. Never throws. */
export async function makeCall(
	env: CallEnvironment,
	call: ApiCall,
	settings: CallSettings & RequestSettings & { readonly channel?: string | undefined },
	watch?: CallWatch,
): Promise<Reply | Failure> {
	const { clock, keepToPlan, random, service, signal, stats } = env;
	const { channel = '', maxWaitMs } = settings;
	const visitor: Visitor = { run: stats, service, channel, keepToPlan, maxWaitMs, signal };
	let triesBefore = 0;
	let last: Failure | undefined;
	for (;;) {
		const pass = await env.gate.enter(visitor);
		if (pass.kind === 'noPass') return notLetThrough(env, pass.why, last);

		watch?.left();
		const result = await ask(service, call, settings);
		pass.leave(requestEnd(result), isFailure(result) ? result.waitMs : undefined);
		if (!isFailure(result)) return result;

		last = result;
		watch?.cameBack(result);
		const isOutage = result.cause === 'neverLeft' && env.gate.availability.isKnown(clock.now());
		const next = repetition({ call, failure: result, isOutage, triesBefore, settings, random });
		if (next === 'stop') return result;
		if (next === 'atGate') visitor.waitingSince ??= clock.now();
		else {
			await clock.sleep(next.afterMs, signal);
			triesBefore += 1;
		}
	}
}

/**
 * The failure of a call that the gate did not let through.
 *
 * @param last the failure of its last try, if there was one
 */
function notLetThrough(
	{ clock, stats: { comeBackAt = 0 }, timezone }: CallEnvironment,
	why: NoPass['why'],
	last: Failure | undefined,
): Failure {
	// A call that may have been processed stays in doubt.
	if (last?.outcome === 'unknown') return last;
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
	const env = {
		...{ service, timezone },
		gate: gateOf(service),
		clock: systemClock,
		random: Math.random,
		keepToPlan: true,
		// A plan may be used up for hours.
		signal: AbortSignal.timeout(300_000),
		stats: new RunStats(),
	};
	return await makeCall(env, call, settings);
}
