import { type Clock, systemClock } from './clock';

/** How long one turn of the event loop may be busy with our work, in milliseconds: n8n has more to do in it. */
export const TURN_MS = 3;

/**
 * Cuts long work into turns of the event loop: n8n has more to do in it.
 *
 * Within a loop: `if (turns.over) await turns.next();`
 */
export class Turns {
	private began: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.began = clock.now();
	}

	/** Whether this turn has been busy for long enough. */
	get over(): boolean {
		return this.clock.now() - this.began >= TURN_MS;
	}

	/** Waits for the next turn. */
	async next(): Promise<void> {
		await this.clock.sleep(0);
		this.began = this.clock.now();
	}
}
