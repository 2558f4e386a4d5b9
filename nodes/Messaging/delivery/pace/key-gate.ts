import type { RequestEnd } from '../../service/endings';
import type { Plan } from '../../service/plan';
import type { Clock } from '../../time/clock';
import { Alarm } from './alarm';
import { isTurnedAway, Pause } from './pause';
import { PlanQuestion } from './plan-question';
import { PlanShare } from './plan-share';
import { PlanWindow } from './plan-window';

/** The leave to make one request. */
export interface Pass {
	/**
	 * Must be called once, when the request has ended.
	 *
	 * @param waitMs how long the service asks to wait, where it says so
	 */
	leave(end: RequestEnd, waitMs?: number): void;
}

/** Why there is no pass: the wait would be too long, or the run is over. */
export type NoPass = 'tooLong' | 'halted';

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
	end: RequestEnd;
	/** How long the service asks to wait, where it says so. */
	waitMs?: number | undefined;
	/** What was found out, if anything: the plan, `undefined` when the key shows none. */
	found?: { plan: Plan | undefined };
}

/** What keeps calls from leaving now: a pause for this long, the probe after it, or a plan without a free slot. */
export type Hold = { by: 'pause'; forMs: number } | { by: 'probe' } | { by: 'plan' };

interface Waiter {
	visitor: Visitor;
	resolve(pass: Pass | NoPass): void;
}

/**
 * All requests that this process makes with one key pass here, whichever execution they belong to. The gate lets them
 * through as the window of the key's plan and the pause after a refusal allow.
 */
export class KeyGate {
	private readonly window = new PlanWindow();

	private readonly share = new PlanShare();

	private readonly question = new PlanQuestion();

	private readonly pause: Pause;

	private readonly alarm: Alarm;

	/**
	 * The question for the plan, which goes first, those who keep to the plan, and those who do not: a full plan must
	 * not hold up the latter.
	 */
	private readonly waiting = { question: [] as Waiter[], planned: [] as Waiter[], free: [] as Waiter[] };

