import { ask, type Service } from '../../service/connect';
import { isFailure, isTurnedAway, type RequestEnd, requestEnd } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { Availability } from './availability';
import type { Closure } from './circuit';
import { PlanSlots } from './slots';

/** The permission to make one request. */
export interface Pass {
	readonly kind: 'pass';
	/** Must be called once, when the request has ended, with how long the service asks to wait, if it says so. */
	leave(end: RequestEnd, waitMs?: number): void;
}

/** The call must not leave: it has waited for as long as it may, the service refuses the key, or the run is over. */
export interface NoPass {
	readonly kind: 'noPass';
	readonly why: Closure['why'] | 'comeBack' | 'keyRefused' | 'halted';
	/** What it waited for. */
	readonly closure?: Closure;
}

/** The call waits: for what, since when, and until when at least. */
export interface NotBefore extends Omit<Closure, 'why'> {
	readonly kind: 'notBefore';
	readonly why: Closure['why'] | 'plan' | 'me';
	/** When to look at it again at the latest. */
	readonly lookAt: number;
}

/** What the gate remembers of a run; the same object for all of its calls. */
export interface RunAtGate {
	/** How many of its calls in a row were answered with 401. */
	keyRefusals: number;
	/** When the service asks to come back, if that is later than one of its calls may wait. Nothing more of it leaves. */
	comeBackAt?: number;
	/** How many of its calls are in flight, and how many may be. */
	inFlight: number;
	readonly mostInFlight: number;
	/** How many calls it has still to make, as far as that is known. */
	left: number;
	/** Called when calls to other channels may have become possible. */
	wake?(): void;
	/** Its first call, and when that came. */
	first?: { readonly visitor: Visitor; readonly at: number };
}

/** A call at the gate; the same object for all of its tries. */
export interface Visitor {
	readonly run: RunAtGate;
	readonly service: Service;
	/** Calls without a channel have '', and form one group. */
	readonly channel: string;
	readonly keepToPlan: boolean;
	/** How long it may be held back by a closed gate, in milliseconds. */
	readonly maxWaitMs: number;
	/** Fires if the run ends early. */
	readonly signal: AbortSignal;
	/** When the service first told it to come back later. */
	waitingSince?: number;
	/** What it waited for when the gate last looked. */
	heldBy?: NotBefore;
}

type Waiter = readonly [visitor: Visitor, resolve: (answer: Pass | NoPass) => void];

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
 * All requests that this process makes with one key pass through here, whichever execution they belong to. Runs take
 * turns: one call of each run that may leave, then again. A call may leave when the key's plan (`PlanSlots`), the service
 * and its channel (`Availability`) allow. The gate itself sends GET /Me, one at a time: to read the plan, and to find out
 * whether the service fails or only a channel.
 */
export class KeyGate {
	/** When the key's plan allows the next request. */
	readonly slots = new PlanSlots();

	/** Whether the service takes calls now, and how many at once. */
	readonly availability: Availability;

	/** The waiting calls of each run in order of arrival, and the runs in the order of their turns. */
	private readonly lines = new Map<RunAtGate, Waiter[]>();

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

	/** Why calls to a channel are held back now; without a channel, why all are. `undefined` if they are not. */
	heldBack(channel?: string): Closure | undefined {
		return this.availability.closureOf(channel);
	}

	/** The call of a run that waits for a closed gate, or else for the plan; `undefined` if none waits. */
	waitingOf(run: RunAtGate): Visitor | undefined {
		const visitors = this.lines.get(run)?.map(([visitor]) => visitor) ?? [];
		const isHeld = ({ heldBy }: Visitor): boolean => !['plan', 'me', undefined].includes(heldBy?.why);
		return visitors.find(isHeld) ?? visitors[0];
	}

