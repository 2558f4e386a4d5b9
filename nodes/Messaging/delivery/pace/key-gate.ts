import { ask, type Service } from '../../service/connect';
import { isFailure, isTurnedAway, type RequestEnd, requestEnd } from '../../service/endings';
import { ME, type Plan, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Availability, type Closure } from './availability';
import { PlanPace } from './plan';

/** The permission to make one request. */
export interface Pass {
	/**
	 * Must be called once, when the request has ended.
	 *
	 * @param waitMs how long the service asks to wait, if it says so
	 */
	leave(end: RequestEnd, waitMs?: number): void;
}

/** Why there is no pass. */
export type NoPass =
	/** The service asks to wait longer than the call may wait. */
	| 'pause'
	/** The service was failing for longer than the call may wait. */
	| 'outage'
	/** The service does not accept the key: several of the run's calls in a row got a 401. */
	| 'keyRefused'
	/** The run is over. */
	| 'halted';

/** What the gate remembers of a run; the same object for all of its calls. */
export interface RunAtGate {
	/** How many of its calls in a row were answered with 401. */
	keyRefusals: number;
	/** Its first call, and when that came. */
	first?: { readonly visitor: Visitor; readonly at: number };
}

/** A call at the gate; the same object for all of its tries. */
export interface Visitor {
	readonly run: RunAtGate;
	readonly service: Service;
	readonly keepToPlan: boolean;
	/** How long it may wait, in milliseconds, counted from `waitingSince`. */
	readonly maxWaitMs: number;
	/** Fires if the run ends early. */
	readonly signal: AbortSignal;
	/**
	 * When this call began to wait for the service, by the gate's clock. Time queued behind other items of the run counts
	 * too: so this is when the gate closed, or when the run began if that was later.
	 */
	waitingSince?: number;
	/** Why it was last held back by a closed gate. */
	heldBy?: Closure['why'];
}

/** Why calls are held back, since when and until when, if known; by the gate's clock. */
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
/** How long a known plan stays valid, and how long calls go without a plan if it could not be read. */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
/** The same if /Me was throttled: a plan that is used up is not shown, and a run can't keep to an unknown plan. */
const PLAN_REFUSED_MS = 1000;
/** After this many 401 answers in a row, nothing more of a run leaves. */
const MOST_KEY_REFUSALS = 3;

/**
 * All requests that this process makes with one key pass through here, whichever execution they belong to. They wait in
 * one queue, and leave when the key's plan (`PlanPace`) and the service (`Availability`) allow. The gate itself sends
 * GET /Me, one at a time: to read the plan, and as a probe while the service fails.
 */
export class KeyGate {
	private readonly plan = new PlanPace();

	private readonly service: Availability;

	private queue: Waiter[] = [];

	/** The one timer for the whole queue. */
	private alarm: { at: number; off: AbortController } | undefined;

	private planFreshUntil = -Infinity;

	private isAskingMe = false;

	constructor(
		private readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.service = new Availability(random);
	}

	/** How many requests of a run may be in flight, unless its user chose a number. */
	get bound(): number {
		return this.service.bound;
	}

	/** The plan in force; `undefined` when none is known. */
	get knownPlan(): Plan | undefined {
		return this.plan.knownPlan;
	}

	/** Whether calls are held back now, and why; `undefined` if they are not. */
	heldBack(keepToPlan: boolean): HeldBack | undefined {
		const now = this.clock.now();
		const until = this.plan.freeAt(now);
		return this.service.closure ?? (keepToPlan && until > now ? { why: 'plan', until } : undefined);
	}

	/**
	 * Whether the service has answered recently. If so, a failed connection is an outage, which the gate waits out;
	 * otherwise the address may be wrong.
	 */
	get isServiceKnown(): boolean {
		return this.service.isKnown(this.clock.now());
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		const { run, signal } = visitor;
		run.first ??= { visitor, at: this.clock.now() };
		const answer = new Promise<Pass | NoPass>((resolve) => this.queue.push({ visitor, resolve }));
		const onHalt = (): void => this.letThrough();
		signal.addEventListener('abort', onHalt);
		this.letThrough();
		return await answer.finally(() => signal.removeEventListener('abort', onHalt));
	}

	/** Answers the calls that need not wait any longer, and sets the timer for the others. */
	private letThrough(): void {
		const now = this.clock.now();
		let lookAgainAt = Infinity;
		const asking = this.queue.find(({ visitor }) => this.asksMe(visitor, now));
		if (asking !== undefined) {
			// Before the calls: after a burst, the plan would always be used up.
			const at = this.service.closure?.until ?? this.plan.freeAt(now);
			if (at <= now) void this.askMe(asking.visitor);
			else lookAgainAt = at;
		}
		this.queue = this.queue.filter(({ visitor, resolve }) => {
			const answer = this.answerTo(visitor, now);
			if (typeof answer === 'number') lookAgainAt = Math.min(lookAgainAt, answer);
			else resolve(answer);
			return typeof answer === 'number';
		});
		// The timer of an empty queue might be set for the end of a plan's window, a day away.
		if (this.queue.length === 0) this.silence();
		else this.wakeAt(lookAgainAt);
	}

