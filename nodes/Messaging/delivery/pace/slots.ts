import type { Plan } from '../../service/plan';

/** How many request ends are kept while no plan is known. */
const MOST_ENDINGS = 10_000;
/** The window is made this much longer, because two clocks never run at the same speed (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
/** The first refusal shows that others use the key: the share of the plan that is left to this gate. */
const FIRST_SHARE = 0.4;
/** The factor by which a further refusal shrinks the share. */
const DECREASE = 0.8;
/** By how much the share grows per second, as a fraction of the plan. */
const GROWTH = 0.004;
/**
 * After this long without a refusal, the others are done. With growth alone that gives the plan back as soon, three
 * workers used 79 % of it instead of 85 %, and up to 15 % of their requests were refused.
 */
const CALM_MS = 25_000;
/** How far behind their pace requests may catch up, in milliseconds: timers fire late, and n8n has other work. */
const CATCH_UP_MS = 50;

/**
 * When the plan of a key allows the next request. Each request takes one of the plan's slots, and frees it one window
 * after its answer came. Slots are spread over the window if there are not enough of them, or if others have used some:
 * `docs/internals/gate.md` says why.
 */
export class PlanSlots {
	/** The plan in force; `undefined` when none is known. */
	plan: Plan | undefined;
	private underWay = 0;
	/** When requests ended, oldest first. */
	private readonly endings: number[] = [];
	/** The share right after the last refusal, and when that was. */
	private base = FIRST_SHARE;
	private refusedAt = -Infinity;
	/** When the next request is due, at the pace of the share. */
	private due = -Infinity;

	/** The share of the plan at this moment, from 0 to 1 (the whole plan). */
	shareAt(now: number): number {
		const calmMs = Math.max(0, now - this.refusedAt);
		return calmMs > CALM_MS ? 1 : this.base + GROWTH * (calmMs / 1000);
	}

	/** When the next request may leave; Infinity if that depends on the end of another one. */
	freeAt(now: number): number {
		if (this.plan === undefined) return now;
		const { limit, windowMs } = this.plan;
		const slots = limit - this.underWay;
		if (slots <= 0) return Infinity;
		return Math.max(now, this.due, (this.endings.at(-slots) ?? -Infinity) + windowMs * WINDOW_MARGIN);
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
	private spacingMs({ limit, windowMs }: Plan, now: number, wanted: number): number {
		while ((this.endings[0] ?? Infinity) <= now - windowMs * WINDOW_MARGIN) this.endings.shift();
		const evenly = windowMs / limit / this.shareAt(now);
		if (this.shareAt(now) < 1) return evenly;
		const [oldest = now] = this.endings;
		const free = limit - this.underWay - this.endings.length;
		return wanted <= free ? 0 : Math.max(evenly, (oldest + windowMs - now) / Math.max(1, free));
	}

	/** Notes that a request has ended. */
	ended(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
		if (this.endings.length > MOST_ENDINGS && this.plan === undefined) this.endings.shift();
	}

	/**
	 * Notes that a request was refused although the gate kept to the plan.
	 *
	 * @param quietUntil when the pause after the refusal ends
	 */
	refused(now: number, quietUntil: number): void {
		const share = this.shareAt(now);
		this.base = share === 1 ? FIRST_SHARE : share * DECREASE;
		this.refusedAt = Math.max(now, quietUntil);
	}
}
