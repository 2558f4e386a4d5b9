import type { Plan } from '../service/plan';
import type { Clock } from './clock';

/** How a request that was let through ended. */
export type Ending =
	/** A 2xx. */
	| 'success'
	/** Another answer. */
	| 'answered'
	/** The service turned it away and asks to come back. */
	| 'later'
	/** No whole answer. */
	| 'broken';

/** The leave to make one request. */
export interface Pass {
	/**
	 * Must be called once, when the request has ended.
	 *
	 * @param waitMs how long the service asks to wait, where it says so
	 */
	leave(ending: Ending, waitMs?: number): void;
}

/** A call that wants to pass the gate, with each of its tries. */
export interface Visitor {
	readonly keepToPlan: boolean;
	/** How long to wait, in milliseconds, from the first "later" on. */
	readonly maxWaitMs: number;
	/** When this call was first told "later", by the service or by a gate that keeps quiet; by the gate's clock. */
	laterSince?: number;
	/** Fires when the run is over before its time. */
	readonly signal: AbortSignal;
}

/** How the question for the plan was answered. */
export interface PlanAnswer {
	ending: Ending;
	/** How long the service asks to wait, where it says so. */
	waitMs?: number | undefined;
	/** `undefined` when the key shows none. */
	plan?: Plan | undefined;
}

interface Waiter {
	visitor: Visitor;
	resolve(pass: Pass | 'tooLong' | 'halted'): void;
}

const PLAN_FRESH_MS = 600_000;
/** How soon to ask again when /Me could not be read. */
const PLAN_RETRY_MS = 60_000;
const MOST_WHILE_ASKING = 4;
/** For how long a question that gets no answer holds the rest up. */
const LONGEST_HOLD_MS = 2_000;
/** Endings kept while no plan is known. */
const MOST_ENDINGS = 10_000;
/** A window is taken to be this much longer, because two clocks never run alike (NTP slews up to 500 ppm). */
const WINDOW_MARGIN = 1.0005;
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.3;
const LONGEST_PAUSE_MS = 30_000;
/** After this long one request probes, however long the service asked to wait: its plan may have changed. */
const LONGEST_ASKED_MS = 300_000;

/**
 * All requests that this process makes with one key pass here, whichever execution they belong to.
 *
 * It keeps the key's resource plan: of `limit` slots each request takes one, and gives it back one window after its
 * answer came. The service counted the request before that moment, so neither a fixed nor a sliding window of its
 * can hold more than `limit`.
 *
 * And it keeps quiet when told so: one 429 pauses everybody; afterwards a single request probes before all go on.
 */
export class KeyGate {
	private plan: Plan | undefined;

	private planFreshUntil = -Infinity;

	private asking = false;

	private leftWhileAsking = 0;

	private holdUntil = -Infinity;

	private underWay = 0;

	/** When requests ended, oldest first. */
	private endings: number[] = [];

	private pausedUntil = -Infinity;

	private probing = false;

	private probesUnderWay = 0;

	/** Changes with every refusal that begins a pause: requests that left before it do not lengthen it. */
	private epoch = 0;

	private refusalsInARow = 0;

	/** How long the service asked to wait when the present pause began. */
	private asked = 0;

	/**
	 * The question for the plan, which goes first, those who keep to the plan, and those who do not: a full plan must
	 * not hold up the latter.
	 */
	private readonly waiting = { question: [] as Waiter[], planned: [] as Waiter[], free: [] as Waiter[] };