	/** Whether a GET /Me is due on behalf of this call: as a probe, or to read the plan. */
	private asksMe(visitor: Visitor, now: number): boolean {
		if (this.isAskingMe || visitor.signal.aborted) return false;
		return this.service.closure?.needsProbe ?? this.needsPlan(visitor, now);
	}

	/** Whether a call must wait for the plan. The first call of a run need not: it may be the only one. */
	private needsPlan(visitor: Visitor, now: number): boolean {
		return visitor.keepToPlan && visitor !== visitor.run.first?.visitor && now >= this.planFreshUntil;
	}

	/** Sends GET /Me, which changes nothing, and learns from the answer. */
	private async askMe({ service, signal }: Visitor): Promise<void> {
		this.isAskingMe = true;
		this.plan.take(this.clock.now());
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		const now = this.clock.now();
		this.isAskingMe = false;
		this.plan.ended(now);
		const end = requestEnd(answer);
		if (!isFailure(answer)) {
			this.plan.learn(planOf(answer.body));
			this.planFreshUntil = now + PLAN_FRESH_MS;
			this.service.askedMe(end, now);
		} else if (!signal.aborted) {
			this.planFreshUntil = now + (isTurnedAway(end) ? PLAN_REFUSED_MS : NO_PLAN_MS);
			this.service.askedMe(end, now, answer.waitMs);
		}
		// If the request was stopped together with its run, the next run sends another.
		this.wakeAt(now);
	}

	/** The answer to a waiting call, or the latest moment to check again. */
	private answerTo(visitor: Visitor, now: number): Pass | NoPass | number {
		const { closure } = this.service;
		if (visitor.signal.aborted) return 'halted';
		if (visitor.run.keyRefusals >= MOST_KEY_REFUSALS) return 'keyRefused';
		const leavesAt = this.leavesAt(visitor, now);
		if (leavesAt <= now) return this.pass(visitor);
		if (closure === undefined) return leavesAt;
		visitor.heldBy = closure.why;
		visitor.waitingSince ??= Math.max(closure.since, visitor.run.first?.at ?? now);
		const givesUpAt = visitor.waitingSince + visitor.maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = closure.why === 'pause' && givesUpAt < closure.until;
		return givesUpAt <= now || isInVain ? closure.why : Math.min(leavesAt, givesUpAt);
	}

	/** When a call may leave; Infinity if that depends on the end of another request. */
	private leavesAt(visitor: Visitor, now: number): number {
		const mayLeaveAt = this.service.callMayLeaveAt(now);
		if (!visitor.keepToPlan) return mayLeaveAt;
		// A trial needs no plan: it finds out whether calls can leave at all.
		if (this.service.closure === undefined && this.needsPlan(visitor, now)) return Infinity;
		return Math.max(mayLeaveAt, this.plan.freeAt(now));
	}

	private pass({ keepToPlan, run }: Visitor): Pass {
		const { plan, service } = this;
		const departure = service.depart();
		plan.take(this.clock.now());
		return {
			leave: (end, waitMs) => {
				const now = this.clock.now();
				plan.ended(now);
				if (end === 'unauthorized') run.keyRefusals += 1;
				else if (end === 'answered') run.keyRefusals = 0;
				const beginsPause = service.ended(departure, end, now, waitMs);
				// A refused trial means that the plan is still used up, not that the share is too large.
				if (beginsPause && end === 'throttled' && keepToPlan) {
					plan.refused(now, service.closure?.until ?? now);
				}
				// In another turn: this end may end the run too, and the run's other calls must not leave then.
				this.wakeAt(now);
			},
		};
	}

	/** Makes sure that the queue is checked at this moment or earlier. */
	private wakeAt(moment: number): void {
		if (this.queue.length === 0 || moment >= (this.alarm?.at ?? Infinity)) return;
		this.silence();
		const off = new AbortController();
		this.alarm = { at: moment, off };
		void this.clock.sleep(moment - this.clock.now(), off.signal).then(() => {
			if (off.signal.aborted) return;
			this.alarm = undefined;
			this.letThrough();
		});
	}

	private silence(): void {
		this.alarm?.off.abort();
		this.alarm = undefined;
	}
}

/** How many gates are kept. */
const MOST_GATES = 1000;

/** The gates of this process by service and key, the least recently used first. */
const gates = new Map<string, KeyGate>();

/** The gate for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	const gate = gates.get(id) ?? new KeyGate(systemClock);
	gates.delete(id);
	gates.set(id, gate);
	const [oldest = id] = gates.keys();
	if (gates.size > MOST_GATES) gates.delete(oldest);
	return gate;
}
