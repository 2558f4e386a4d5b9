import type { ApiCall } from '../service/api-call';
import type { RequestSettings, Service } from '../service/connect';
import type { Failure } from '../service/endings';
import type { Reply } from '../service/reply';
import { systemClock } from '../time/clock';
import { makeCall, newStats } from './call';
import { gateOf } from './pace/gates';
import { fixedLimiter } from './pace/limiter';
import type { CallSettings } from './settings';

/**
 * Makes one call that belongs to no run: it passes the gate of the key like all others, and is repeated as they are.
 * Never throws.
 */
export async function makeSingleCall(
	service: Service,
	call: ApiCall,
	settings: CallSettings & RequestSettings,
): Promise<Reply | Failure> {
	const env = {
		service,
		gate: gateOf(service),
		limiter: fixedLimiter(1),
		clock: systemClock,
		random: Math.random,
		keepToPlan: true,
		// Nobody stops a poll half-way; its requests have an end of their own.
		signal: new AbortController().signal,
		stats: newStats(),
	};
	return await makeCall(env, call, settings);
}
