import type { Service } from '../../service/connect';
import { systemClock } from '../../time/clock';
import { KeyGate } from './key-gate';

/** How many keys are remembered at once. */
const MOST_GATES = 200;
const IDLE_MS = 3_600_000;

/** The gates of this process, by service and key. */
const gates = new Map<string, KeyGate>();

/** The gate that all requests with this key to this service pass, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	const gate = gates.get(id) ?? new KeyGate(systemClock);
	// Set anew, the Map's order says which was used last.
	gates.delete(id);
	gates.set(id, gate);
	if (gates.size > MOST_GATES) forgetIdle(id);
	return gate;
}

/** Forgets idle gates, but for the one that is about to be passed: nobody has been there yet when it is new. */
function forgetIdle(inUse: string): void {
	const moment = systemClock.now() - IDLE_MS;
	for (const [id, gate] of gates) {
		if (gates.size <= MOST_GATES) return;
		if (id !== inUse && gate.isIdleSince(moment)) gates.delete(id);
	}
}
