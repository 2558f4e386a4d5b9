import { type Clock, systemClock } from './clock';

/** How long one turn of the event loop may be busy with our work, in milliseconds: n8n has more to do in it. */
export const TURN_MS = 3;

/** How many small steps go by between two looks at the clock: a look costs as much as some of them. */
const STEPS_A_LOOK = 500;

/**
 * Cuts long work into turns of the event loop: n8n has more to do in it.
 *
 * Within a loop: `if (turns.over) await turns.next();`, or where a step is tiny
 * `if (turns.overAfter(1)) await turns.next();`
 */
export class Turns {
	private began: number;

	/** The steps since the last look at the clock. */
	private steps = 0;

	constructor(private readonly clock: Clock = systemClock) {
		this.began = clock.now();
	}

	/** Whether this turn has been busy for long enough. */
	get over(): boolean {
		return this.clock.now() - this.began >= TURN_MS;
	}

	/**
	 * The same, without a look at the clock for every little step.
	 *
	 * @param steps how much work comes next: one step is a value that is looked at, or a few characters of a text
	 */
	overAfter(steps: number): boolean {
		this.steps += steps;
		if (this.steps < STEPS_A_LOOK) return false;
		this.steps = 0;
		return this.over;
	}

	/** Waits for the next turn. */
	async next(): Promise<void> {
		await this.clock.sleep(0);
		this.began = this.clock.now();
	}
}