	constructor(
		private readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.pause = new Pause(random);
		this.alarm = new Alarm(clock, () => this.letThrough());
	}

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.window.knownPlan;
	}

	/** What keeps a call from leaving now; `undefined` when nothing does. */
	hold(keepToPlan: boolean): Hold | undefined {
		const now = this.clock.now();
		if (this.pause.endsAt > now) return { by: 'pause', forMs: this.pause.endsAt - now };
		if (this.pause.isQuiet(now)) return { by: 'probe' };
		return keepToPlan && this.planOpensAt(now) > now ? { by: 'plan' } : undefined;
	}

	/** Whether nothing is going on here, so that the gate may be forgotten without forgetting what counts. */
	isIdleSince(moment: number): boolean {
		return !this.question.isOpen && this.window.isIdleSince(moment) && this.pause.endsAt < moment;
	}

	/** Waits for the leave to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		return await this.wait(visitor, visitor.keepToPlan ? this.waiting.planned : this.waiting.free);
	}

	/**
	 * Finds out the key's plan, unless it is known. Until it is, at most four requests may leave; a question without an
	 * answer holds the others up for a short time only.
	 *
	 * @param visitor on whose behalf
	 * @param ask asks the service; must not reject
	 */
	learnPlan(visitor: Visitor, ask: () => Promise<PlanAnswer>): void {
		const now = this.clock.now();
		if (!this.question.isDue(now)) return;
		this.question.begin(now, this.window.takenNow);
		void this.findPlan(visitor, ask);
	}

	/**
	 * The question is a request like any other to the service's count: it waits for a slot, and for the end of a pause.
	 * "Later" to the question postpones the question. It is no sign that the service would not take anything else.
	 */
	private async findPlan(visitor: Visitor, ask: () => Promise<PlanAnswer>): Promise<void> {
		const pass = await this.wait(visitor, this.waiting.question);
		const isSentAway = typeof pass === 'string';
		const { end, found, waitMs = 0 }: PlanAnswer = isSentAway ? { end: 'silent' } : await ask();
		const now = this.clock.now();
		if (found !== undefined) {
			this.window.learn(found.plan);
			this.question.answered(now);
		} else if (end === 'throttled') this.question.turnedAway(now, waitMs);
		else this.question.failed(now, visitor.signal.aborted ? undefined : waitMs);
		if (isSentAway) this.letThroughSoon();
		else pass.leave(isTurnedAway(end) ? 'silent' : end);
	}

	private async wait(visitor: Visitor, queue: Waiter[]): Promise<Pass | NoPass> {
		return await new Promise((resolve) => {
			const waiter: Waiter = { visitor, resolve };
			const halt = (): void => {
				const place = queue.indexOf(waiter);
				if (place >= 0) queue.splice(place, 1);
				this.silenceIfAlone();
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

	private letThrough(): void {
		const now = this.clock.now();
		this.window.tidy(now);
		this.refuseHopeless(now);
		for (const queue of this.queues()) {
			for (let first = queue[0]; first !== undefined; first = queue[0]) {
				const opens = this.opensAt(now, first.visitor, queue);
				if (opens > now) {
					this.alarm.setFor(opens);
					break;
				}
				queue.shift();
				first.resolve(this.pass(queue));
			}
		}
		// The probe that has just left holds back those behind it.
		this.refuseHopeless(now);
		this.silenceIfAlone();
	}

	private silenceIfAlone(): void {
		if (this.queues().every((queue) => queue.length === 0)) this.alarm.silence();
	}

	private queues(): Waiter[][] {
		return [this.waiting.question, this.waiting.planned, this.waiting.free];
	}

	/**
	 * In a turn of its own: the run whose request has just ended may take the answer for its own end, and then none of
	 * its other requests may leave.
	 */
	private letThroughSoon(): void {
		if (this.queues().some((queue) => queue.length > 0)) this.alarm.setFor(-Infinity);
	}

	/** When the next request of this visitor may leave; Infinity when that hangs on the end of another, not on time. */
	private opensAt(now: number, { keepToPlan }: Visitor, queue: Waiter[]): number {
		const isQuestion = queue === this.waiting.question;
		// A probe has to tell whether messages are taken: the question can't.
		const quietUntil = this.pause.opensAt(now, !isQuestion);
		if (quietUntil > now || !keepToPlan) return quietUntil;
		if (this.knownPlan !== undefined) return this.planOpensAt(now);
		return isQuestion ? now : this.question.opensAt(now);
	}

	/** When the plan, or the share of it, lets the next request leave. */
	private planOpensAt(now: number): number {
		return Math.max(this.window.opensAt(now), this.share.opensAt(now));
	}

	private pass(queue: Waiter[]): Pass {
		const departure = this.pause.depart();
		const { knownPlan, share, window } = this;
		window.take();
		if (knownPlan !== undefined) share.take(this.clock.now(), knownPlan, window.isFull);
		const { isKept } = window;
		if (queue !== this.waiting.question) this.question.letOneBy();
		return {
			leave: (end, waitMs) => {
				const now = this.clock.now();
				window.tidy(now);
				// Who does not keep to the plan may have passed it on the way.
				const keptToPlan = isKept && window.isKept;
				const { filled } = window;
				window.ended(now);
				const beginsPause = this.pause.ended(departure, end, now, waitMs);
				// A probe that is refused says that the plan is used up still, not that the share is too large.
				if (beginsPause && keptToPlan && end === 'throttled' && !departure.isProbe) {
					share.refused(now, this.pause.endsAt, filled);
				}
				this.letThroughSoon();
			},
		};
	}

	/**
	 * While the gate keeps quiet: sends away those who would have to wait for longer than they want, and sees to it that
	 * the others are not forgotten behind a probe that takes its time.
	 */
	private refuseHopeless(now: number): void {
		if (!this.pause.isQuiet(now)) return;
		for (const queue of this.queues()) {
			for (const waiter of [...queue]) {
				const { visitor } = waiter;
				visitor.laterSince ??= now;
				const givesUpAt = visitor.laterSince + visitor.maxWaitMs;
				if (givesUpAt <= now || givesUpAt < this.pause.endsAt) {
					queue.splice(queue.indexOf(waiter), 1);
					waiter.resolve('tooLong');
				} else this.alarm.setFor(givesUpAt);
			}
		}
	}
}
