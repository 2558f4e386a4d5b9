import { ask, type Service } from '../../service/connect';
import { isFailure, isTurnedAway, type RequestEnd, requestEnd } from '../../service/endings';
import { ME, type Plan, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Availability, type Closure } from './availability';
import { PlanShare, PlanWindow } from './plan';

/** The permission to make one request. */
export interface Pass {
	/**
	 * Must be called once, when the request has ended.
	 *
	 * @param waitMs how long the service asks to wait, where it says so
	 */
	leave(end: RequestEnd, waitMs?: number): void;
}

/** Why there is no pass. */
export type NoPass =
	/** The service asks to come back later, for longer than the call may wait. */
	| 'pause'
	/** The service was failing for longer than the call may wait. */
	| 'outage'
	/** The service does not accept the key: the run has had that answer several times in a row. */
	| 'keyRefused'
	/** The run is over. */
	| 'halted';

/** What the gate keeps of a run; the same object for all of its calls. */
export interface RunAtGate {
	/** How many of its calls in a row were answered with 401. */
	keyRefusals: number;
	/** Its first call, and when that came. */
	first?: { readonly visitor: Visitor; readonly at: number };
}

/** A call that wants to pass the gate; the same object for all of its tries. */
export interface Visitor {
	readonly run: RunAtGate;
	readonly service: Service;
	readonly keepToPlan: boolean;
	/** How long to wait, in milliseconds, counted from `waitingSince`. */
	readonly maxWaitMs: number;
	/** Fires when the run is over before its time. */
	readonly signal: AbortSignal;
	/**
	 * When this call began to wait for the service, by the gate's clock. An item that waits for its turn while the gate
	 * is closed waits for the service as well: so this is when the gate closed, or when the run began if that was later.
	 */
	waitingSince?: number;
	/** Why it was held back last, if the gate was closed then. */
	heldBy?: Closure['why'];
}

/** Why calls are held back, since when and until when as far as that is known; by the gate's clock. */
export interface HeldBack {
	readonly why: Closure['why'] | 'plan';
	readonly since?: number;
	readonly until: number;
}

interface Waiter {
	readonly visitor: Visitor;
	resolve(answer: Pass | NoPass): void;
}

/** How long to wait for the answer to GET /Me: runs are held up meanwhile. */
const ME_TIMEOUT_MS = 10_000;
/** How long the plan counts once it is known, and how long calls go without one when it could not be found out. */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
/** The same when /Me was refused: while the plan is used up it is not shown, and without it no run can keep to it. */
const PLAN_REFUSED_MS = 1000;
/** After so many answers in a row that the key is not accepted, nothing more of a run leaves. */
const MOST_KEY_REFUSALS = 3;

/**
 * All requests that this process makes with one key pass here, whichever execution they belong to. They wait in one
 * queue, and leave as the key's plan (`PlanWindow`, `PlanShare`) and the service (`Availability`) allow. The gate itself
 * sends GET /Me, one at a time: as a probe while the service fails, and for the plan.
 */
export class KeyGate {
	private readonly window = new PlanWindow();

	private readonly share = new PlanShare();

	private readonly service: Availability;

	private queue: Waiter[] = [];

	/** The one timer for the whole queue. */
	private alarm: { at: number; off: AbortController } | undefined;

	private planFreshUntil = -Infinity;

	private isAskingMe = false;

	private usedAt = -Infinity;

