import type { Plan } from '../../service/plan';

/** How many request ends are kept, unless the plan allows more. */
const MOST_ENDINGS = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
/** The first refusal shows that others use the key: the share of the plan that is left to this gate. */
const FIRST_SHARE = 0.4;
/** The factor by which a further refusal shrinks the share. */
const DECREASE = 0.8;
/** The smallest share: a gate that hardly ever sends would not notice that others have stopped. */
const LEAST_SHARE = 0.02;
/** By how much the share grows per second at first, as a fraction of the plan. */
const GROWTH = 0.004;
/** How long after a refusal the growth begins to accelerate, and by how much per second. */
const CALM_MS = 19_000;
const ACCELERATION = 0.016;
/** A whole plan that is being used up is sent within this fraction of a window. */
const SPREAD = 0.25;
/** A plan is being used up if that many requests ended within this many windows. */
const CROWDED_WINDOWS = 2;
/** How far behind its pace a share may catch up, in milliseconds: timers fire late, and n8n has other work. */
const CATCH_UP_MS = 50;

/**
 * When the plan of a key allows the next request.
 *
 * Each request takes one of the plan's slots, and frees it one window after its answer came. The service counted the
 * request before that moment, so neither a fixed nor a sliding window there can hold more than the plan allows.
 *
 * If a request is refused although the gate kept to the plan, then others, such as other workers or servers, use the
 * same key. The gate then takes only a share of the plan. The gates can't talk to each other, so all find their shares
 * by refusals alone: additive increase, multiplicative decrease (Chiu and Jain 1989), where the increase grows with the
 * time since the last refusal as in H-TCP (Leith and Shorten 2004). The share stays small while the others send, and
 * grows back to the whole plan within half a minute after they stop.
 *
 * A share is sent evenly over the window, because a burst would be refused as a whole. A whole plan that is being used
 * up is spread as well: if all slots were taken at the same moment of each window, another server that begins to send
 * would find no gap, and only its requests would ever be refused.
 */
export class PlanPace {
	private plan: Plan | undefined;

	private underWay = 0;

	/** When requests ended, oldest first. */
	private endings: number[] = [];

	/** The share right after the last refusal. */
	private base = 1;

	private refusedAt = -Infinity;

	/** When the next request is due, at the pace of the share. */
	private due = -Infinity;

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.plan;
	}

	/** Sets the plan, or removes it. */
	learn(plan: Plan | undefined): void {
		this.plan = plan;
	}

	/** The share of the plan at this moment, from 0 to 1 (the whole plan). */
	shareAt(now: number): number {
		if (this.base === 1) return 1;
		const seconds = Math.max(0, now - this.refusedAt) / 1000;
		const further = Math.max(0, seconds - CALM_MS / 1000);
		return Math.min(1, this.base + GROWTH * seconds + (ACCELERATION / 2) * further ** 2);
	}

	/** When the next request may leave; Infinity if that depends on the end of another one. */
	freeAt(now: number): number {
		if (this.plan === undefined) return now;
		const { limit, windowMs } = this.plan;
		const slots = limit - this.underWay;
		if (slots <= 0) return Infinity;
		return Math.max(now, this.due, this.endedBefore(slots) + windowMs * WINDOW_MARGIN);
	}

	/** Takes a slot, even if none is free: calls with Keep to Plan off count too. */
	take(now: number): void {
		this.underWay += 1;
		if (this.plan === undefined) return;
		const { limit, windowMs } = this.plan;
		const share = this.shareAt(now);
		const isCrowded = this.endedBefore(limit) > now - windowMs * CROWDED_WINDOWS;
		const wholePlan = isCrowded ? SPREAD : 0;
		const spacingMs = (windowMs / limit) * (share < 1 ? 1 / share : wholePlan);
		const earliest = now - Math.max(spacingMs, CATCH_UP_MS);
		// However many calls with Keep to Plan off leave, the others wait no longer than a window.
		this.due = Math.min(now + Math.max(windowMs, spacingMs), Math.max(this.due, earliest) + spacingMs);
	}

	/** Notes that a request has ended. */
	ended(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
		const most = Math.max(MOST_ENDINGS, this.plan?.limit ?? 0);
		if (this.endings.length > 2 * most) this.endings = this.endings.slice(-most);
	}

	/**
	 * Notes that a request was refused although the gate kept to the plan.
	 *
	 * @param quietUntil when the pause after the refusal ends
	 */
	refused(now: number, quietUntil: number): void {
		const share = this.shareAt(now);
		this.base = share === 1 ? FIRST_SHARE : Math.max(LEAST_SHARE, share * DECREASE);
		this.refusedAt = Math.max(now, quietUntil);
	}

	/** When the first of the last `count` requests ended; -Infinity if there were fewer. */
	private endedBefore(count: number): number {
		return this.endings.at(-count) ?? -Infinity;
	}
}
