import type { Plan } from '../../service/plan';

/** How many request ends are kept while no plan is known. */
const MAX_ENDINGS = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
/** How much of the share a refusal takes away, beside the part of the requests that were refused; and at most. */
const DECREASE = 4;
const MAX_DECREASE = 0.6;
/** The refused are a part of this many requests at least: with fewer, it says little. */
const MIN_REQUESTS = 16;
/** The part of what is missing to the whole plan by which the share grows in a second. */
const GROWTH = 0.006;
/**
 * After this long without a refusal, the others are done. With growth alone that gives the plan back as soon, three
 * workers used 79 % of it instead of 85 %, and up to 15 % of their requests were refused.
 */
const CALM_MS = 25_000;
/** How far behind their pace requests may catch up, in milliseconds: timers fire late, and n8n has other work. */
const CATCH_UP_MS = 50;
/** The part of the free slots that leaves at once if a run has more calls than there are. */
const AT_ONCE = 0.8;
/** If calls take more windows than this, each window is used evenly: that makes them one window later at most. */
const MANY_WINDOWS = 20;

/** How many requests leave at once, and how many then leave with how much time between them. */
interface Burst {
	atOnce: number;
	kept: number;
	readonly spacingMs: number;
}

/**
 * When the plan of a key allows the next request. Each request takes one of the plan's slots, and frees it one window
 * after its answer came. `docs/internals/gate.md` says how slots are given out if there are not enough of them, or if
 * others use some.
 */
export class PlanSlots {
	/** The plan in force; `undefined` when none is known. */
	plan: Plan | undefined;
	private underWay = 0;
	/** When requests ended, oldest first. */
	private readonly endings: number[] = [];
	/** The refusals of the last closure: the share before it, how many requests were refused, and when the pause ends. */
	private refusals = { before: 1, count: 0, until: -Infinity };
	/** The share right after them. */
	private base = 1;
	/** When the next request of a run that has sent lately is due. */
	private due = -Infinity;
	/** How the slots are given out that were free when calls came that don't fit into them. */
	private burst: Burst | undefined;

	/** The share of the plan at this moment, from 0 to 1 (the whole plan). */
	shareAt(now: number): number {
		const calmMs = Math.max(0, now - this.refusals.until);
		return calmMs > CALM_MS ? 1 : 1 - (1 - this.base) * Math.exp((-GROWTH * calmMs) / 1000);
	}

	/** Whether requests have left that the plan does not hold, as with Keep to Plan off. */
	isOverrun(now: number): boolean {
		return this.plan !== undefined && this.underWay + this.recent(now, this.plan.windowMs) > this.plan.limit;
	}

	/**
	 * When the next request may leave; Infinity if that depends on the end of another one.
	 *
	 * @param isNew whether its run has not sent lately: free slots are kept for those
	 */
	freeAt(now: number, isNew = false): number {
		if (this.plan === undefined) return now;
		const isPaced = !isNew || this.shareAt(now) < 1;
		return Math.max(this.slotAt(this.plan, now), isPaced ? this.due : now);
	}

	private slotAt({ limit, windowMs }: Plan, now: number): number {
		const slots = limit - this.underWay;
		return slots <= 0 ? Infinity : Math.max(now, (this.endings.at(-slots) ?? -Infinity) + windowMs * WINDOW_MARGIN);
	}

	/**
	 * Takes a slot, even if none is free: calls with Keep to Plan off count too.
	 *
	 * @param wanted how many requests are to leave, with this one, as far as that is known
	 */
	take(now: number, wanted = 1): void {
		const spacingMs = this.plan === undefined ? 0 : this.spacingMs(this.plan, now, wanted);
		this.underWay += 1;
		const earliest = now - Math.max(spacingMs, CATCH_UP_MS);
		// However many calls with Keep to Plan off leave, the others wait no longer than a window.
		const latest = now + Math.max(this.plan?.windowMs ?? 0, spacingMs);
		this.due = Math.min(latest, Math.max(this.due, earliest) + spacingMs);
	}

	/** How long the next request waits for its turn. */
	private spacingMs(plan: Plan, now: number, wanted: number): number {
		const { limit, windowMs } = plan;
		const free = limit - this.underWay - this.recent(now, windowMs);
		const evenly = windowMs / limit / this.shareAt(now);
		if (this.shareAt(now) < 1) return evenly;
		if (wanted <= free) this.burst = undefined;
		if (wanted <= free) return 0;
		const burst = (this.burst ??= begin(plan, free, wanted));
		if (burst.atOnce > 0) burst.atOnce -= 1;
		else if (burst.kept > 0) burst.kept -= 1;
		else return wanted > MANY_WINDOWS * limit ? evenly : 0;
		return burst.atOnce > 0 ? 0 : burst.spacingMs;
	}

	/** How many requests ended within the last window. */
	private recent(now: number, windowMs: number): number {
		while ((this.endings[0] ?? Infinity) <= now - windowMs * WINDOW_MARGIN) this.endings.shift();
		return this.endings.length;
	}

	/** Notes that a request has ended. */
	ended(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
		if (this.endings.length > MAX_ENDINGS && this.plan === undefined) this.endings.shift();
	}

	/**
	 * Notes that a request was refused although the gate kept to the plan.
	 *
	 * @param quietUntil when the pause after the refusal ends
	 */
	refused(now: number, quietUntil: number): void {
		const isMore = now <= this.refusals.until;
		const { before, count } = isMore ? this.refusals : { before: this.shareAt(now), count: 0 };
		this.refusals = { before, count: count + 1, until: Math.max(now, quietUntil) };
		const requests = Math.max(MIN_REQUESTS, this.underWay + this.recent(now, this.plan?.windowMs ?? 0));
		this.base = before * (1 - Math.min(MAX_DECREASE, (DECREASE * this.refusals.count) / requests));
	}
}

/** How free slots are given out to calls that don't fit into them: most at once, and the others one by one. */
function begin({ limit, windowMs }: Plan, free: number, wanted: number): Burst {
	const atOnce = Math.ceil(free * AT_ONCE);
	const kept = free - atOnce;
	const windows = Math.ceil((wanted - free) / limit);
	// If even the last window has no slot to spare, what leaves late in each makes the whole late.
	const isTight = ((wanted - free) % limit || limit) > limit * AT_ONCE;
	const overMs = windowMs * (isTight ? Math.min(1, windows / MANY_WINDOWS) : 1);
	return { atOnce, kept, spacingMs: overMs / (kept + 1) };
}
