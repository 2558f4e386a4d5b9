import { isTurnedAway, type RequestEnd } from '../../service/endings';
import type { Plan } from '../../service/plan';
import type { Clock } from '../../shared/clock';
import { Availability } from './availability';
import { PlanShare } from './plan-share';
import { PlanWindow } from './plan-window';

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
	| 'pausedTooLong'
	/** The service was failing for longer than the call may wait. */
	| 'downTooLong'
	/** The service does not accept the key: the run has had that answer several times in a row. */
	| 'keyRefused'
	/** The run is over. */
	| 'halted';

/** What the gate keeps of a run; the same object for all of its calls. */
export interface RunAtGate {
	/** How many of its calls in a row were answered with 401. */
	keyRefusals: number;
	/** The closure at which its calls were held back last, by the moment it began, and since when they were. */
	heldBack?: { closedAt: number; since: number };
}

/** A call that wants to pass the gate, with each of its tries. */
export interface Visitor {
	readonly keepToPlan: boolean;
	/** How long to wait, in milliseconds, counted from `waitingSince`. */
	readonly maxWaitMs: number;
	/**
	 * When this call was first held back by a closed gate, or told to wait by the service, by the gate's clock. A call
	 * that comes while others of its run wait has waited with them: a run does not wait once for each of its calls.
	 */
	waitingSince?: number;
	/** Set when it was held back because the service was failing. */
	metOutage?: boolean;
	readonly run: RunAtGate;
	/** Fires when the run is over before its time. */
	readonly signal: AbortSignal;
	/** Sends GET /Me with the key, once. Must not reject. */
	readonly askMe: () => Promise<MeAnswer>;
	/** Whether it wants to ask for the plan, which a probe does as well. */
	readonly isPlanRequest?: boolean;
}

/** How a GET /Me ended. */
export interface MeAnswer {
	end: RequestEnd;
	/** How long the service asks to wait, where it says so. */
	waitMs?: number | undefined;
	/** What was found out, if anything: the plan, `undefined` when the key shows none. */
	found?: { plan: Plan | undefined };
}

/** That calls are held back now: why, since when, and until when if that is known; by the gate's clock. */
export interface HeldBack {
	readonly why: 'plan' | 'pause' | 'outage';
	readonly since: number;
	readonly until?: number;
}

interface Waiter {
	readonly visitor: Visitor;
	readonly since: number;
	resolve(answer: Pass | NoPass): void;
}

/** How long the plan counts once it is known, and how long calls go without one when it could not be found out. */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
/** When the service refuses to show the plan for now it is requested again this soon, unless it asks for a later time. */
const PLAN_RETRY_MS = 1000;
/** After so many answers in a row that the key is not accepted, nothing more of a run leaves. */
const MOST_KEY_REFUSALS = 3;

/**
 * All requests that this process makes with one key pass here, whichever execution they belong to. They wait in one
 * queue, and leave as the key's plan (`PlanWindow`, `PlanShare`) and the service (`Availability`) allow.
 */
export class KeyGate {
	private readonly window = new PlanWindow();

	private readonly share = new PlanShare();

	private readonly service: Availability;

	private queue: Waiter[] = [];

	/** The one sleeper that looks after the queue. */
	private alarm: { at: number; off: AbortController } | undefined;

	private planFreshUntil = -Infinity;

