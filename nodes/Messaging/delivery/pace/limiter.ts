/** Decides how many requests of one run may be in flight at once. */
export interface Limiter {
	readonly bound: number;
	/**
	 * To be called after every request that succeeded or was throttled. Other failures say nothing about how much load
	 * the service can take.
	 *
	 * @param refused whether the service asked to come back later
	 */
	sample(refused: boolean): void;
}

/** A limit that the user chose. */
export function fixedLimiter(bound: number): Limiter {
	return { bound, sample: () => {} };
}

const START = 32;
const LEAST = 8;
/** More in flight brings nothing, as measured: with 128, n8n's one thread is busy even at 100 ms latency. */
const MOST = 128;

/**
 * Additive increase, multiplicative decrease, as in TCP (RFC 5681): one more with each success until the first refusal
 * (slow start, which doubles the bound with each round trip), then one more with each round without a refusal, and half
 * as many after a refusal, once per round. A round is as many answers as were allowed in flight when it began.
 */
export class AdaptiveLimiter implements Limiter {
	private level = START;

	private slowStart = true;

	private leftInRound = START;

	private refusedInRound = false;

	get bound(): number {
		return this.level;
	}

	/** Whether it can't grow any further. */
	get isWideOpen(): boolean {
		return this.level === MOST;
	}

	sample(refused: boolean): void {
		if (refused && !this.refusedInRound) {
			// Everything in flight left at the old level, so further refusals of it count as the same one.
			this.leftInRound = this.level + 1;
			this.level = Math.max(LEAST, Math.floor(this.level / 2));
			this.slowStart = false;
			this.refusedInRound = true;
		} else if (!refused && this.slowStart) this.grow();
		this.leftInRound -= 1;
		if (this.leftInRound > 0) return;
		if (!this.slowStart && !this.refusedInRound) this.grow();
		this.leftInRound = this.level;
		this.refusedInRound = false;
	}

	private grow(): void {
		this.level = Math.min(MOST, this.level + 1);
	}
}
