/**
 * The part of the whole plan that a refusal takes right after another one, because the share is still too large. Long after
 * the last one it takes half of that, because others may send a single message now and then. Half: twice as many refusals
 * until the shares fit. Double: less of the plan is used.
 */
const DECREASE = 0.16;
/**
 * With this power of the share, large shares lose more than small ones: so those of all processes become equal. Half: they
 * take longer to. Double: small shares hardly shrink, and calls are refused.
 */
const EQUALIZING = 0.4;
/**
 * No share is smaller: with more than five processes, calls are refused more often. Half: refusals for other reasons cost
 * more. Double: so it is with more than two processes.
 */
const LEAST = 0.2;
/**
 * The share is the whole plan after this long without a refusal, in milliseconds. Half: twice as many refusals while others
 * send. Double: the plan is used by half for longer when they are done.
 */
const REGROWTH_MS = 25_000;
/**
 * It grows with this power of the time: slowly while others still send, fast when they are done. Half: more refusals.
 * Double: hardly any growth in the first ten seconds.
 */
const REGROWTH_POWER = 4;

/**
 * The share of a plan that this process uses while others send with the same key. Nobody tells it of them: it learns of them
 * by refusals although it kept to the plan. A service that refuses a steady share of the calls for another reason brings it
 * down to a fifth of the plan, and no further.
 */
export class PlanShare {
	/** When the pause ends that followed the last refusal, and the share after it. */
	until = -Infinity;
	private least = 1;

	/** The share now, up to 1: the whole plan. */
	at(now: number): number {
		return this.least + (1 - this.least) * this.regrowthAt(now) ** REGROWTH_POWER;
	}

	/** How much of the time is over that brings back the whole plan, from 0 to 1. */
	private regrowthAt(now: number): number {
		return Math.min(1, Math.max(0, now - this.until) / REGROWTH_MS);
	}

	/**
	 * Notes that a request was refused although the queue kept to the plan.
	 *
	 * @param until when the pause after the refusal ends
	 */
	refuse(now: number, until: number): void {
		const share = this.at(now);
		const lost = DECREASE * share ** (1 + EQUALIZING) * (1 - this.regrowthAt(now) / 2);
		// Requests that were in flight when the pause began say nothing new.
		this.least = now > this.until ? Math.max(LEAST, share - lost) : share;
		this.until = Math.max(now, this.until, until);
	}
}
