/** For how long an answer counts, whatever it is. */
const FRESH_MS = 600_000;
/** How soon to ask again when the plan could not be found out. */
const RETRY_MS = 60_000;
/** How soon to ask again when the service turned the question away; twice that the next time, and so on. */
const FIRST_LATER_MS = 1_000;
const MOST_LATER_MS = 8_000;
/** How long the service may have the question wait: its plan may have changed, and nobody keeps to one meanwhile. */
const MOST_ASKED_MS = 600_000;
/** How many requests may leave while it is asked for. */
const MOST_MEANWHILE = 4;
/** For how long a question that gets no answer holds the rest up. */
const LONGEST_HOLD_MS = 2_000;

/** When to ask for a key's plan, and how many requests may leave while the answer is on its way. */
export class PlanQuestion {
	private asking = false;

	private freshUntil = -Infinity;

	private leftMeanwhile = 0;

	private holdUntil = -Infinity;

	private laterMs = FIRST_LATER_MS;

	/** Whether somebody is asking now. */
	get isOpen(): boolean {
		return this.asking;
	}

	/** Whether it is time to ask. */
	isDue(now: number): boolean {
		return !this.asking && now >= this.freshUntil;
	}

	/**
	 * Notes that somebody asks.
	 *
	 * @param underWay how many requests have left and not ended
	 */
	begin(now: number, underWay: number): void {
		this.asking = true;
		this.leftMeanwhile = underWay;
		this.holdUntil = now + LONGEST_HOLD_MS;
	}

	/** Notes that a request leaves that is not the question. */
	letOneBy(): void {
		if (this.asking) this.leftMeanwhile += 1;
	}

	/** When a request that keeps to a plan not known yet may leave. */
	opensAt(now: number): number {
		const isHeld = this.asking && this.leftMeanwhile >= MOST_MEANWHILE;
		return isHeld ? Math.max(now, this.holdUntil) : now;
	}

	/** Notes that the answer is there. */
	answered(now: number): void {
		this.asking = false;
		this.freshUntil = now + FRESH_MS;
		this.laterMs = FIRST_LATER_MS;
	}

	/**
	 * Notes that the service turned it away, as it does when others use up the plan: who does not know the plan can't
	 * keep to a share of it.
	 *
	 * @param waitMs how long the service asks to wait
	 */
	turnedAway(now: number, waitMs: number): void {
		this.asking = false;
		this.freshUntil = now + Math.max(this.laterMs, Math.min(waitMs, MOST_ASKED_MS));
		this.laterMs = Math.min(MOST_LATER_MS, this.laterMs * 2);
	}

	/**
	 * Notes that no answer came.
	 *
	 * @param waitMs how long the service asks to wait; `undefined` lets the next run ask at once
	 */
	failed(now: number, waitMs: number | undefined): void {
		this.asking = false;
		if (waitMs !== undefined) this.freshUntil = now + Math.max(RETRY_MS, Math.min(waitMs, MOST_ASKED_MS));
	}
}
