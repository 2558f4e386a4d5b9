import type { Plan } from '../../service/plan';

/** How many finished requests are remembered while no plan is known; it could be one of a day. */
const MAX_FINISHES = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
/** The part of a window that counts as nearly full. */
const NEARLY = 0.8;
/** How far behind their pace requests may catch up, in milliseconds: timers fire late, and n8n has other work. */
const CATCH_UP_MS = 50;
/** The part of the free slots that is spread over the window, at most, if more calls are queued than there are slots. */
const SPREAD = 0.2;
/** If calls take more windows than this, each window is used evenly: that makes the list one window longer at most. */
const MANY_WINDOWS = 25;
/**
 * The part of the whole plan that a refusal takes right after another one, because the share is still too large. Long after
 * the last one it takes half of that, because others may send a single message now and then.
 */
const DECREASE = 0.16;
/** With this power of the share, large shares lose more than small ones: so those of all workers become equal. */
const EQUALIZING = 0.4;
/** The share is the whole plan after this long without a refusal, in milliseconds. */
const REGROWTH_MS = 25_000;
/** It grows with this power of the time: slowly while others still send, fast when they are done. */
const REGROWTH_POWER = 4;

/** How slots are given out while more calls are queued than there are free slots. */
interface Burst {
	/** How many requests start at once. */
	atOnce: number;
	/** The other free slots are given out one by one until then. */
	readonly spreadUntil: number;
	/** How many slots stay free for runs that have not sent lately. */
	readonly reserved: number;
}

/**
 * When the plan of a key allows the next request. Each request takes one of the plan's slots when it starts, and frees it
 * one window after it has finished. `docs/internals/gate.md` says how slots are given out if there are not enough of them,
 * or if others use some.
 */
export class PlanSlots {
	/** The plan in force; `undefined` when none is known. */
	plan: Plan | undefined;
	private inFlight = 0;
	/** When requests finished, oldest first. */
	private readonly finishes: number[] = [];
	/** The share after the last refusal, and when the pause ends that followed it. */
	private decrease = { share: 1, until: -Infinity };
	/** When the next request of a run that has sent lately is due. */
	private due = -Infinity;
	private burst: Burst | undefined;

	/** How much of the time is over that brings back the whole plan, from 0 to 1. */
	private regrowthAt(now: number): number {
		return Math.min(1, Math.max(0, now - this.decrease.until) / REGROWTH_MS);
	}

	/** The share of the plan that this worker uses, from 0 to 1 (the whole plan). */
	private shareAt(now: number): number {
		const { share } = this.decrease;
		return share + (1 - share) * this.regrowthAt(now) ** REGROWTH_POWER;
	}

	/** Whether the window is nearly full: then a refusal is about the key, whatever channel it came for. */
	isNearlyFull(now: number): boolean {
		if (this.plan === undefined) return false;
		return this.plan.limit - this.freeSlots(this.plan, now) >= NEARLY * this.plan.limit;
	}

	/**
	 * When the next request may start; Infinity if that depends on the end of another one.
	 *
	 * @param startedAt when the last request of its run started
	 */
	freeAt(now: number, startedAt = now): number {
		if (this.plan === undefined) return now;
		const { limit, windowMs } = this.plan;
		const hasSentLately = startedAt > this.windowBefore(now);
		const slots = limit - this.inFlight - (hasSentLately ? (this.burst?.reserved ?? 0) : 0);
		if (slots <= 0) return Infinity;
		const isPaced = hasSentLately || this.shareAt(now) < 1;
		const slotAt = (this.finishes.at(-slots) ?? -Infinity) + windowMs * WINDOW_MARGIN;
		return Math.max(now, slotAt, isPaced ? this.due : now);
	}

	/**
	 * Notes that a request starts, even if no slot is free: calls with Keep to Plan off take slots too.
	 *
	 * @param queued how many calls are still to start, with this one, as far as that is known
	 */
	take(now: number, queued = 1): void {
		const spacingMs = this.plan === undefined ? 0 : this.spacingMs(this.plan, now, queued);
		this.inFlight += 1;
		// Nothing is caught up that a pause after a refusal has held up.
		const earliest = Math.max(now - Math.max(spacingMs, CATCH_UP_MS), Math.min(now, this.decrease.until));
		// However many calls with Keep to Plan off start, the others wait no longer than a window.
		const latest = now + Math.max(this.plan?.windowMs ?? 0, spacingMs);
		this.due = Math.min(latest, Math.max(this.due, earliest) + spacingMs);
	}

	/** How long after this request the next one is due. */
	private spacingMs(plan: Plan, now: number, queued: number): number {
		const share = this.shareAt(now);
		const evenly = plan.windowMs / plan.limit / share;
		if (share < 1) return evenly;
		const free = this.freeSlots(plan, now);
		// What is left of an earlier burst says nothing after a window without requests.
		if (queued <= free || free === plan.limit) this.burst = undefined;
		if (queued <= free) return 0;
		const burst = (this.burst ??= burstOf(plan, free, queued, now));
		burst.atOnce -= 1;
		if (burst.atOnce > 0) return 0;
		const leftMs = burst.spreadUntil - now;
		// Runs that have not sent lately take some of these slots out of turn: that must not delay the next window.
		if (leftMs > 0)
			return Math.min(leftMs / Math.max(1, free - burst.reserved), burst.spreadUntil - this.due);
		return queued > MANY_WINDOWS * plan.limit ? evenly : 0;
	}

	/** How many slots are free now; less than none if more requests have started than the plan holds. */
	private freeSlots({ limit, windowMs }: Plan, now: number): number {
		while ((this.finishes[0] ?? Infinity) <= now - windowMs * WINDOW_MARGIN) this.finishes.shift();
		return limit - this.inFlight - this.finishes.length;
	}

	/** When the window that ends now began. */
	windowBefore(now: number): number {
		return now - (this.plan?.windowMs ?? 0);
	}

	/** Notes that a request has finished. */
	finished(now: number): void {
		this.inFlight -= 1;
		this.finishes.push(now);
		if (this.finishes.length > MAX_FINISHES && this.plan === undefined) this.finishes.shift();
	}

	/**
	 * Notes that a request was refused although the gate kept to the plan: others use the key too.
	 *
	 * @param quietUntil when the pause after the refusal ends
	 */
	refused(now: number, quietUntil: number): void {
		const { until } = this.decrease;
		let share = this.shareAt(now);
		// Requests that were in flight when the pause began say nothing new.
		if (now > until) share -= DECREASE * share ** (1 + EQUALIZING) * (1 - this.regrowthAt(now) / 2);
		this.decrease = { share, until: Math.max(now, until, quietUntil) };
	}
}

/** How the free slots are given out to calls that don't fit into them. */
function burstOf({ limit, windowMs }: Plan, free: number, queued: number, now: number): Burst {
	const windows = Math.ceil((queued - free) / limit);
	/** How many slots of the last window are not needed. They can be given out late, or kept free, in each window. */
	const spare = windows * limit - (queued - free);
	const isSpare = spare > 0;
	const reserved = spare > windows + 1 ? 1 : 0;
	const most = Math.floor(free * SPREAD);
	const spread = isSpare ? Math.min(most, spare - reserved * (windows + 1)) : most;
	// If the last window is full as well, spreading slots over the whole window would make the run one window longer.
	const spreadMs = isSpare ? windowMs : windowMs * Math.min(1, windows / MANY_WINDOWS);
	return { atOnce: free - reserved - spread, spreadUntil: now + spreadMs, reserved };
}