	/** When somebody will look here again. */
	private readonly wakes = new Set<number>();

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.plan;
	}

	/** Whether nothing is going on here, so that the gate may be forgotten without forgetting what counts. */
	isIdleSince(moment: number): boolean {
		const last = this.endings.at(-1) ?? -Infinity;
		return this.underWay === 0 && !this.asking && last < moment && this.pausedUntil < moment;
	}

	/** Waits for the leave to make one request. */
	async enter(visitor: Visitor): Promise<Pass | 'tooLong' | 'halted'> {
		return await this.wait(visitor, visitor.keepToPlan ? this.waiting.planned : this.waiting.free);
	}

	private async wait(visitor: Visitor, queue: Waiter[]): Promise<Pass | 'tooLong' | 'halted'> {
		return await new Promise((resolve) => {
			const waiter: Waiter = { visitor, resolve };
			const halt = (): void => {
				const place = queue.indexOf(waiter);
				if (place >= 0) queue.splice(place, 1);
				resolve('halted');
			};
			if (visitor.signal.aborted) return halt();
			visitor.signal.addEventListener('abort', halt, { once: true });
			waiter.resolve = (answer) => {
				visitor.signal.removeEventListener('abort', halt);
				resolve(answer);
			};
			queue.push(waiter);
			this.letThrough();
		});
	}

	/**
	 * Finds out the key's plan, unless it is known. Until it is, at most four requests may leave; a question without an
	 * answer holds the others up for a short time only.
	 *
	 * @param visitor on whose behalf
	 * @param ask asks the service; must not reject
	 */
	learnPlan(visitor: Visitor, ask: () => Promise<PlanAnswer>): void {
		if (this.asking || this.clock.now() < this.planFreshUntil) return;
		this.asking = true;
		this.leftWhileAsking = this.underWay;
		this.holdUntil = this.clock.now() + LONGEST_HOLD_MS;
		void this.findPlan(visitor, ask);
	}

	/**
	 * The question is a request like any other to the service's count: it waits for a slot, and for the end of a pause.
	 * "Later" to the question postpones the question. It is no sign that the service would not take anything else.
	 */
	private async findPlan(visitor: Visitor, ask: () => Promise<PlanAnswer>): Promise<void> {
		const pass = await this.wait(visitor, this.waiting.question);
		const {
			ending,
			plan,
			waitMs = 0,
		}: PlanAnswer = typeof pass === 'string' ? { ending: 'broken' } : await ask();
		const found = ending === 'success';
		if (found) this.plan = plan;
		// When the run that asked is stopped, another one may ask at once.
		if (found || !visitor.signal.aborted) {
			this.planFreshUntil = this.clock.now() + (found ? PLAN_FRESH_MS : Math.max(PLAN_RETRY_MS, waitMs));
		}
		this.asking = false;
		if (typeof pass === 'string') this.letThroughSoon();
		else pass.leave(ending === 'later' ? 'broken' : ending);
	}

	private letThrough(): void {
		const now = this.clock.now();
		this.forgetEndings(now);
		this.refuseHopeless(now);
		for (const queue of this.queues()) {
			for (let first = queue[0]; first !== undefined; first = queue[0]) {
				const opens = this.opensAt(now, first.visitor, queue);
				if (opens > now) {
					this.wakeUpAt(opens);
					break;
				}
				queue.shift();
				first.resolve(this.pass(queue));
			}
		}
		// The probe that has just left holds back those behind it.
		this.refuseHopeless(now);
	}

	private queues(): Waiter[][] {
		return [this.waiting.question, this.waiting.planned, this.waiting.free];
	}

	/**
	 * In a turn of its own: the run whose request has just ended may take the answer for its own end, and then none of
	 * its other requests may leave.
	 */
	private letThroughSoon(): void {
		if (this.queues().some((queue) => queue.length > 0)) this.wakeUpAt(-Infinity);
	}

	/** When the next request of this visitor may leave; Infinity when that hangs on an ending, not on time. */
	private opensAt(now: number, { keepToPlan }: Visitor, queue: Waiter[]): number {
		if (now < this.pausedUntil) return this.pausedUntil;
		const isQuestion = queue === this.waiting.question;
		// A probe has to tell whether messages are taken: the question can't.
		if (this.probing && (isQuestion || this.probesUnderWay > 0)) return Infinity;
		if (!keepToPlan) return now;
		if (this.plan === undefined) {
			const isHeld = !isQuestion && this.asking && this.leftWhileAsking >= MOST_WHILE_ASKING;
			return isHeld ? Math.max(now, this.holdUntil) : now;
		}
		const { limit, windowMs } = this.plan;
		const excess = this.underWay + this.endings.length - limit;
		if (excess < 0) return now;
		const freeing = this.endings[excess];
		return freeing === undefined ? Infinity : freeing + windowMs * WINDOW_MARGIN;
	}

	private pass(queue: Waiter[]): Pass {
		const { epoch } = this;
		const probe = this.probing;
		this.underWay += 1;
		if (probe) this.probesUnderWay += 1;
		if (this.asking && queue !== this.waiting.question) this.leftWhileAsking += 1;
		return {
			leave: (ending, waitMs) => {
				const now = this.clock.now();
				if (probe) this.probesUnderWay -= 1;
				this.countEnding(now);
				if (ending === 'later') this.pause(now, epoch, waitMs);
				else if (ending !== 'broken' && epoch === this.epoch) {
					this.probing = false;
					this.refusalsInARow = 0;
				}
				this.letThroughSoon();
			},
		};
	}

	private pause(now: number, epoch: number, waitMs: number | undefined): void {
		const asked = Math.min(waitMs ?? 0, LONGEST_ASKED_MS);
		if (epoch === this.epoch) {
			this.epoch += 1;
			this.refusalsInARow += 1;
		} else if (asked <= this.asked) {
			// It left before the pause began and was told nothing new: counted from now, the same wait would end later.
			return;
		}
		this.asked = asked;
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** (this.refusalsInARow - 1));
		// Jitter, so that several n8n servers with one key do not knock together.
		const least = backoff * (1 + 0.1 * this.random());
		this.pausedUntil = Math.max(this.pausedUntil, now + Math.max(asked, least));
		this.probing = true;
	}

	/**
	 * While the gate keeps quiet: sends away those who would have to wait for longer than they want, and sees to it that
	 * the others are not forgotten behind a probe that takes its time.
	 */
	private refuseHopeless(now: number): void {
		const isQuiet = now < this.pausedUntil || (this.probing && this.probesUnderWay > 0);
		if (!isQuiet) return;
		for (const queue of this.queues()) {
			for (const waiter of [...queue]) {
				const { visitor } = waiter;
				visitor.laterSince ??= now;
				const givesUpAt = visitor.laterSince + visitor.maxWaitMs;
				if (givesUpAt <= now || givesUpAt < this.pausedUntil) {
					queue.splice(queue.indexOf(waiter), 1);
					waiter.resolve('tooLong');
				} else this.wakeUpAt(givesUpAt);
			}
		}
	}

	private countEnding(now: number): void {
		this.underWay -= 1;
		this.endings.push(now);
	}

	private forgetEndings(now: number): void {
		if (this.plan === undefined) {
			if (this.endings.length > MOST_ENDINGS) this.endings = this.endings.slice(-MOST_ENDINGS / 2);
			return;
		}
		const horizon = now - this.plan.windowMs * WINDOW_MARGIN;
		const first = this.endings.findIndex((ending) => ending > horizon);
		if (first !== 0) this.endings = first < 0 ? [] : this.endings.slice(first);
	}

	/** Somebody who wakes sooner looks here too, and sleeps again: there is one sleeper for many who wait. */
	private wakeUpAt(moment: number): void {
		const now = this.clock.now();
		if (moment === Infinity) return;
		for (const wake of this.wakes) if (wake <= Math.max(moment, now)) return;
		this.wakes.add(moment);
		void this.clock.sleep(moment - now).then(() => {
			this.wakes.delete(moment);
			this.letThrough();
		});
	}
}
