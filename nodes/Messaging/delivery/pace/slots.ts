import type { Plan } from '../../service/plan';
import { PlanShare } from './plan-share';

/**
 * How many finished requests are remembered while no plan is known; it could be one of a day. Half: a plan of more is used
 * too fast once. Double: twice the memory, 160 KB.
 */
const MAX_FINISHES = 10_000;
/**
 * The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). Half:
 * single refusals in windows of minutes. Double: a thousandth of the plan is not used.
 */
const WINDOW_MARGIN = 1.0005;
/**
 * The part of a window that counts as nearly full. Half: a refusal by a channel holds up all channels. With 1: one by the
 * key is taken for a channel's.
 */
const NEARLY = 0.8;
/**
 * How far behind their pace requests may catch up, in milliseconds: timers fire late, and n8n has other work. Half: less of
 * the plan is used on a busy server. Double: refusals while several processes share a plan.
 */
const CATCH_UP_MS = 50;
/**
 * The part of the free slots that is spread over the window, at most, if more calls are queued than there are slots. Half: a
 * single message waits twice as long for a slot. Double: fewer messages of a list go out at once.
 */
const SPREAD = 0.2;
/**
 * If calls take more windows than this, each window is used evenly: that makes the list one window longer at most. Half: of
 * a list of 13 windows, that is a noticeable part. Double: single messages beside such lists wait for up to a window.
 */
const MANY_WINDOWS = 25;

/**
 * When the plan of a key allows the next request: a sliding window. Each request takes one of the plan's slots when it
 * starts, and frees it one window after it has finished.
 */
export class PlanSlots {
	/** The plan in force; `undefined` when none is known. */
	plan: Plan | undefined;
	readonly share = new PlanShare();
	private inFlight = 0;
	/** When requests finished, oldest first. */
	private readonly finishes: number[] = [];
	/** When the next request of a run that has sent lately is due. */
	private due = -Infinity;
	/** How many of the slots that were free still start at once, and until when the others are given out. */
	private burst: ReturnType<typeof burstOf> | undefined;

	/**
	 * Whether the window is nearly full: then a refusal is about the key, whatever channel it came for. Not if it asks for more
	 * than a window, which no plan does. Times in the header are whole seconds.
	 */
	isNearlyFull(now: number, askedMs = 0): boolean {
		if (this.plan === undefined || askedMs > this.plan.windowMs + 1000) return false;
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
		const slots = limit - this.inFlight;
		if (slots <= 0) return Infinity;
		const slotAt = (this.finishes.at(-slots) ?? -Infinity) + windowMs * WINDOW_MARGIN;
		const isPaced = startedAt > this.windowBefore(now) || this.share.at(now) < 1;
		return Math.max(now, slotAt, isPaced ? this.due : now);
	}

	/**
	 * Notes that a request starts, even if no slot is free: calls with Keep to Plan off take slots too.
	 *
	 * @param queued how many calls are still to start, with this one, as far as that is known
	 * @returns what gives the slot back, if the request is not sent
	 */
	take(now: number, queued = 1): () => void {
		const spacingMs = this.plan === undefined ? 0 : this.spacingMs(this.plan, now, queued);
		this.inFlight += 1;
		// Nothing is caught up that a pause after a refusal has held up.
		const earliest = Math.max(now - Math.max(spacingMs, CATCH_UP_MS), Math.min(now, this.share.until));
		const before = Math.max(this.due, earliest);
		// However many calls with Keep to Plan off start, the others wait no longer than a window.
		this.due = Math.min(now + Math.max(this.plan?.windowMs ?? 0, spacingMs), before + spacingMs);
		return () => {
			this.inFlight -= 1;
			this.due -= spacingMs;
			if (this.burst !== undefined) this.burst.atOnce += 1;
		};
	}

	/** How long after this request the next one is due. */
	private spacingMs(plan: Plan, now: number, queued: number): number {
		const share = this.share.at(now);
		const evenly = plan.windowMs / plan.limit / share;
		if (share < 1) return evenly;
		const free = this.freeSlots(plan, now);
		// What is left of an earlier burst says nothing after a window without requests.
		if (queued <= free || free === plan.limit) this.burst = undefined;
		if (queued <= free) return 0;
		const burst = (this.burst ??= burstOf(plan, free, queued, now));
		burst.atOnce -= 1;
		if (burst.atOnce > 0) return 0;
		if (now < burst.spreadUntil) return (burst.spreadUntil - now) / Math.max(1, free);
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
}

/** How the free slots are given out to calls that don't fit into them: as many late as the last window does not need. */
function burstOf({ limit, windowMs }: Plan, free: number, queued: number, now: number) {
	const windows = Math.ceil((queued - free) / limit);
	const spare = windows * limit - (queued - free);
	const most = Math.floor(free * SPREAD);
	// If the last window is full as well, spreading slots over the whole window would make the run one window longer.
	const spreadMs = windowMs * (spare > 0 ? 1 : Math.min(1, windows / MANY_WINDOWS));
	return { atOnce: free - (spare > 0 ? Math.min(most, spare) : most), spreadUntil: now + spreadMs };
}
