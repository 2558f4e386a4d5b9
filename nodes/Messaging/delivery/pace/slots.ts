import type { Plan } from '../../service/plan';

/** How many request ends are kept while no plan is known. */
const MAX_ENDINGS = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
/**
 * After refusals, the share falls by this many times the part of the last window's requests that was refused, within these
 * limits. One refused in fifty says that others use little.
 */
const DECREASE = 4;
const MIN_DECREASE = 0.08;
const MAX_DECREASE = 0.6;
/** Below this share, many use the key: the share then falls by this much. */
const CROWD = 0.8;
const CROWD_DECREASE = 0.2;
/** Of how many requests the refused are a part, at least: a part of fewer says little. */
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
/** The part of a window that counts as nearly full. */
const NEARLY = 0.8;
/** If calls take more windows than this, each window is used evenly: that makes them one window later at most. */
const MANY_WINDOWS = 25;

/** How many requests leave at once, and until when the other free slots are given out one by one. */
interface Burst {
	atOnce: number;
	readonly keptUntil: number;
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
	/** The last pause: the shares before it (as grown, and in force) and after it, the refusals in it, and its end. */
	private pause = { grown: 1, inForce: 1, after: 1, refused: 0, until: -Infinity };
	/** When the next request of a run that has sent lately is due. */
	private due = -Infinity;
	/** How the slots are given out that were free when calls came that don't fit into them. */
	private burst: Burst | undefined;

	/** The share of the plan at this moment, from 0 to 1 (the whole plan). */
	shareAt(now: number): number {
		return now - this.pause.until > CALM_MS ? 1 : this.grownShare(now);
	}

	private grownShare(now: number): number {
		const { after, until } = this.pause;
		return 1 - (1 - after) * Math.exp((-GROWTH * Math.max(0, now - until)) / 1000);
	}

	/** Whether the window is nearly full: then a refusal is about the key, whatever channel or recipient it came for. */
	isNearlyFull(now: number): boolean {
		if (this.plan === undefined) return false;
		return this.underWay + this.recent(now, this.plan.windowMs) >= NEARLY * this.plan.limit;
	}

	/**
	 * When the next request may leave; Infinity if that depends on the end of another one.
	 *
	 * @param leftAt when the last request of its run left: slots are kept for runs that have not sent lately
	 */
	freeAt(now: number, leftAt = now): number {
		if (this.plan === undefined) return now;
		const isPaced = leftAt > this.windowBefore(now) || this.shareAt(now) < 1;
		return Math.max(this.slotAt(this.plan, now), isPaced ? this.due : now);
	}

	private slotAt({ limit, windowMs }: Plan, now: number): number {
		const slots = limit - this.underWay;
		return slots <= 0
			? Infinity
			: Math.max(now, (this.endings.at(-slots) ?? -Infinity) + windowMs * WINDOW_MARGIN);
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
		if (wanted <= free) {
			this.burst = undefined;
			return 0;
		}
		const burst = (this.burst ??= burstOf(plan, free, wanted, now));
		burst.atOnce -= 1;
		if (burst.atOnce > 0) return 0;
		if (now < burst.keptUntil) return (burst.keptUntil - now) / Math.max(1, free);
		return wanted > MANY_WINDOWS * limit ? evenly : 0;
	}

	/** How many requests ended within the last window. */
	private recent(now: number, windowMs: number): number {
		while ((this.endings[0] ?? Infinity) <= now - windowMs * WINDOW_MARGIN) this.endings.shift();
		return this.endings.length;
	}

	/** When the window that ends now began. */
	windowBefore(now: number): number {
		return now - (this.plan?.windowMs ?? 0);
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
		// After a calm, the whole plan is in force. A refusal shows that the others are back: the share falls at least to
		// what it had grown to.
		const isNew = now > this.pause.until;
		const { grown, inForce } = isNew
			? { grown: this.grownShare(now), inForce: this.shareAt(now) }
			: this.pause;
		const refused = isNew ? 1 : this.pause.refused + 1;
		const requests = Math.max(MIN_REQUESTS, this.underWay + this.recent(now, this.plan?.windowMs ?? 0));
		const part = Math.min(MAX_DECREASE, Math.max(MIN_DECREASE, (DECREASE * refused) / requests));
		const after = grown > CROWD ? Math.min(grown, inForce * (1 - part)) : grown * (1 - CROWD_DECREASE);
		this.pause = { grown, inForce, after, refused, until: Math.max(now, quietUntil) };
	}
}

/** How the free slots are given out to calls that don't fit into them. */
function burstOf({ limit, windowMs }: Plan, free: number, wanted: number, now: number): Burst {
	const windows = Math.ceil((wanted - free) / limit);
	// If even the last window has no slot to spare, what leaves late in each makes the whole late.
	const isTight = ((wanted - free) % limit || limit) > limit * AT_ONCE;
	const keptMs = isTight ? Math.min(1, windows / MANY_WINDOWS) * windowMs : windowMs;
	return { atOnce: Math.ceil(free * AT_ONCE), keptUntil: now + keptMs };
}