	private planRequest: Promise<void> | undefined;

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
		const now = this.clock.now();
		const { closure } = this.service;
		if (closure !== undefined) {
			const { why, since, until } = closure;
			// How long an outage lasts is not known: only when the service is tried again.
			return why === 'pause' && until > now ? { why, since, until } : { why, since };
		}
		const planFreeAt = this.planFreeAt(now);
		if (!keepToPlan || planFreeAt <= now) return undefined;
		const since = this.queue.find(({ visitor }) => visitor.keepToPlan)?.since ?? now;
		return planFreeAt === Infinity ? { why: 'plan', since } : { why: 'plan', since, until: planFreeAt };
	}

	/** Whether nothing is going on here, so that the gate may be forgotten without forgetting what counts. */
	isIdleSince(moment: number): boolean {
		return this.window.isIdleSince(moment) && (this.service.closure?.until ?? -Infinity) < moment;
	}

	/**
	 * Whether the service has answered lately, so that a connection that can't be made is an outage, which the gate waits
	 * out. Otherwise its address may be wrong.
	 */
	get isServiceKnown(): boolean {
		return this.service.isKnown(this.clock.now());
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
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
				since: this.clock.now(),
				resolve: (answer) => {
					signal.removeEventListener('abort', halt);
					resolve(answer);
				},
			};
			signal.addEventListener('abort', halt, { once: true });
			// At the end of the queue GET /Me would always come after a burst that has used the plan up. After a pause it may
			// be the trial: a run that does not know the plan could else be kept out by others that do for a minute.
			if (visitor.isPlanRequest === true) this.queue.unshift(waiter);
			else this.queue.push(waiter);
			this.letThrough();
		});
	}

	/**
	 * Finds out the key's plan, unless it is known: to be awaited before the second call of a run leaves. Runs that want
	 * to know at the same time share one request. It counts against the plan, and waits like a call. Never rejects; ends
	 * early when the visitor's run is over.
	 */
	async learnPlan(visitor: Visitor): Promise<void> {
		while (this.clock.now() >= this.planFreshUntil && !visitor.signal.aborted) {
			const isOwn = this.planRequest === undefined;
			this.planRequest ??= this.requestPlan(visitor).finally(() => (this.planRequest = undefined));
			await this.orAborted(this.planRequest, visitor.signal);
			// Another run's request may have ended with that run: then this one makes its own.
			if (isOwn) return;
		}
	}

	private async requestPlan(visitor: Visitor): Promise<void> {
		const pass = await this.enter({ ...visitor, isPlanRequest: true });
		if (typeof pass === 'string') return;
		const { end, waitMs = 0, found } = await visitor.askMe();
		// That it was refused, or failed, need not be so for calls.
		pass.leave(end === 'answered' ? end : 'silent');
		const now = this.clock.now();
		this.service.askedMe(end, now);
		if (found !== undefined) this.learn(found);
		// While the plan is used up it is not shown either, and without it nobody can keep to it: not a whole minute then.
		else if (isTurnedAway(end))
			this.planFreshUntil = now + Math.min(NO_PLAN_MS, Math.max(waitMs, PLAN_RETRY_MS));
		else if (!visitor.signal.aborted) this.planFreshUntil = now + NO_PLAN_MS;
	}

	private learn({ plan }: { plan: Plan | undefined }): void {
		this.window.learn(plan);
		this.planFreshUntil = this.clock.now() + PLAN_FRESH_MS;
	}

	private async orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
		let stop: () => void = () => {};
		const aborted = new Promise<void>((resolve) => (stop = resolve));
		signal.addEventListener('abort', stop, { once: true });
		await Promise.race([promise, aborted]);
		signal.removeEventListener('abort', stop);
	}

	/** Answers those who need not wait any longer, and sees to it that somebody looks after the rest. */
	private letThrough(): void {
		const now = this.clock.now();
		this.window.tidy(now);
		let lookAgainAt = Infinity;
		this.queue = this.queue.filter((waiter) => {
			const answer = this.answerTo(waiter.visitor, now);
			if (typeof answer !== 'number') waiter.resolve(answer);
			else lookAgainAt = Math.min(lookAgainAt, answer);
			return typeof answer === 'number';
		});
		const [first] = this.queue;
		if (first === undefined) return this.silence();
		const { probeDueAt } = this.service;
		if (probeDueAt <= now) void this.probe(first.visitor);
		else lookAgainAt = Math.min(lookAgainAt, probeDueAt);
		this.wakeAt(lookAgainAt);
	}

	/** What a waiting call is told now, or at which moment at the latest to look again. */
	private answerTo(visitor: Visitor, now: number): Pass | NoPass | number {
		const { closure } = this.service;
		if (visitor.run.keyRefusals >= MOST_KEY_REFUSALS) return 'keyRefused';
		// The probe tells the plan, and only a call can tell whether calls are taken again.
		if (visitor.isPlanRequest === true && closure?.why === 'outage') return 'downTooLong';
		const leavesAt = this.leavesAt(now, visitor);
		if (leavesAt <= now) return this.pass(visitor);
		if (closure === undefined) return leavesAt;
		const { run } = visitor;
		if (run.heldBack?.closedAt !== closure.since) run.heldBack = { closedAt: closure.since, since: now };
		visitor.waitingSince ??= run.heldBack.since;
		if (closure.why === 'outage') visitor.metOutage = true;
		const givesUpAt = visitor.waitingSince + visitor.maxWaitMs;
		if (closure.why === 'outage') return givesUpAt <= now ? 'downTooLong' : Math.min(leavesAt, givesUpAt);
		// The end of a pause is known: whoever can't wait for it need not begin to.
		return givesUpAt <= now || givesUpAt < closure.until ? 'pausedTooLong' : Math.min(leavesAt, givesUpAt);
	}

	/** Asks a failing service, on behalf of a call that waits, for something that does no harm. */
	private async probe({ askMe, signal }: Visitor): Promise<void> {
		this.service.probe();
		this.window.take();
		const { end, waitMs, found } = await askMe();
		const now = this.clock.now();
		this.window.ended(now);
		// One that was kept back here, but not because its run was stopped, must not be made again at once.
		this.service.probed(end === 'silent' && !signal.aborted ? 'doubtful' : end, now, waitMs);
		if (found !== undefined) this.learn(found);
		if (this.queue.length > 0) this.wakeAt(now);
	}

	/** When a call may leave; Infinity when that depends on the end of another, not on time. */
	private leavesAt(now: number, { keepToPlan }: Visitor): number {
		const callMayLeaveAt = this.service.callMayLeaveAt(now);
		return keepToPlan ? Math.max(callMayLeaveAt, this.planFreeAt(now)) : callMayLeaveAt;
	}

	/** When the plan, or the share of it, has room for the next request. */
	private planFreeAt(now: number): number {
		return Math.max(this.window.slotFreeAt(now), this.share.dueAt(now));
	}

	private pass({ run }: Visitor): Pass {
		const { knownPlan, share, window, service } = this;
		const departure = service.depart();
		window.take();
		if (knownPlan !== undefined) share.take(this.clock.now(), knownPlan, window.isFull);
		const { isKept } = window;
		return {
			leave: (end, waitMs) => {
				const now = this.clock.now();
				window.tidy(now);
				// A call that does not keep to the plan may have taken a slot in between.
				const keptToPlan = isKept && window.isKept;
				const { filled } = window;
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

	/** Nobody waits any more: a window may be a day long. */
	private silence(): void {
		this.alarm?.off.abort();
		this.alarm = undefined;
	}
}
