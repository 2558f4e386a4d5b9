import { type Clock, systemClock } from './clock';

/** How long this package may keep one turn of the event loop busy, in milliseconds. */
export const TURN_MS = 3;

/**
 * Splits long work into turns of the event loop, so that n8n can do other work in between.
 *
 * In a loop: `if (turns.over) await turns.next();`
 */
export class Turns {
	private began: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.began = clock.now();
	}

	/** Whether this turn has taken long enough. */
	get over(): boolean {
		return this.clock.now() - this.began >= TURN_MS;
	}

	async next(): Promise<void> {
		await this.clock.sleep(0);
		this.began = this.clock.now();
	}
}

/** Maps a list that may be long, over as many turns of the event loop as needed. */
export async function mapInTurns<T, R>(list: readonly T[], map: (member: T) => R): Promise<R[]> {
	const turns = new Turns();
	const results: R[] = [];
	for (const member of list) {
		if (turns.over) await turns.next();
		results.push(map(member));
	}
	return results;
}
