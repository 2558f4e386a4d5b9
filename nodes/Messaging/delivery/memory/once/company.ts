/** What a process knows of others that use the same store: n8n's workers, in queue mode; and how slow it is itself. */
export class Company {
	/** Whether another process has ever been seen to write. */
	met = false;

	/** The longest delays of the last two spells. */
	private worst = { begins: -Infinity, ms: 0, before: 0 };

	/** Notes how long something took that is quick on a machine with time to spare, in milliseconds. */
	delayed(now: number, ms: number): void {
		this.turn(now);
		this.worst.ms = Math.max(this.worst.ms, ms);
	}

	/**
	 * How long such a thing takes at worst just now, in milliseconds. Who shares the machine or the database is about as
	 * slow.
	 */
	slowness(now: number): number {
		this.turn(now);
		return Math.max(this.worst.ms, this.worst.before);
	}

	private turn(now: number): void {
		const spells = Math.floor((now - this.worst.begins) / SPELL_MS);
		if (spells < 1) return;
		this.worst = { begins: now, ms: 0, before: spells === 1 ? this.worst.ms : 0 };
	}
}

const SPELL_MS = 10_000;
