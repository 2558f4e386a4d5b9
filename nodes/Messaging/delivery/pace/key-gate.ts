import { ask, type Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import type { Reply } from '../../service/reply';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { TURN_MS } from '../../shared/turns';
import type { Line, RunQueue } from '../run-queue';
import { Availability } from './availability';
import type { Hold, What } from './circuit';
import { PlanSlots } from './slots';

/** The permission to make one request; `leave` must be called once, when it has ended. */
export type Pass = { readonly kind: 'pass'; readonly leave: (result: Reply | Failure) => void };

/**
 * The call must not leave: it has waited for as long as it may (`full`: too many calls of other runs are in flight), or
 * nothing more of its run leaves, to this channel at least.
 */
export type NoPass = {
	readonly kind: 'noPass';
	readonly why: Hold['why'] | 'full' | 'comeBack' | 'keyRefused' | 'halted';
	/** When the service asks to come back. */
	readonly comeBackAt?: number;
};

/** The call waits, until then at most, also for the plan, GET /Me or calls of its own run: the gate looks at it again. */
export type NotBefore = Hold<Hold['why'] | 'full' | 'plan' | 'me' | 'own'> & { readonly kind: 'notBefore' };

type Leaves = { readonly kind: 'leaves' };

/** A call that waits for its turn; the same object for all of its tries. */
export interface WaitingCall {
	/** Calls without a channel have '', and form one group. */
	channel: string;
	/** How long it may be held back, in milliseconds. */
	readonly maxWaitMs: number;
	/** Called once for each try. */
	answer: (answer: Pass | NoPass) => void;
	/** Whether it has left before. */
	isRepeated?: boolean;
	/** Not before this moment, because its last try failed. */
	notBefore?: number;
	/** When it was first told to come back later, or found that the service was down. */
	waitingSince?: number;
	/** What it waits for now. */
	heldBy?: NotBefore | undefined;
	/** Gets what it needs before it may leave, such as a once key; it then waits as a call that is ready. */
	prepare?: (() => void) | undefined;
	/** Gives that back: the call can't leave now. */
	giveBack?: (() => void) | undefined;
}

/** How long to wait for the answer to GET /Me: runs are held up meanwhile. */
const ME_TIMEOUT_MS = 10_000;
/** For how long the plan is not asked for again: if it was shown, if it was not, and if GET /Me itself was refused. */
const PLAN_FRESH_MS = 600_000;
const NO_PLAN_MS = 60_000;
const PLAN_REFUSED_MS = 1000;
/** When to look at a run again whose call was answered. */
const TAKEN = -Infinity;
/** How many requests one turn of the event loop may start: each leaves work that runs before the next turn. */
const TURN_STARTS = 16;

/**
 * The queue of a key: all requests that this process makes with it wait here, whichever execution they belong to. It takes
 * one call of each run in turn. A call may leave when the key's plan (`PlanSlots`), the service and its channel
 * (`Availability`) allow. The gate itself sends GET /Me, one at a time: to read the plan, and to find out whether the
 * service fails or only a channel.
 */
export class KeyGate {
	readonly slots = new PlanSlots();
	readonly availability: Availability;
	/** The runs with calls that wait, or jobs to offer, in the order of their turns. */
	private readonly runs = new Set<RunQueue>();
	/** Ends the sleep of the gate; `undefined` while it does not serve. */
	private alarm: AbortController | undefined;
	private planFreshUntil = -Infinity;
	private isAskingMe = false;

	constructor(
		readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.availability = new Availability(random);
	}

	/** Has the gate look at everything that waits, also at this run. */
	readonly wake = (run?: RunQueue): void => {
		if (run !== undefined) this.runs.add(run);
		// With a reason of its own: the usual one is an error, which takes longer to make than all the rest.
		if (this.alarm !== undefined) this.alarm.abort('wake');
		else if (this.runs.size > 0) void this.serve();
	};

	/** Lets calls through until nobody waits. */
	private async serve(): Promise<void> {
		for (;;) {
			this.alarm = new AbortController();
			const lookAgainAt = this.letThrough();
			if (this.runs.size === 0) break;
			await this.clock.sleep(lookAgainAt - this.clock.now(), this.alarm.signal);
			// In another turn: an end may end its run too, and the run's other calls must not leave then.
			await this.clock.sleep(0);
		}
		this.alarm = undefined;
	}

	/**
	 * Answers the calls that need not wait any longer, for as long as one turn of the event loop may take.
	 *
	 * @returns the latest moment to look at the others again
	 */
	private letThrough(): number {
		const now = this.clock.now();
		let lookAgainAt = Infinity;
		let starts = 0;
		for (const run of this.runs) {
			if (starts >= TURN_STARTS || this.clock.now() - now >= TURN_MS) return now;
			const next = this.takeOne(run, now);
			// The run had its turn: this loop comes to it again after all others.
			if (next === TAKEN || run.isEmpty) this.runs.delete(run);
			if (next === TAKEN && !run.isEmpty) this.runs.add(run);
			if (next === TAKEN) starts += 1;
			else lookAgainAt = Math.min(lookAgainAt, next);
		}
		return lookAgainAt;
	}

	/** Answers one call of a run, if one need not wait any longer; otherwise returns when to look again. */
	private takeOne(run: RunQueue, now: number): number {
		if (run.settings.signal.aborted) {
			run.halt();
			return Infinity;
		}
		let lookAgainAt = Infinity;
		for (let lines = [...run.lines.values()]; ; ) {
			let mayDraw = true;
			for (const line of lines) {
				const next = this.takeFrom(line, run, now);
				if (next.until === TAKEN) return TAKEN;
				lookAgainAt = Math.min(lookAgainAt, next.until);
				mayDraw &&= next.mayDraw;
			}
			if (!mayDraw) return lookAgainAt;
			if (this.clock.now() - now >= TURN_MS) return now;
			const drawn = run.jobs?.draw();
			if (drawn === undefined) return lookAgainAt;
			lines = drawn === null ? [] : [drawn];
		}
	}

	/**
	 * Answers one call of a line, if one need not wait any longer.
	 *
	 * @returns when to look again otherwise, and whether the run may look further: what waits is held up by its own channel
	 */
	private takeFrom(line: Line, run: RunQueue, now: number): { until: number; mayDraw: boolean } {
		let until = Infinity;
		for (const call of [...line.ready]) {
			const answer = this.answerTo(call, run, now);
			if (answer.kind !== 'notBefore') return this.answer(call, run, answer);
			if (isHold(answer)) call.giveBack?.();
			until = Math.min(until, answer.until);
		}
		for (let [job] = line.jobs; job !== undefined; [job] = line.jobs) {
			const answer = this.answerTo(job, run, now);
			const isTrial = this.availability.holdOf(job.channel, now) !== undefined;
			const mayDraw = isTrial && this.availability.service.closure === undefined;
			if (answer.kind === 'notBefore') {
				until = Math.min(until, answer.until);
				if (isTrial || job.prepare === undefined) return { until, mayDraw };
			} else if (answer.kind === 'noPass' || job.prepare === undefined) return this.answer(job, run, answer);
			const bound = run.settings.maxInFlight ?? this.availability.boundOf(job.channel);
			const isFirst = line.ready.length + line.preparing === 0;
			if (isTrial ? !isFirst : run.jobs?.mayPrepare(bound) !== true) return { until, mayDraw };
			job.prepare();
		}
		return { until, mayDraw: true };
	}

	private answer(call: WaitingCall, run: RunQueue, answer: NoPass | Leaves): { until: number; mayDraw: boolean } {
		run.take(call);
		call.answer(answer.kind === 'noPass' ? answer : { kind: 'pass', leave: this.depart(call, run, 'call') });
		return { until: TAKEN, mayDraw: false };
	}

	private answerTo(call: WaitingCall, run: RunQueue, now: number): Leaves | NoPass | NotBefore {
		const { channel, heldBy, maxWaitMs, notBefore = now, waitingSince = Infinity } = call;
		if (heldBy !== undefined) {
			run.waitedMs[heldBy.why] = Math.max(run.waitedMs[heldBy.why], now - heldBy.since);
		}
		call.heldBy = undefined;
		const over = run.over(channel);
		if (over !== undefined) return over;
		const hold = this.availability.holdOf(channel, now);
		// The gate may be open: other calls have more luck.
		if (waitingSince + maxWaitMs <= now) return { kind: 'noPass', why: hold?.why ?? 'pause' };
		if (notBefore > now) return { kind: 'notBefore', why: 'own', since: now, until: notBefore };
		const leavesAt = this.leavesAt(call, run, now);
		if (leavesAt <= now) return { kind: 'leaves' };
		const why = hold?.why ?? this.otherReason(run, now);
		// Time queued behind other calls of the run counts too, but not the time before the run.
		const since = hold === undefined ? (heldBy?.why === why ? heldBy.since : now) : Math.max(hold.since, run.beganAt);
		const held = { kind: 'notBefore', why, since, until: leavesAt } as const;
		call.heldBy = held;
		// Calls of its own run are in flight, and end in time.
		if (why === 'plan' || why === 'me' || why === 'own' || (why === 'silent' && run.inFlight > 0)) return held;
		const givesUpAt = Math.min(since, waitingSince) + maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (why === 'pause' && givesUpAt < (hold?.until ?? 0));
		if (isInVain) return { kind: 'noPass', why };
		return (call.heldBy = { ...held, until: Math.min(leavesAt, givesUpAt) });
	}

	/** Why a call waits at an open gate. */
	private otherReason({ inFlight, settings }: RunQueue, now: number): 'me' | 'plan' | 'own' | 'full' {
		if (this.isAskingMe) return 'me';
		if (settings.keepToPlan && this.slots.freeAt(now) > now) return 'plan';
		return inFlight > 0 ? 'own' : 'full';
	}

	/** When a call may leave, as far as that is known. If it needs the answer to GET /Me, that is asked for first. */
	private leavesAt({ channel, isRepeated = false }: WaitingCall, run: RunQueue, now: number): number {
		const { keepToPlan } = run.settings;
		const { closure, state } = this.availability.service;
		const planAllowsAt = this.slots.freeAt(now, now - run.leftAt > (this.slots.plan?.windowMs ?? 0));
		// The first call of a run does not wait for the plan: it may be the only one.
		const isOnly = run.calls <= (isRepeated ? 1 : 0);
		const needsPlan = keepToPlan && !isOnly && now >= this.planFreshUntil;
		// A trial needs no plan: it finds out whether calls can leave at all.
		const isOpen = this.availability.holdOf(channel, now) === undefined;
		if (isOpen ? needsPlan : state === 'failing') {
			const asksAt = closure?.until ?? planAllowsAt;
			if (asksAt <= now && !this.isAskingMe) void this.askMe(run);
			return this.isAskingMe ? Infinity : asksAt;
		}
		return Math.max(keepToPlan ? planAllowsAt : now, this.availability.mayLeaveAt(channel, run, now));
	}

	/** Sends GET /Me, which changes nothing, and learns from the answer. */
	private async askMe(run: RunQueue): Promise<void> {
		const { service, signal } = run.settings;
		this.isAskingMe = true;
		const leave = this.depart({ channel: '', maxWaitMs: Infinity, answer: () => {} }, run, 'me');
		const answer = await ask(service, ME, { timeoutMs: ME_TIMEOUT_MS });
		this.isAskingMe = false;
		const now = this.clock.now();
		if (!isFailure(answer)) {
			this.slots.plan = planOf(answer.body);
			if (this.slots.plan !== undefined) this.availability.planShown();
			this.planFreshUntil = now + PLAN_FRESH_MS;
			leave(answer);
		} else if (signal.aborted) {
			// It was stopped together with its run. The next run sends another.
			leave({ ...answer, cause: 'cutOff' });
		} else {
			// A plan that is used up is not shown, and a run can't keep to an unknown plan.
			this.planFreshUntil = now + (answer.cause === 'throttled' ? PLAN_REFUSED_MS : NO_PLAN_MS);
			const saysNothing = answer.cause === 'withheld' || answer.cause === 'unfit' || answer.cause === 'cutOff';
			leave(saysNothing ? { ...answer, cause: 'doubtful' } : answer);
		}
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	private depart(call: WaitingCall, run: RunQueue, what: What): Pass['leave'] {
		const { channel, maxWaitMs } = call;
		const leftAt = this.clock.now();
		const wanted = [...this.runs].reduce((sum, each) => sum + each.wanted, 0);
		const wasOpen = this.availability.holdOf(channel, leftAt) === undefined;
		this.slots.take(leftAt, wanted);
		if (what === 'call') run.leave(call, leftAt);
		const ended = this.availability.depart(what, channel, leftAt);
		return (result) => {
			const now = this.clock.now();
			const waitMs = (isFailure(result) && result.waitMs) || 0;
			const isOverrun = this.slots.isOverrun(now);
			if (what === 'call') run.ended(result);
			this.slots.ended(now);
			this.wake(run);
			// If the service asks for longer than the call may wait, other runs find out for themselves.
			const isOver = waitMs > maxWaitMs;
			ended(result, now, isOver ? 0 : waitMs, isOverrun);
			const { closure } = this.availability.service;
			if (isOver) run.end(closure?.why === 'pause' ? undefined : channel, now + waitMs);
			// A refused trial means that the plan is still used up, not that the share is too large.
			const isRefused = isFailure(result) && result.cause === 'throttled' && result.statusCode !== 503;
			if (!isRefused || what === 'me' || !run.settings.keepToPlan || !wasOpen) return;
			const isAlone = this.availability.isAlone(channel, now - (this.slots.plan?.windowMs ?? 0));
			const until = this.availability.holdOf(channel, now)?.until ?? now;
			if (closure !== undefined || isAlone) this.slots.refused(now, until);
		};
	}

	/** The call of a run that has waited longest; `undefined` if none waits. */
	waitingOf(run: RunQueue): WaitingCall | undefined {
		const first = [...run.lines.values()].flatMap(({ jobs, ready }) => [...ready, ...jobs.slice(0, 1)]);
		return first.find(({ heldBy }) => heldBy !== undefined);
	}
}

/** Whether it is the service or a channel that holds a call back. */
function isHold({ why }: NotBefore): boolean {
	return why === 'pause' || why === 'outage' || why === 'channel' || why === 'silent';
}

/** The gates of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The gate for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
