import { ask, type Service } from '../../service/connect';
import { isFailure, type RequestEnd, requestEnd } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import type { RunStats } from '../run-stats';
import { Availability } from './availability';
import type { Hold, What } from './circuit';
import { PlanSlots } from './slots';

/** The permission to make one request; `leave` must be called once, when it has ended. */
export type Pass = { readonly kind: 'pass'; readonly leave: Ended };

/** The call must not leave: it has waited for as long as it may, the service refuses the key, or the run is over. */
export type NoPass = {
	readonly kind: 'noPass';
	readonly why: Hold['why'] | 'comeBack' | 'keyRefused' | 'halted';
};

/** The call waits, for a closed gate, the plan or GET /Me, until then at most: the gate looks at it again. */
export type NotBefore = Hold<Hold['why'] | 'plan' | 'me'> & { readonly kind: 'notBefore' };

/** A call at the gate; the same object for all of its tries. */
export interface Visitor {
	readonly run: RunStats;
	readonly service: Service;
	/** Calls without a channel have '', and form one group. */
	readonly channel: string;
	readonly keepToPlan: boolean;
	/** How long it may be held back by a closed gate, in milliseconds. */
	readonly maxWaitMs: number;
	/** Fires if the run ends early. */
	readonly signal: AbortSignal;
	/** Whether it is the first one of its run. */
	isFirst?: boolean;
	/** When it was first told to come back later, or found that the service was down. */
	waitingSince?: number;
	/** What it waits for now. */
	heldBy?: NotBefore | undefined;
}

/** Called when a request has ended, with how long the service asks to wait, if it says so. */
type Ended = (end: RequestEnd, waitMs?: number) => void;

type Waiter = readonly [visitor: Visitor, resolve: (answer: Pass | NoPass) => void];

/** How long to wait for the answer to GET /Me: runs are held up meanwhile. */
const ME_TIMEOUT_MS = 10_000;
/** For how long the plan is not asked for again: if it was shown, if it was not, and if GET /Me itself was refused. */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
const PLAN_REFUSED_MS = 1000;

/**
 * All requests that this process makes with one key pass through here, whichever execution they belong to. Runs take
 * turns: one call of each run that may leave, then again. A call may leave when the key's plan (`PlanSlots`), the service
 * and its channel (`Availability`) allow. The gate itself sends GET /Me, one at a time: to read the plan, and to find out
 * whether the service fails or only a channel.
 */
export class KeyGate {
	readonly slots = new PlanSlots();
	readonly availability: Availability;
	/** The waiting calls of each run in order of arrival, and the runs in the order of their turns. */
	private readonly lines = new Map<RunStats, Waiter[]>();
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

	/** The call of a run that has waited longest; `undefined` if none waits. */
	waitingOf(run: RunStats): Visitor | undefined {
		return this.lines.get(run)?.[0]?.[0];
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		const { run, signal } = visitor;
		visitor.isFirst ??= run.beganAt === undefined;
		run.beganAt ??= this.clock.now();
		// All calls of a run have the same signal, and add this listener once.
		signal.addEventListener('abort', this.ring);
		return await new Promise((resolve) => {
			const line = this.lines.get(run) ?? [];
			line.push([visitor, resolve]);
			this.lines.set(run, line);
			if (this.bell === undefined) void this.serve();
			else this.ring();
		});
	}

	// With a reason of its own: the usual one is an error, which takes longer to make than all the rest.
	private readonly ring = (): void => this.bell?.abort('rung');