	constructor(
		private readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.service = new Availability(random);
	}

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.window.knownPlan;
	}

	/** Whether calls are held back now, and why; `undefined` when they are not. */
	heldBack(keepToPlan: boolean): HeldBack | undefined {
		const until = this.planFreeAt(this.clock.now());
		if (this.service.closure !== undefined) return this.service.closure;
		return keepToPlan && until > this.clock.now() ? { why: 'plan', until } : undefined;
	}

	/** Whether the queue is empty, and no call has come since then. */
	isIdleSince(moment: number): boolean {
		return this.queue.length === 0 && this.usedAt < moment;
	}

	/**
	 * Whether the service has answered lately, so that a connection that can't be made is an outage, which the gate waits
	 * out. Otherwise its address may be wrong.
	 */
	get isServiceKnown(): boolean {
		return this.service.isKnown(this.clock.now());
	}

	/** Notes that a run has begun, whose calls will come. */
	use(): void {
		this.usedAt = this.clock.now();
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		this.use();
		visitor.run.first ??= { visitor, at: this.usedAt };
		return await new Promise((resolve) => {
			const { signal } = visitor;
			if (signal.aborted) return resolve('halted');
			const halt = (): void => {
				this.queue = this.queue.filter((other) => other !== waiter);
				if (this.queue.length === 0) this.silence();
				resolve('halted');
			};
			const waiter: Waiter = {
				visitor,
				resolve: (answer) => {
					signal.removeEventListener('abort', halt);
					resolve(answer);
				},
			};
			signal.addEventListener('abort', halt, { once: true });
			this.queue.push(waiter);
			this.letThrough();
		});
	}

	/** Answers the calls that need not wait any longer, and sets the timer for the rest. */
	private letThrough(): void {
		const now = this.clock.now();
		this.window.tidy(now);
		const question = this.nextQuestion(now);
		let lookAgainAt = Infinity;
		// Before the calls: behind a burst it would always come when the plan is used up.
		if (question !== undefined && question.at <= now) void this.askMe(question.visitor);
		else lookAgainAt = question?.at ?? Infinity;
		this.queue = this.queue.filter((waiter) => {
			const answer = this.answerTo(waiter.visitor, now);
			if (typeof answer !== 'number') waiter.resolve(answer);
			else lookAgainAt = Math.min(lookAgainAt, answer);
			return typeof answer === 'number';
		});
		if (this.queue.length === 0) this.silence();
		else this.wakeAt(lookAgainAt);
	}

	/** When a GET /Me is due, and on whose behalf; `undefined` when none is. */
	private nextQuestion(now: number): { visitor: Visitor; at: number } | undefined {
		if (this.isAskingMe) return undefined;
		const { closure } = this.service;
		if (closure === undefined) {
			const waiter = this.queue.find(({ visitor }) => this.needsPlan(visitor, now));
			return waiter && { visitor: waiter.visitor, at: this.planFreeAt(now) };
		}
		const [waiter] = this.queue;
		return closure.needsProbe && waiter ? { visitor: waiter.visitor, at: closure.until } : undefined;
	}

	/** Whether a call waits until the plan is known. The first call of a run does not: it may be the only one. */
	private needsPlan(visitor: Visitor, now: number): boolean {
		return visitor.keepToPlan && visitor !== visitor.run.first?.visitor && now >= this.planFreshUntil;
	}

	/** Sends GET /Me, which does no harm, and learns from the answer. */
	private async askMe({ service, signal }: Visitor): Promise<void> {
		this.isAskingMe = true;
		this.takeSlot();
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		const now = this.clock.now();
		this.isAskingMe = false;
		this.window.ended(now);
		// When the request was stopped together with its run, the next run sends one of its own.
		if (!isFailure(answer) || !signal.aborted) {
			if (!isFailure(answer)) this.window.learn(planOf(answer.body));
			const end = requestEnd(answer);
			const noPlanMs = isTurnedAway(end) ? PLAN_REFUSED_MS : NO_PLAN_MS;
			this.planFreshUntil = now + (isFailure(answer) ? noPlanMs : PLAN_FRESH_MS);
			this.service.askedMe(end, now, isFailure(answer) ? answer.waitMs : undefined);
		}
		if (this.queue.length > 0) this.wakeAt(now);
	}

	/** What a waiting call is told now, or at which moment at the latest to look again. */
	private answerTo(visitor: Visitor, now: number): Pass | NoPass | number {
		const { closure } = this.service;
		if (visitor.run.keyRefusals >= MOST_KEY_REFUSALS) return 'keyRefused';
		const leavesAt = this.leavesAt(visitor, now);
		if (leavesAt <= now) return this.pass(visitor);
		if (closure === undefined) return leavesAt;
		visitor.heldBy = closure.why;
		visitor.waitingSince ??= Math.max(closure.since, visitor.run.first?.at ?? now);
		const givesUpAt = visitor.waitingSince + visitor.maxWaitMs;
		// When a pause ends is known: a call that can't wait for that does not begin to.
		const isInVain = closure.why === 'pause' && givesUpAt < closure.until;
		return givesUpAt <= now || isInVain ? closure.why : Math.min(leavesAt, givesUpAt);
	}

	/** When a call may leave; Infinity when that depends on the end of another request, not on time. */
	private leavesAt(visitor: Visitor, now: number): number {
		const mayLeaveAt = this.service.callMayLeaveAt(now);
		if (!visitor.keepToPlan) return mayLeaveAt;
		// A trial needs no plan: it finds out whether there is anything to plan.
		if (this.service.closure === undefined && this.needsPlan(visitor, now)) return Infinity;
		return Math.max(mayLeaveAt, this.planFreeAt(now));
	}

	/** When the plan, or the share of it, has room for the next request. */
	private planFreeAt(now: number): number {
		return Math.max(this.window.slotFreeAt(now), this.share.dueAt(now));
	}

	private takeSlot(): void {
		const { knownPlan, share, window } = this;
		window.take();
		if (knownPlan !== undefined) share.take(this.clock.now(), knownPlan, window.filled >= 1);
	}

	private pass({ keepToPlan, run }: Visitor): Pass {
		const { share, window, service } = this;
		const departure = service.depart();
		this.takeSlot();
		return {
			leave: (end, waitMs) => {
				const now = this.clock.now();
				window.tidy(now);
				const { filled, knownPlan } = window;
				const keptToPlan = keepToPlan && knownPlan !== undefined && filled <= 1;
				window.ended(now);
				if (end === 'unauthorized') run.keyRefusals += 1;
				else if (end === 'answered') run.keyRefusals = 0;
				const beginsPause = service.ended(departure, end, now, waitMs);
				// A trial that is refused says that the plan is still used up, not that the share is too large.
				if (beginsPause && keptToPlan && end === 'throttled' && !departure.isTrial) {
					share.refused(now, service.closure?.until ?? now, filled);
				}
				// In a turn of its own: the end of this request may be the end of its run, whose other calls must not leave then.
				if (this.queue.length > 0) this.wakeAt(now);
			},
		};
	}

	/** Has the queue looked through at this moment or before. */
	private wakeAt(moment: number): void {
		if (moment === Infinity || moment >= (this.alarm?.at ?? Infinity)) return;
		this.silence();
		const off = new AbortController();
		this.alarm = { at: moment, off };
		void this.clock.sleep(moment - this.clock.now(), off.signal).then(() => {
			if (off.signal.aborted) return;
			this.alarm = undefined;
			this.letThrough();
		});
	}

	/** Stops the timer when the queue is empty: it may be set for the end of a plan's window, a day away. */
	private silence(): void {
		this.alarm?.off.abort();
		this.alarm = undefined;
	}
}

/** How many keys are remembered, unless more are in use, and for how long one is that is not used. */
const MOST_GATES = 200;
const IDLE_MS = 3_600_000;

/** The gates of this process, by service and key. */
const gates = new Map<string, KeyGate>();

/** The gate that all requests with this key to this service pass, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	if (gates.size > MOST_GATES) {
		const moment = systemClock.now() - IDLE_MS;
		for (const [other, gate] of gates) if (gate.isIdleSince(moment)) gates.delete(other);
	}
	const gate = gates.get(id) ?? new KeyGate(systemClock);
	gates.set(id, gate);
	gate.use();
	return gate;
}
