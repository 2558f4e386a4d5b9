import type { Plan } from '../../service/plan';

/** How many request ends are kept while no plan is known. */
const MOST_ENDINGS = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;

/**
 * The slots of a key's plan. Each request takes one of `limit` slots, and frees it one window after its answer came.
 * The service counted the request before that moment, so neither a fixed nor a sliding window there can hold more than
 * `limit`.
 */
export class PlanWindow {
	private plan: Plan | undefined;

	private underWay = 0;

	/** When requests ended, oldest first. */
	private endings: number[] = [];

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.plan;
	}

	/** The fraction of slots in use, including those of requests that have ended; 0 if no plan is known. */
	get filled(): number {
		return this.plan === undefined ? 0 : (this.underWay + this.endings.length) / this.plan.limit;
	}

	/** Sets the plan, or removes it. */
	learn(plan: Plan | undefined): void {
		this.plan = plan;
	}

	/** Takes a slot, even if none is free: calls with Keep to Plan off count too. */
	take(): void {
		this.underWay += 1;
	}

	/** Notes that the request in a slot has ended. */
	ended(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
	}

	/** When a slot is free; Infinity if that depends on the end of a request. */
	slotFreeAt(now: number): number {
		if (this.plan === undefined) return now;
		const { limit, windowMs } = this.plan;
		const excess = this.underWay + this.endings.length - limit;
		if (excess < 0) return now;
		const freeing = this.endings[excess];
		return freeing === undefined ? Infinity : freeing + windowMs * WINDOW_MARGIN;
	}

	/** Drops the ends whose slots are free again. */
	tidy(now: number): void {
		if (this.plan === undefined) {
			if (this.endings.length > MOST_ENDINGS) this.endings = this.endings.slice(-MOST_ENDINGS / 2);
			return;
		}
		const horizon = now - this.plan.windowMs * WINDOW_MARGIN;
		const first = this.endings.findIndex((ending) => ending > horizon);
		if (first !== 0) this.endings = first < 0 ? [] : this.endings.slice(first);
	}
}

/** The factor by which a refusal shrinks the share. */
const DECREASE = 0.8;
/** The first refusal shows that others use the key: the share becomes the plan's used part, within these limits. */
const FIRST_LEAST = 0.3;
const FIRST_MOST = 0.5;
/** The smallest share: a gate that hardly ever sends would not notice that others have stopped. */
const LEAST = 0.02;
/** By how much the share grows per second at first, as a fraction of the plan. */
const GROWTH = 0.004;
/** How long after a refusal the growth begins to accelerate, and by how much per second. */
const CALM_MS = 19_000;
const ACCELERATION = 0.016;
/** How far behind its pace a share may catch up, in milliseconds: timers fire late, and n8n has other work. */
const CATCH_UP_MS = 50;
/** The same for the whole plan, which is sent at four times the pace it needs. */
const CATCH_UP_WHOLE_MS = 5;
/** Over which fraction of a window the slots of a whole plan are spread once it has been used up. */
const SPREAD = 0.25;
/** For how many windows a plan counts as used up. */
const CROWDED_WINDOWS = 1.5;

/**
 * The share of a key's plan that this gate takes. It is the whole plan until a request is refused although the gate
 * kept to the plan: then others, such as other workers or servers, use the same key. The gates can't talk to each
 * other, so all find their shares by refusals alone: additive increase, multiplicative decrease (Chiu and Jain 1989),
 * where the increase grows with the time since the last refusal as in H-TCP (Leith and Shorten 2004). The share stays
 * small while the others send, and grows back to the whole plan within half a minute after they stop.
 *
 * A share is sent evenly over the window, because a burst would be refused as a whole. A whole plan that is used up is
 * spread as well: if all slots were taken at the same moment of each window, another server that begins to send would
 * find no gap, and only its requests would ever be refused.
 */
export class PlanShare {
	/** The share right after the last refusal. */
	private base = 1;

	private refusedAt = -Infinity;

	/** When the next request is due. */
	private due = -Infinity;

	private crowdedUntil = -Infinity;

	/** The share at this moment, from 0 to 1 (the whole plan). */
	at(now: number): number {
		if (this.base === 1) return 1;
		const seconds = Math.max(0, now - this.refusedAt) / 1000;
		const further = Math.max(0, seconds - CALM_MS / 1000);
		return Math.min(1, this.base + GROWTH * seconds + (ACCELERATION / 2) * further ** 2);
	}

	/** When the share allows the next request. */
	dueAt(now: number): number {
		return Math.max(now, this.due);
	}

	/**
	 * Notes that a request leaves.
	 *
	 * @param isFull whether it took the last slot of the plan
	 */
	take(now: number, { limit, windowMs }: Plan, isFull: boolean): void {
		if (isFull) this.crowdedUntil = now + windowMs * CROWDED_WINDOWS;
		const share = this.at(now);
		if (share < 1) this.setDue(now, windowMs, windowMs / (limit * share), CATCH_UP_MS);
		else if (now < this.crowdedUntil) {
			this.setDue(now, windowMs, (windowMs / limit) * SPREAD, CATCH_UP_WHOLE_MS);
		}
	}

	/**
	 * Notes that a request was refused although the gate kept to the plan.
	 *
	 * @param quietUntil when the pause after the refusal ends
	 * @param got the fraction of the plan that was used in the current window
	 */
	refused(now: number, quietUntil: number, got: number): void {
		const share = this.at(now);
		this.base =
			share === 1 ? Math.min(FIRST_MOST, Math.max(FIRST_LEAST, got)) : Math.max(LEAST, share * DECREASE);
		this.refusedAt = Math.max(now, quietUntil);
	}

	/** Calls with Keep to Plan off count as well, but never make the others wait longer than a window. */
	private setDue(now: number, windowMs: number, spacingMs: number, catchUpMs: number): void {
		const earliest = now - Math.max(spacingMs, catchUpMs);
		this.due = Math.min(now + Math.max(windowMs, spacingMs), Math.max(this.due, earliest) + spacingMs);
	}
}
