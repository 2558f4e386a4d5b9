import { ask, type Service } from '../../service/connect';
import { isFailure } from '../../service/endings';
import { ME, planOf } from '../../service/plan';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { TURN_MS } from '../../shared/turns';
import { Availability } from './availability';
import type { What } from './circuit';
import type { Line, RunQueue } from './run-queue';
import { PlanSlots } from './slots';
import type { NoPass, Pass, WaitingCall } from './waiting-call';

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

	/** Has the gate look at everything that waits, and at this run. */
	wake(run: RunQueue): void {
		this.runs.add(run);
		// With a reason of its own: the usual one is an error, which takes longer to make than all the rest.
		if (this.alarm !== undefined) this.alarm.abort('wake');
		else void this.serve();
	}

	/** Lets calls through until nobody waits. */
	private async serve(): Promise<void> {
		for (;;) {
			this.alarm = new AbortController();
			const pauseMs = this.letThrough() - this.clock.now();
			if (this.runs.size === 0) break;
			if (pauseMs > 0) await this.clock.sleep(pauseMs, this.alarm.signal);
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
			const isOver = run.isOver();
			// The run had its turn: this loop comes to it again after all others.
			if (isOver || next === TAKEN) this.runs.delete(run);
			if (!isOver && next === TAKEN) this.runs.add(run);
			if (next === TAKEN) starts += 1;
			else lookAgainAt = Math.min(lookAgainAt, next);
		}
		return lookAgainAt;
	}

	/** Answers one call of a run, if one need not wait any longer; otherwise returns when to look again. */
	private takeOne(run: RunQueue, now: number): number {
		let lookAgainAt = Infinity;
		try {
			for (let lines = run.isOver() ? [] : [...run.lines.values()]; ;) {
				for (const line of lines) {
					lookAgainAt = Math.min(lookAgainAt, this.takeFrom(line, run, now));
					if (lookAgainAt === TAKEN) return TAKEN;
				}
				// It looks further if what waits is held up by its own channel.
				const isServiceOpen = this.availability.service.closure === undefined;
				const isHeld = (channel: string): boolean => this.availability.holdOf(channel, now) !== undefined;
				if (!lines.every(({ jobs: [job] }) => job === undefined || (isServiceOpen && isHeld(job.channel))))
					break;
				if (this.clock.now() - now >= TURN_MS) return now;
				const drawn = run.draw();
				if (drawn === undefined) break;
				lines = drawn === null ? [] : [drawn];
			}
		} catch (error) {
			// A bug in one run is no other run's business.
			run.fail(error);
		}
		return lookAgainAt;
	}

	/** Answers one call of a line, if one need not wait any longer; otherwise returns when to look again. */
	private takeFrom(line: Line, run: RunQueue, now: number): number {
		let lookAgainAt = Infinity;
		for (const call of [...line.ready]) {
			const answer = this.answerTo(call, run, now);
			if (typeof answer !== 'number' || answer <= now) return this.take(call, run, answer);
			if (this.availability.holdOf(call.channel, now) !== undefined) call.giveBack?.();
			lookAgainAt = Math.min(lookAgainAt, answer);
		}
		for (let [job] = line.jobs; job !== undefined; [job] = line.jobs) {
			const answer = this.answerTo(job, run, now);
			const isDue = typeof answer !== 'number' || answer <= now;
			if (isDue && job.prepare === undefined) return this.take(job, run, answer);
			if (job.prepare === undefined || !this.mayPrepare(job, answer, line, run)) {
				return isDue ? lookAgainAt : Math.min(lookAgainAt, answer);
			}
			job.prepare();
		}
		return lookAgainAt;
	}

	/**
	 * Whether a job may get what it needs, such as its once key: while it waits for the plan or a place, too, but behind a
	 * closed gate only as the next one. Also if it must not leave: its key may show that it was sent before.
	 */
	private mayPrepare({ channel }: WaitingCall, answer: number | NoPass, line: Line, run: RunQueue): boolean {
		const now = this.clock.now();
		const isHeld = this.availability.holdOf(channel, now) !== undefined;
		if (!isHeld || typeof answer !== 'number') {
			return run.mayPrepare(run.settings.maxInFlight ?? this.availability.boundOf(channel));
		}
		return answer <= now && line.ready.length + line.preparing === 0;
	}

	private take(call: WaitingCall, run: RunQueue, answer: number | NoPass): number {
		run.take(call);
		call.answer(
			typeof answer === 'number' ? { kind: 'pass', leave: this.depart(call, run, 'call') } : answer,
		);
		return TAKEN;
	}

	/** When a call may leave or has to be looked at again, or why it must not leave. */
	private answerTo(call: WaitingCall, run: RunQueue, now: number): number | NoPass {
		const { channel, heldBy, maxWaitMs, notBefore = now, waitingSince = Infinity } = call;
		if (heldBy !== undefined)
			run.waitedMs[heldBy.why] = Math.max(run.waitedMs[heldBy.why], now - heldBy.since);
		call.heldBy = undefined;
		const refusal = run.refusalFor(channel);
		if (refusal !== undefined) return refusal;
		const hold = this.availability.holdOf(channel, now);
		// The gate may be open: other calls have more luck.
		if (waitingSince + maxWaitMs <= now) return { kind: 'noPass', why: hold?.why ?? 'pause' };
		if (notBefore > now) return notBefore;
		const leavesAt = this.leavesAt(call, run, now);
		if (leavesAt <= now) return now;
		const why = hold?.why ?? this.otherReason(run, now);
		const heldSince = heldBy?.why === why ? heldBy.since : now;
		// Time queued behind other calls of the run counts too, but not the time before the run.
		const since = hold === undefined ? heldSince : Math.max(hold.since, run.beganAt);
		call.heldBy = { why, since, until: leavesAt };
		if (why === 'plan' || why === 'me' || why === 'own' || (why === 'silent' && run.inFlight > 0))
			return leavesAt;
		const givesUpAt = Math.min(since, waitingSince) + maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (why === 'pause' && givesUpAt < (hold?.until ?? 0));
		return isInVain ? { kind: 'noPass', why } : Math.min(leavesAt, givesUpAt);
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
		const planAllowsAt = this.slots.freeAt(now, run.leftAt);
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
			const saysSomething = ['refused', 'throttled', 'neverLeft'].includes(answer.cause);
			leave(saysSomething ? answer : { ...answer, cause: 'doubtful' });
		}
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	private depart(call: WaitingCall, run: RunQueue, what: What): Pass['leave'] {
		const { channel, maxWaitMs } = call;
		const { availability, slots } = this;
		const leftAt = this.clock.now();
		const wasOpen = availability.holdOf(channel, leftAt) === undefined;
		let wanted = 0;
		for (const each of this.runs) wanted += each.wanted;
		slots.take(leftAt, wanted);
		if (what === 'call') run.leave(call, leftAt);
		const ended = availability.depart(what, channel, leftAt);
		return (result) => {
			const now = this.clock.now();
			const {
				cause,
				statusCode,
				waitMs = 0,
			} = isFailure(result) ? result : { cause: 'none', statusCode: null };
			if (what === 'call') run.ended(result);
			// If the service asks for longer than the call may wait, other runs find out for themselves.
			const isTooLong = waitMs > maxWaitMs;
			ended(result, now, isTooLong ? 0 : waitMs, slots.isOverrun(now));
			slots.ended(now);
			const { closure } = availability.service;
			if (isTooLong) run.comeBackAt.set(closure?.why === 'pause' ? 'key' : channel, now + waitMs);
			// A refused trial means that the plan is still used up, not that the share is too large.
			const mayBePlan = what === 'call' && cause === 'throttled' && statusCode !== 503 && wasOpen;
			const isOfKey = closure !== undefined || availability.isAlone(channel, slots.windowBefore(now));
			if (mayBePlan && isOfKey && run.settings.keepToPlan) {
				slots.refused(now, availability.holdOf(channel, now)?.until ?? now);
			}
			this.wake(run);
		};
	}
}

/** The gates of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The gate for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
