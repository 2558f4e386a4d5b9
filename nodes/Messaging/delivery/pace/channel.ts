import { CHANNEL, Circuit } from './circuit';
import { Limit } from './limit';
import { RecipientTrial } from './recipient-trial';

/** What is known of one channel: its circuit and limit, whom its refusals are about, and the pause between messages. */
export class Channel {
	readonly circuit: Circuit;
	readonly limit: Limit;
	readonly trial = new RecipientTrial();
	/** Whether a call that keeps a pause is under way, and when the pause ends after the last request of such a call. */
	private hasTurn = false;
	private pauseEndsAt = -Infinity;

	constructor(first: () => number, random: () => number) {
		this.circuit = new Circuit(CHANNEL, 'channel', random);
		this.limit = new Limit(first);
	}

	/** When a call may start that keeps a pause; Infinity while another one has its turn. */
	pauseEnd(isRetry: boolean): number {
		// Only the call whose turn it is was started before.
		return this.hasTurn && !isRetry ? Infinity : this.pauseEndsAt;
	}

	/** A call that keeps a pause starts: others wait until it has ended, with all its tries. */
	takeTurn(): void {
		this.hasTurn = true;
	}

	/** A request of such a call has ended, and the pause after it ends then. */
	notePause(until: number): void {
		this.pauseEndsAt = until;
	}

	/** Such a call has ended, with all its tries. */
	endTurn(): void {
		this.hasTurn = false;
	}
}
