import type { Plan } from '../../service/plan';

/** How many endings are kept while no plan is known. */
const MOST_ENDINGS = 10_000;
/** A window is taken to be this much longer, because two clocks never run alike (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;

/**
 * The slots of a key's plan. Of `limit` slots each request takes one, and gives it back one window after its answer
 * came. The service counted the request before that moment, so neither a fixed nor a sliding window of its can hold
 * more than `limit`.
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

	/** Whether a plan is known, and the window that ends now holds no more than it allows. */
	get isKept(): boolean {
		return this.plan !== undefined && this.filled <= 1;
	}

	/** Whether a plan is known, and all of its slots are taken. */
	get isFull(): boolean {
		return this.plan !== undefined && this.filled >= 1;
	}

	/** The part of the plan's slots that are taken, also by requests that have ended; 0 when no plan is known. */
	get filled(): number {
		return this.plan === undefined ? 0 : (this.underWay + this.endings.length) / this.plan.limit;
	}

	/** Puts a plan in force, or none. */
	learn(plan: Plan | undefined): void {
		this.plan = plan;
	}

	/** Takes a slot, also where none is free: who does not keep to the plan is counted all the same. */
	take(): void {
		this.underWay += 1;
	}

	/** Notes that the request in a slot has ended. */
	ended(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
	}

	/** When a slot is free; Infinity when that hangs on the end of a request, not on time. */
	slotFreeAt(now: number): number {
		if (this.plan === undefined) return now;
		const { limit, windowMs } = this.plan;
		const excess = this.underWay + this.endings.length - limit;
		if (excess < 0) return now;
		const freeing = this.endings[excess];
		return freeing === undefined ? Infinity : freeing + windowMs * WINDOW_MARGIN;
	}

	/** Forgets the endings whose slots are free again. */
	tidy(now: number): void {
		if (this.plan === undefined) {
			if (this.endings.length > MOST_ENDINGS) this.endings = this.endings.slice(-MOST_ENDINGS / 2);
			return;
		}
		const horizon = now - this.plan.windowMs * WINDOW_MARGIN;
		const first = this.endings.findIndex((ending) => ending > horizon);
		if (first !== 0) this.endings = first < 0 ? [] : this.endings.slice(first);
	}

	/** Whether no request is under way, and none has ended since then. */
	isIdleSince(moment: number): boolean {
		return this.underWay === 0 && (this.endings.at(-1) ?? -Infinity) < moment;
	}
}
