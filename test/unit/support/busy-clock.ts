import type { Clock } from '../../../nodes/Messaging/shared/clock.ts';
import { Turns, TURN_MS } from '../../../nodes/Messaging/shared/turns.ts';

/** A clock on which each look takes a whole turn: whoever looks lets the event loop turn. It counts how often. */
export class BusyClock implements Clock {
	turns = 0;
	#now = 0;

	now(): number {
		return (this.#now += TURN_MS);
	}

	sleep(): Promise<void> {
		this.turns += 1;
		return Promise.resolve();
	}
}

/** How often the event loop may turn while something is done, if looking at the clock is all that takes time. */
export async function turnsOf(work: (turns: Turns) => Promise<unknown>): Promise<number> {
	const clock = new BusyClock();
	await work(new Turns(clock));
	return clock.turns;
}
