import type { ApiCall } from '../service/api-call';
import type { RequestSettings, Service } from '../service/connect';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
import { systemClock } from '../time/clock';
import { makeCall, newStats } from './call';
import { gateOf } from './pace/gates';
import { fixedLimiter } from './pace/limiter';
import { STOPPED, TOO_LONG } from './report/not-sent';
import type { CallSettings } from './settings';

/**
 * How long the call may take in all, in milliseconds. A plan may be used up for hours, and whoever waits that long in
 * silence looks as if nothing were wrong.
 */
const LONGEST_MS = 300_000;

/** The call's turn did not come in time. No option is named: who makes a single call has none. */
const NO_TURN = unsent(
	'the plan of the API key is used up, or the service asks to come back later',
	'Wait, ask for a larger resource plan, or use a key of its own here.',
);

/**
 * Makes one call that belongs to no run: it passes the gate of the key like all others, and is repeated as they are.
 * Never throws.
 */
export async function makeSingleCall(
	service: Service,
	call: ApiCall,
	settings: CallSettings & RequestSettings,
): Promise<Reply | Failure> {
	const over = new AbortController();
	const ended = new AbortController();
	const env = {
		service,
		gate: gateOf(service),
		limiter: fixedLimiter(1),
		clock: systemClock,
		random: Math.random,
		keepToPlan: true,
		signal: over.signal,
		stats: newStats(),
	};
	void systemClock.sleep(LONGEST_MS, ended.signal).then(() => over.abort());
	const result = await makeCall(env, call, settings);
	ended.abort();
	return isFailure(result) && (result === TOO_LONG || result === STOPPED) ? NO_TURN : result;
}