	/** Lets calls through until nobody waits. */
	private async serve(): Promise<void> {
		for (let lookAgainAt = this.letThrough(); this.lines.size > 0; lookAgainAt = this.letThrough()) {
			this.bell = new AbortController();
			await this.clock.sleep(lookAgainAt - this.clock.now(), this.bell.signal);
			// In another turn: an end may end its run too, and the run's other calls must not leave then.
			await this.clock.sleep(0);
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
		for (const [run, line] of this.lines) {
			const answered = line.findIndex(([visitor, resolve]) => {
				const answer = this.answerTo(visitor, now);
				if (answer.kind === 'notBefore') lookAgainAt = Math.min(lookAgainAt, answer.until);
				else resolve(answer);
				return answer.kind !== 'notBefore';
			});
			if (answered === -1) continue;
			line.splice(answered, 1);
			// The run had its turn: this loop comes to it again after all others.
			this.lines.delete(run);
			if (line.length > 0) this.lines.set(run, line);
		}
		return lookAgainAt;
	}

	private answerTo(visitor: Visitor, now: number): Pass | NoPass | NotBefore {
		const { channel, heldBy, maxWaitMs, run, signal, waitingSince = Infinity } = visitor;
		if (heldBy !== undefined) {
			run.waitedMs[heldBy.why] = Math.max(run.waitedMs[heldBy.why], now - heldBy.since);
		}
		visitor.heldBy = undefined;
		if (signal.aborted) return { kind: 'noPass', why: 'halted' };
		if (run.over !== undefined) return { kind: 'noPass', why: run.over };
		const closure = this.availability.closureOf(channel);
		// The gate may be open: other calls have more luck.
		if (waitingSince + maxWaitMs <= now) return { kind: 'noPass', why: closure?.why ?? 'pause' };
		const leavesAt = this.leavesAt(visitor, now);
		if (leavesAt <= now) return { kind: 'pass', leave: this.depart(visitor, 'call') };
		if (closure === undefined) {
			const why = this.isAskingMe ? 'me' : 'plan';
			const since = heldBy?.why === why ? heldBy.since : now;
			return (visitor.heldBy = { kind: 'notBefore', why, since, until: leavesAt });
		}
		// Time queued behind other calls of the run counts too, but not the time before the run.
		const since = Math.max(closure.since, run.beganAt ?? now);
		const givesUpAt = Math.min(since, waitingSince) + maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (closure.why === 'pause' && givesUpAt < closure.until);
		if (isInVain) return { kind: 'noPass', why: closure.why };
		const until = Math.min(leavesAt, givesUpAt);
		return (visitor.heldBy = { kind: 'notBefore', why: closure.why, since, until });
	}

	/** When a call may leave, as far as that is known. If it needs the answer to GET /Me, that is asked for first. */
	private leavesAt(visitor: Visitor, now: number): number {
		const { channel, keepToPlan, run } = visitor;
		const { closure, state } = this.availability.service;
		const planAllowsAt = this.slots.freeAt(now);
		// The first call of a run does not wait for the plan: it may be the only one.
		const needsPlan = keepToPlan && visitor.isFirst !== true && now >= this.planFreshUntil;
		// A trial needs no plan: it finds out whether calls can leave at all.
		if (closure === undefined ? needsPlan : state === 'failing') {
			const asksAt = closure?.until ?? planAllowsAt;
			if (asksAt <= now && !this.isAskingMe) void this.askMe(visitor);
			return this.isAskingMe ? Infinity : asksAt;
		}
		if (run.inFlight >= run.mostInFlight) return Infinity;
		return Math.max(keepToPlan ? planAllowsAt : now, this.availability.callMayLeaveAt(channel, now));
	}

	/** Sends GET /Me, which changes nothing, and learns from the answer. */
	private async askMe(visitor: Visitor): Promise<void> {
		const { service, signal } = visitor;
		this.isAskingMe = true;
		const ended = this.depart(visitor, 'me');
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		this.isAskingMe = false;
		const now = this.clock.now();
		if (!isFailure(answer)) {
			this.slots.plan = planOf(answer.body);
			if (this.slots.plan !== undefined) this.availability.planShown();
			this.planFreshUntil = now + PLAN_FRESH_MS;
			ended('answered');
		} else if (signal.aborted) {
			// It was stopped together with its run. The next run sends another.
			ended('silent');
		} else {
			// A plan that is used up is not shown, and a run can't keep to an unknown plan.
			this.planFreshUntil = now + (answer.cause === 'throttled' ? PLAN_REFUSED_MS : NO_PLAN_MS);
			const end = requestEnd(answer);
			ended(end === 'silent' ? 'doubtful' : end, answer.waitMs);
		}
		for (const { wake } of this.lines.keys()) wake?.();
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	private depart({ channel, keepToPlan, maxWaitMs, run }: Visitor, what: What): Ended {
		const wanted = [...this.lines].reduce((sum, [{ left }, line]) => sum + Math.max(left, line.length), 0);
		this.slots.take(this.clock.now(), wanted);
		if (what === 'call') run.leave();
		const ended = this.availability.depart(what, channel);
		return (end, waitMs = 0) => {
			const now = this.clock.now();
			const { state } = this.availability.service;
			if (what === 'call') run.ended(end);
			this.slots.ended(now);
			this.ring();
			// If the service asks for longer than the call may wait, its run is over, and other runs find out for themselves.
			const isOver = waitMs > maxWaitMs;
			if (isOver) run.comeBackAt = now + waitMs;
			ended(end, now, isOver ? 0 : waitMs);
			const { closure } = this.availability.service;
			// A refused trial means that the plan is still used up, not that the share is too large.
			if (end === 'throttled' && keepToPlan && state === 'open' && closure !== undefined) {
				this.slots.refused(now, closure.until);
			}
		};
	}
}

/** The gates of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The gate for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
