import type { Service } from '../../service/connect';
import { systemClock } from '../../shared/clock';
import { KeyGate } from './key-gate';

/** How many keys are remembered at once, unless more are in use. */
const MOST_GATES = 200;
const IDLE_MS = 3_600_000;

interface Entry {
	readonly gate: KeyGate;
	/** When a run last asked for the gate: what it sends passes it later. */
	askedForAt: number;
}

/** The gates of this process, by service and key, the one asked for last at the end. */
const gates = new Map<string, Entry>();

/** The gate that all requests with this key to this service pass, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	const now = systemClock.now();
	const entry = gates.get(id) ?? { gate: new KeyGate(systemClock), askedForAt: now };
	entry.askedForAt = now;
	gates.delete(id);
	gates.set(id, entry);
	if (gates.size > MOST_GATES) forgetIdle(now - IDLE_MS);
	return entry.gate;
}

/** Forgets gates that nobody has asked for or passed since then. */
function forgetIdle(moment: number): void {
	for (const [id, { gate, askedForAt }] of gates) {
		if (gates.size <= MOST_GATES || askedForAt >= moment) return;
		if (gate.isIdleSince(moment)) gates.delete(id);
	}
}
