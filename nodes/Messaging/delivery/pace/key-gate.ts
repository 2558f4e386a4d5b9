import { isProven, type Service } from '../../service/connect';
import { isFailure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { TURN_MS } from '../../shared/turns';
import { Availability } from './availability';
import type { Hold, What } from './circuit';
import { isNew, needs, type RunQueue } from './run-queue';
import { Me } from './me';
import { PlanSlots } from './slots';
import type { HeldBy, NoPass, Pass, WaitingCall } from './waiting-call';

/**
 * How many calls may be in flight at first, and after a failure: with a known plan, and without. With more, a limit that is
 * not shown would refuse many at once, or a gateway would leave them in doubt.
 */
const START = 32;
const START_WITHOUT_PLAN = 8;
/** How many jobs of a run may be drawn while jobs wait for a place. */
const MAX_AHEAD = 1000;
/** And while jobs wait for a closed channel: even if most of a list is for it, the rest goes out. */
const MAX_DRAWN = 10_000;
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
	/** What GET /Me has shown. */
	private readonly me: Me;

	constructor(
		readonly clock: Clock,
		random: () => number = Math.random,
	) {
		const start = (): number => (this.slots.plan === undefined ? START_WITHOUT_PLAN : START);
		this.availability = new Availability(start, random);
		this.me = new Me(clock, this.slots);
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
			// Looks again in another turn of the event loop: the end of a call may end its run, and then no other call of
			// the run may leave.
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
			if (run.isOver()) this.runs.delete(run);
			else if (next === 'taken') {
				// The run had its turn: this loop comes to it again after all others.
				this.runs.delete(run);
				this.runs.add(run);
			}
			if (next === 'taken') starts += 1;
			else lookAgainAt = Math.min(lookAgainAt, next);
		}
		return lookAgainAt;
	}

	/** Answers one call of a run, if one need not wait any longer (`taken`); otherwise returns when to look again. */
	private takeOne(run: RunQueue, now: number): number | 'taken' {
		/** The channels of which a new job waits. Those behind it wait too. */
		const held = new Set<string>();
		let lookAgainAt = Infinity;
		let mostDrawn = Infinity;
		try {
			for (const call of run.candidates()) {
				if (call === null) {
					if (run.drawn >= mostDrawn) break;
					if (this.clock.now() - now >= TURN_MS) return now;
					continue;
				}
				if (isNew(call) && held.has(call.channel)) continue;
				const answer = this.answerTo(call, run, now);
				const isDue = typeof answer !== 'number' || answer <= now;
				if (isDue && !needs(call)) {
					run.take(call);
					const isPass = typeof answer === 'number';
					call.answer(isPass ? { kind: 'pass', leave: this.depart(call, run, 'call') } : answer);
					return 'taken';
				}
				if (!isDue) lookAgainAt = Math.min(lookAgainAt, answer);
				if (needs(call) && this.mayPrepare(call, answer, run, now)) void run.prepare(call);
				else if (isNew(call)) {
					held.add(call.channel);
					mostDrawn = Math.min(mostDrawn, this.mostDrawn(call, run));
				} else if (this.availability.closureOf(call.channel) !== undefined) run.giveBack(call);
			}
		} catch (error) {
			// A bug in one run is no other run's business.
			run.fail(error);
		}
		return lookAgainAt;
	}

	/** How many jobs of a run may be drawn while this one can't leave: the others may be for channels that are open. */
	private mostDrawn({ channel }: WaitingCall, run: RunQueue): number {
		const { availability } = this;
		if (availability.service.closure !== undefined || !run.hasPlace) return 0;
		if (availability.closureOf(channel) !== undefined) return MAX_DRAWN;
		return availability.hasPlace(channel) ? 0 : MAX_AHEAD;
	}

	/**
	 * Whether a job may get what it needs, such as its once key. It may while it waits for the plan or a place; for a
	 * closed channel, only if it is the one that is tried next. It also may if it must not leave: its key may show that it
	 * was sent.
	 */
	private mayPrepare({ channel }: WaitingCall, answer: number | NoPass, run: RunQueue, now: number): boolean {
		const isOpen = this.availability.closureOf(channel) === undefined;
		if (isOpen || typeof answer !== 'number') {
			return run.mayPrepare(run.settings.maxInFlight ?? this.availability.boundOf(channel));
		}
		return answer <= now && run.begun.every((call) => call.channel !== channel);
	}

	/** When a call may leave or has to be looked at again, or why it must not leave. */
	private answerTo(call: WaitingCall, run: RunQueue, now: number): number | NoPass {
		const { channel, heldBy, maxWaitMs, notBefore = now, waitingSince = Infinity } = call;
		if (heldBy !== undefined)
			run.waitedMs[heldBy.why] = Math.max(run.waitedMs[heldBy.why], now - heldBy.since);
		call.heldBy = undefined;
		const refusal = run.refusalFor(channel);
		if (refusal !== undefined) return refusal;
		// Later runs ask again.
		const { elsewhere } = this.me;
		if (call.changes && elsewhere !== undefined && elsewhere.at > run.beganAt) {
			return { kind: 'noPass', why: 'elsewhere', shownBy: elsewhere.shownBy };
		}
		const closure = this.availability.closureOf(channel);
		// Without a closure, other calls got through, and this one was refused each time.
		if (waitingSince + maxWaitMs <= now) return { kind: 'noPass', why: closure?.why ?? 'pause' };
		if (notBefore > now) return notBefore;
		const hold = this.holdOf(call, closure, run, now);
		if (hold === undefined) return now;
		const { why, until } = hold;
		const heldSince = heldBy?.why === why ? heldBy.since : now;
		// Time queued behind other calls of the run counts too, but not the time before the run.
		const since = hold === closure ? Math.max(closure.since, run.beganAt) : heldSince;
		call.heldBy = { why, since };
		// If that moment is past, the call waits for the end of another request, which wakes the gate.
		const lookAgainAt = until > now ? until : Infinity;
		if (why === 'plan' || why === 'gap' || why === 'me' || why === 'own') return lookAgainAt;
		const givesUpAt = Math.min(since, waitingSince) + maxWaitMs;
		// The end of a pause is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (why === 'pause' && givesUpAt < until);
		return isInVain ? { kind: 'noPass', why } : Math.min(lookAgainAt, givesUpAt);
	}

	/**
	 * What holds a call back, and until when at least; `undefined` if it may leave. The first rule that holds it back
	 * decides.
	 *
	 * @param closure of the service or its channel
	 */
	private holdOf(
		{ changes, channel, isRepeated = false }: WaitingCall,
		closure: Hold | undefined,
		run: RunQueue,
		now: number,
	): { why: HeldBy['why']; until: number } | undefined {
		const { availability, slots } = this;
		const { closure: ofService, state } = availability.service;
		if (state === 'failing' && (ofService?.until ?? 0) <= now) this.askMe(run);
		if (closure !== undefined && (state === 'failing' || closure.until > now)) return closure;
		const { keepToPlan, service } = run.settings;
		if (changes && this.me.isAddressOld(now)) {
			this.askMe(run);
			return { why: 'me', until: now };
		}
		const planAllowsAt = keepToPlan ? slots.freeAt(now, run.leftAt) : now;
		// The first call of a run does not wait for the plan: it may be the only one. A trial needs none.
		const isOnly = run.calls <= (isRepeated ? 1 : 0);
		const needsPlan = keepToPlan && !isOnly && closure === undefined && this.me.isPlanOld(now);
		if (needsPlan && (this.me.isAsked || planAllowsAt <= now)) {
			this.askMe(run);
			return { why: 'me', until: now };
		}
		if (planAllowsAt > now) return { why: 'plan', until: planAllowsAt };
		const gapEnd = availability.gapEndOf(channel);
		if (gapEnd > now) return { why: 'gap', until: gapEnd };
		// Where nothing shows yet that this is the service, the first call of a run that changes something leaves alone.
		const isAlone = changes && run.inFlight > 0 && run.ends === 0 && !isProven(service);
		if (!isAlone && run.hasPlace && availability.hasPlace(channel)) return undefined;
		return closure ?? { why: run.inFlight > 0 ? 'own' : 'full', until: now };
	}

	private askMe(run: RunQueue): void {
		const { service, signal } = run.settings;
		const depart = (): Pass['leave'] => this.depart({ channel: '', maxWaitMs: Infinity }, run, 'me');
		void this.me.ask(service, depart, signal);
	}

	/** Notes that a request leaves, and returns what to call when it has ended. */
	private depart(
		call: Pick<WaitingCall, 'channel' | 'isRepeated' | 'maxWaitMs'>,
		run: RunQueue,
		what: What,
	): Pass['leave'] {
		const { channel, maxWaitMs } = call;
		const { availability, slots } = this;
		const leftAt = this.clock.now();
		const wasOpen = availability.closureOf(channel) === undefined;
		let wanted = 0;
		for (const { left } of this.runs) wanted += left;
		slots.take(leftAt, Math.max(1, wanted));
		if (what === 'call') run.leave(call, leftAt);
		const ended = availability.depart(what, channel, leftAt);
		return (result) => {
			const now = this.clock.now();
			const failure = isFailure(result) ? result : undefined;
			const waitMs = failure?.waitMs ?? 0;
			if (what === 'call') run.ended(result);
			const isElsewhere = failure?.isElsewhere === true && what === 'call' && !isProven(run.settings.service);
			if (isElsewhere) this.me.noteElsewhere(failure, now);
			// If the service asks for longer than the call may wait, other runs find out for themselves.
			const isTooLong = waitMs > maxWaitMs;
			// What is elsewhere says nothing about the service.
			const end = isElsewhere ? { ...failure, cause: 'cutOff' as const } : result;
			ended(end, now, isTooLong ? 0 : waitMs, slots.isOverrun(now));
			slots.ended(now);
			const { closure } = availability.service;
			if (isTooLong) run.comeBackAt.set(closure?.why === 'pause' ? 'key' : channel, now + waitMs);
			// A refused trial means that the plan is still used up, not that the share is too large.
			const isThrottled = failure?.cause === 'throttled' && failure.statusCode !== 503;
			const mayBePlan = what === 'call' && isThrottled && wasOpen;
			const isOfKey = closure !== undefined || availability.isAlone(channel, slots.windowBefore(now));
			if (mayBePlan && isOfKey && run.settings.keepToPlan) {
				slots.refused(now, availability.closureOf(channel)?.until ?? now);
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
