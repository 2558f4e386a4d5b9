import { CHANNEL, Circuit } from './circuit';
import { Limit } from './limit';
import { RecipientTrial } from './recipient-trial';

/** What is known of one channel: its circuit and limit, whom its refusals are about, and the pause between messages. */
export class Channel {
	readonly circuit: Circuit;
	readonly limit: Limit;
	readonly trial = new RecipientTrial();
	/** Whether a call that keeps a pause is under way, and when a request of such a call last ended. */
	private hasTurn = false;
	private turnEndedAt = -Infinity;

	constructor(first: () => number, random: () => number) {
		this.circuit = new Circuit(CHANNEL, 'channel', random);
		this.limit = new Limit(first);
	}

	/** When a call may start that keeps this pause to the last one; Infinity while another one has its turn. */
	pauseEnd(isRetry: boolean, pauseMs: number): number {
		// Only the call whose turn it is was started before.
		return this.hasTurn && !isRetry ? Infinity : this.turnEndedAt + pauseMs;
	}

	/** A call that keeps a pause starts: others wait until it has ended, with all its tries. */
	takeTurn(): void {
		this.hasTurn = true;
	}

	/** A request of such a call has ended. */
	noteEnd(now: number): void {
		this.turnEndedAt = now;
	}

	/** Such a call has ended, with all its tries. */
	endTurn(): void {
		this.hasTurn = false;
	}
}
