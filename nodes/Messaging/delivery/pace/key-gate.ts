import { ask, type Service } from '../../service/connect';
import { isFailure, isTurnedAway, type RequestEnd, requestEnd } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Availability, type Closure, type Departure } from './availability';
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
	/** When the key's plan allows the next request. */
	readonly pace = new PlanPace();

	/** Whether the service takes calls now, and how many at once. */
	readonly availability: Availability;

	private queue: Waiter[] = [];

	/** Wakes the gate before its time; `undefined` while nobody waits. */
	private bell: AbortController | undefined;

	private planFreshUntil = -Infinity;

	private isAskingMe = false;

	constructor(
		private readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.availability = new Availability(random);
	}

	/** Whether calls are held back now, and why; `undefined` if they are not. */
	heldBack(keepToPlan: boolean): HeldBack | undefined {
		const now = this.clock.now();
		const until = this.pace.freeAt(now);
		return this.availability.closure ?? (keepToPlan && until > now ? { why: 'plan', until } : undefined);
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		visitor.run.first ??= { visitor, at: this.clock.now() };
		// All calls of a run have the same signal, and add this listener once.
		visitor.signal.addEventListener('abort', this.ring);
		return await new Promise((resolve) => {
			this.queue.push({ visitor, resolve });
			if (this.bell === undefined) void this.serve();
			else this.ring();
		});
	}

	private readonly ring = (): void => this.bell?.abort();

	/** Lets calls through until nobody waits. */
	private async serve(): Promise<void> {
		let lookAgainAt = this.letThrough();
		while (this.queue.length > 0) {
			this.bell = new AbortController();
			await this.clock.sleep(lookAgainAt - this.clock.now(), this.bell.signal);
			// In another turn: an end may end its run too, and the run's other calls must not leave then.
			await this.clock.sleep(0);
			lookAgainAt = this.letThrough();
		}
		this.bell = undefined;
	}

	/**
	 * Answers the calls that need not wait any longer.
	 *
	 * @returns the latest moment to look at the others again
	 */
	private letThrough(): number {
		const now = this.clock.now();
		let lookAgainAt = Infinity;
		const { closure } = this.availability;
		const asking = this.queue.find(
			({ visitor }) => !visitor.signal.aborted && (closure?.needsProbe ?? this.needsPlan(visitor, now)),
		);
		if (asking !== undefined && !this.isAskingMe) {
			// Before the calls: after a burst, the plan would always be used up.
			lookAgainAt = closure?.until ?? this.pace.freeAt(now);
			if (lookAgainAt <= now) void this.askMe(asking.visitor);
		}
		this.queue = this.queue.filter(({ visitor, resolve }) => {
			const answer = this.answerTo(visitor, now);
			if (typeof answer === 'number') lookAgainAt = Math.min(lookAgainAt, answer);
			else resolve(answer);
			return typeof answer === 'number';
		});
		return lookAgainAt;
	}

	/** Whether a call must wait for the plan. The first call of a run need not: it may be the only one. */
	private needsPlan(visitor: Visitor, now: number): boolean {
		return visitor.keepToPlan && visitor !== visitor.run.first?.visitor && now >= this.planFreshUntil;
	}

	/** Sends GET /Me, which changes nothing, and learns from the answer. */
	private async askMe({ service, signal }: Visitor): Promise<void> {
		this.isAskingMe = true;
		const departure = this.depart('me');
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		const now = this.clock.now();
		this.isAskingMe = false;
		this.pace.ended(now);
		this.ring();
		const end = requestEnd(answer);
		if (!isFailure(answer)) {
			this.pace.plan = planOf(answer.body);
			this.planFreshUntil = now + PLAN_FRESH_MS;
			this.availability.ended(departure, end, now);
		} else if (!signal.aborted) {
			this.planFreshUntil = now + (isTurnedAway(end) ? PLAN_REFUSED_MS : NO_PLAN_MS);
			this.availability.ended(departure, end, now, answer.waitMs);
		}
		// If the request was stopped together with its run, the next run sends another.
	}

	/** The answer to a waiting call, or the latest moment to check again. */
	private answerTo(visitor: Visitor, now: number): Pass | NoPass | number {
		const { closure } = this.availability;
		if (visitor.signal.aborted) return 'halted';
		if (visitor.run.keyRefusals >= MOST_KEY_REFUSALS) return 'keyRefused';
		// A trial needs no plan: it finds out whether calls can leave at all.
		const waitsForPlan = closure === undefined && this.needsPlan(visitor, now);
		const planAllowsAt = visitor.keepToPlan ? this.pace.freeAt(now) : now;
		const leavesAt = waitsForPlan ? Infinity : Math.max(planAllowsAt, this.availability.callMayLeaveAt(now));
		if (leavesAt <= now) return this.pass(visitor);
		if (closure === undefined) return leavesAt;
		visitor.heldBy = closure.why;
		visitor.waitingSince ??= Math.max(closure.since, visitor.run.first?.at ?? now);
		const givesUpAt = visitor.waitingSince + visitor.maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = closure.why === 'pause' && givesUpAt < closure.until;
		return givesUpAt <= now || isInVain ? closure.why : Math.min(leavesAt, givesUpAt);
	}

	private pass({ keepToPlan, run }: Visitor): Pass {
		const departure = this.depart('call');
		return {
			leave: (end, waitMs) => {
				const now = this.clock.now();
				this.pace.ended(now);
				this.ring();
				if (end === 'unauthorized') run.keyRefusals += 1;
				else if (end === 'answered') run.keyRefusals = 0;
				const beginsPause = this.availability.ended(departure, end, now, waitMs);
				// A refused trial means that the plan is still used up, not that the share is too large.
				if (beginsPause && end === 'throttled' && keepToPlan) {
					this.pace.refused(now, this.availability.closure?.until ?? now);
				}
			},
		};
	}

	private depart(what: Departure['what']): Departure {
		this.pace.take(this.clock.now());
		return this.availability.depart(what);
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
