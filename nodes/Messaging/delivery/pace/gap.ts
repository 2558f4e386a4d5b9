/**
 * The first gap, in milliseconds. Half: one more call in doubt until a slow limit is met. Double: a limit of 10 a second is
 * used by half at first.
 */
const FIRST_GAP_MS = 100;
/**
 * If calls this far apart still meet 503, their rate is not the reason. Half: a limit of one in two seconds is not kept.
 * Double: a broken replica that was taken for a limit costs twice the time.
 */
const WIDEST_GAP_MS = 2000;
/**
 * For how long no gap is kept once that is known. Half: the search for a limit is repeated twice as often. Double: a limit
 * that comes later leaves calls in doubt for longer.
 */
const NO_GAP_FOR_MS = 600_000;
/**
 * Each answer makes the gap smaller by this factor: by half after 46 of them. After 23: a limit is met twice as often. After
 * 92: a limit that is lifted slows the list for twice as long.
 */
const SHRINKS = 0.985;
/**
 * With fewer answers since the last 503, the gap is too small. If every 503 were one of those, a limit would be given up after
 * three, and a list of 3,000 would leave five times as many in doubt. Half and double change nothing, as measured.
 */
const FEW_ANSWERS = 15;
/**
 * So often in a row a limit can be met whose next call is answered at once: the gap has grown past it then. Half: a real
 * limit is given up. Double: a broken replica costs three more gaps.
 */
const MOST_IN_VAIN = 3;
/**
 * So many calls in flight tell a limit from a broken replica. Half: one call decides, by chance. Double: eight in flight,
 * the first number, are often too few.
 */
const ENOUGH = 3;

/**
 * The gap that calls to a channel keep after a 503 that leaves them in doubt. That may be the limit of a gateway, which refuses
 * whatever comes too soon, or a broken replica, which refuses some calls at any rate. Of the calls in flight that started
 * after the refused one, a limit refuses nearly all. If there were too few, it refuses the next one that is tried.
 *
 * A steady share of such 503 is nearly always taken for a broken replica at once, and costs no gap. If it is taken for a limit,
 * the gap grows with each until it reaches its upper end after a few seconds for each call that is refused, and is given up.
 */
export class Gap {
	private ms = 0;
	/** The gap when it last grew: smaller ones are tried, a little with each answer, until a call is refused. */
	private grownMs = 0;
	private noneUntil = -Infinity;
	private startedAt = -Infinity;
	/**
	 * How many calls were answered since the last 503, and how often in a row it was too small although the next one was
	 * answered.
	 */
	private answers = 0;
	private inVain = 0;
	/**
	 * The number of the last call that was refused after others were answered, and how many later ones were refused, or not.
	 */
	private refused = Infinity;
	private later = { refused: 0, answered: 0 };

	/** When the gap to the last call is over; a past moment without a gap. */
	get end(): number {
		return this.ms < 1 ? -Infinity : this.startedAt + this.ms;
	}

	/** Whether a 503 may be that of a limit. */
	isPossible(now: number): boolean {
		return now >= this.noneUntil;
	}

	/** A call starts. */
	start(now: number): void {
		this.startedAt = now;
	}

	/** A call has met 503: the first one since an answer, or the next one that was tried. */
	refuse(number: number, isFirst: boolean, now: number): void {
		const isTooSmall = isFirst && this.ms >= 1 && this.answers < FEW_ANSWERS;
		this.inVain = this.answers < FEW_ANSWERS ? this.inVain + (isTooSmall ? 1 : 0) : 0;
		this.answers = 0;
		if (this.inVain >= MOST_IN_VAIN) this.giveUp(now);
		else if (isTooSmall || !isFirst) this.grow(now);
		else this.ms = this.grownMs;
		if (!isFirst) return;
		this.refused = number;
		this.later = { refused: 0, answered: 0 };
	}

	/** A call has ended that was in flight when another one met 503. */
	witness(number: number, how: 'refused' | 'answered'): void {
		if (number > this.refused) this.later[how] += 1;
	}

	/** A call was answered. */
	answer(): void {
		this.answers += 1;
		this.ms *= SHRINKS;
		if (this.ms < 1) this.grownMs = 0;
	}

	/** Calls start again. */
	close(now: number): void {
		const { answered, refused } = this.later;
		this.later = { refused: 0, answered: 0 };
		if (answered + refused < ENOUGH) return;
		if (refused > ENOUGH * answered) this.grow(now);
		else if (answered > refused) this.giveUp(now);
	}

	private grow(now: number): void {
		this.grownMs = Math.max(FIRST_GAP_MS, this.grownMs * 2);
		this.ms = this.grownMs;
		if (this.ms > WIDEST_GAP_MS) this.giveUp(now);
	}

	private giveUp(now: number): void {
		this.noneUntil = now + NO_GAP_FOR_MS;
		this.grownMs = 0;
		this.ms = 0;
	}
}