	/** Waits for permission to make one request. */
	async enter(visitor: Visitor): Promise<Pass | NoPass> {
		const { run, signal } = visitor;
		run.first ??= { visitor, at: this.clock.now() };
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

	private readonly ring = (): void => this.bell?.abort();

	/** Lets calls through until nobody waits. */
	private async serve(): Promise<void> {
		let lookAgainAt = this.letThrough();
		while (this.lines.size > 0) {
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
		let lookAgainAt = this.askMeIfNeeded(now);
		for (const [run, line] of this.lines) {
			const answered = line.findIndex(([visitor, resolve]) => {
				const answer = this.answerTo(visitor, now);
				if (answer.kind !== 'notBefore') resolve(answer);
				else lookAgainAt = Math.min(lookAgainAt, answer.lookAt);
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

	/** Asks for GET /Me if a call waits for it: before the calls, as after a burst the plan would always be used up. */
	private askMeIfNeeded(now: number): number {
		const { needsProbe } = this.availability;
		const closure = this.heldBack();
		const isAsking = ([visitor]: Waiter): boolean =>
			!visitor.signal.aborted && (closure === undefined ? this.needsPlan(visitor, now) : needsProbe);
		const [visitor] = [...this.lines.values()].flat().find(isAsking) ?? [];
		if (visitor === undefined || this.isAskingMe) return Infinity;
		const at = closure?.until ?? this.slots.freeAt(now);
		if (at <= now) void this.askMe(visitor);
		return at;
	}

	/** Whether a call must wait for the plan. The first call of a run need not: it may be the only one. */
	private needsPlan(visitor: Visitor, now: number): boolean {
		return visitor.keepToPlan && visitor !== visitor.run.first?.visitor && now >= this.planFreshUntil;
	}

	/** Sends GET /Me, which changes nothing, and learns from the answer. */
	private async askMe(visitor: Visitor): Promise<void> {
		const { service, signal } = visitor;
		this.isAskingMe = true;
		this.slots.take(this.clock.now());
		const ended = this.availability.depart('me');
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		const now = this.clock.now();
		this.isAskingMe = false;
		this.slots.ended(now);
		this.ring();
		const end = requestEnd(answer);
		if (!isFailure(answer)) {
			this.slots.plan = planOf(answer.body);
			this.planFreshUntil = now + PLAN_FRESH_MS;
			ended(end, now);
		} else if (!signal.aborted) {
			this.planFreshUntil = now + (isTurnedAway(end) ? PLAN_REFUSED_MS : NO_PLAN_MS);
			ended(end, now, pauseFor(visitor, now, answer.waitMs));
		}
		// If the request was stopped together with its run, the next run sends another.
		for (const { wake } of this.lines.keys()) wake?.();
	}

	private answerTo(visitor: Visitor, now: number): Pass | NoPass | NotBefore {
		const { channel, keepToPlan, maxWaitMs, run, waitingSince = Infinity } = visitor;
		if (visitor.signal.aborted) return { kind: 'noPass', why: 'halted' };
		if (run.keyRefusals >= MOST_KEY_REFUSALS) return { kind: 'noPass', why: 'keyRefused' };
		if (run.comeBackAt !== undefined) return { kind: 'noPass', why: 'comeBack' };
		// A trial needs no plan: it finds out whether calls can leave at all.
		const needsPlan = this.heldBack() === undefined && this.needsPlan(visitor, now);
		const mustWait = needsPlan || run.inFlight >= run.mostInFlight;
		const planAllowsAt = keepToPlan ? this.slots.freeAt(now) : now;
		const availableAt = mustWait ? Infinity : this.availability.callMayLeaveAt(channel, now);
		const leavesAt = Math.max(planAllowsAt, availableAt);
		if (leavesAt <= now) return this.pass(visitor);
		const closure = this.heldBack(channel);
		if (closure === undefined) {
			const why = needsPlan && this.isAskingMe ? 'me' : 'plan';
			const since = visitor.heldBy?.why === why ? visitor.heldBy.since : now;
			return (visitor.heldBy = { kind: 'notBefore', why, since, until: leavesAt, lookAt: leavesAt });
		}
		// Time queued behind other calls of the run counts too, but not the time before the run.
		const since = Math.max(closure.since, run.first?.at ?? now);
		const givesUpAt = Math.min(since, waitingSince) + maxWaitMs;
		visitor.heldBy = { ...closure, kind: 'notBefore', since, lookAt: Math.min(leavesAt, givesUpAt) };
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (closure.why === 'pause' && givesUpAt < closure.until);
		return isInVain ? { kind: 'noPass', why: closure.why, closure } : visitor.heldBy;
	}

	private pass(visitor: Visitor): Pass {
		const { channel, keepToPlan, run } = visitor;
		const wanted = [...this.lines].reduce((sum, [{ left }, line]) => sum + Math.max(left, line.length), 0);
		this.slots.take(this.clock.now(), wanted);
		const ended = this.availability.depart('call', channel);
		run.inFlight += 1;
		run.left -= 1;
		return {
			kind: 'pass',
			leave: (end, waitMs) => {
				const now = this.clock.now();
				run.inFlight -= 1;
				this.slots.ended(now);
				this.ring();
				if (end === 'unauthorized') run.keyRefusals += 1;
				else if (end === 'answered') run.keyRefusals = 0;
				const beginsPause = ended(end, now, pauseFor(visitor, now, waitMs));
				// A refused trial means that the plan is still used up, not that the share is too large.
				if (beginsPause && end === 'throttled' && keepToPlan) {
					this.slots.refused(now, this.heldBack()?.until ?? now);
				}
			},
		};
	}
}

/**
 * How long a refusal holds back all calls, in milliseconds. If the service asks for longer than this call may wait, the
 * call's run is over instead, and other runs find out for themselves.
 */
function pauseFor({ maxWaitMs, run }: Visitor, now: number, waitMs = 0): number {
	if (waitMs <= maxWaitMs) return waitMs;
	run.comeBackAt = now + waitMs;
	return 0;
}

/** The gates of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The gate for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
