import { isProven, type Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { TURN_MS } from '../../shared/turns';
import { Availability } from './availability';
import { Me } from './me';
import type { QueuedCall, Start, Waiting } from './queued-call';
import { type Facts, nextStep, type Step } from './rules';
import { isNew, type RunQueue } from './run-queue';
import { PlanSlots } from './slots';

/**
 * How many calls may be in flight at first, and after a failure: with a known plan, and without. With more, a limit that is
 * not shown would refuse many at once, or a gateway would leave them in doubt.
 */
const FIRST = 32;
const FIRST_WITHOUT_PLAN = 8;
/** How many requests one turn of the event loop may start: each leaves work that runs before the next turn. */
const TURN_STARTS = 16;

/**
 * The queue of a key: all requests that this process makes with it wait here, whichever execution they belong to. It starts
 * one call of each run in turn. Whether a call may start, `nextStep` decides. The queue itself sends GET /Me.
 */
export class KeyGate {
	readonly slots = new PlanSlots();
	readonly availability: Availability;
	/** The runs with calls that wait, or jobs to offer, in the order of their turns. */
	private readonly runs = new Set<RunQueue>();
	/** Ends the sleep of the queue; `undefined` while it does not serve. */
	private alarm: AbortController | undefined;
	/** What GET /Me has shown. */
	private readonly me: Me;

	constructor(
		readonly clock: Clock,
		random: () => number = Math.random,
	) {
		const first = (): number => (this.slots.plan === undefined ? FIRST_WITHOUT_PLAN : FIRST);
		this.availability = new Availability(first, random);
		this.me = new Me(clock, this.slots);
	}

	/** Has the queue look at everything that waits, and at this run. */
	wake(run: RunQueue): void {
		this.runs.add(run);
		// With a reason of its own: the usual one is an error, which takes longer to make than all the rest.
		if (this.alarm !== undefined) this.alarm.abort('wake');
		else void this.serve();
	}

	/** Starts calls until nobody waits. */
	private async serve(): Promise<void> {
		for (;;) {
			this.alarm = new AbortController();
			const pauseMs = this.serveOnce() - this.clock.now();
			if (this.runs.size === 0) break;
			if (pauseMs > 0) await this.clock.sleep(pauseMs, this.alarm.signal);
			// Looks again in another turn of the event loop: the end of a call may end its run, and then no other call of
			// the run may start.
			await this.clock.sleep(0);
		}
		this.alarm = undefined;
	}

	/**
	 * Answers the calls that need not wait any longer, for as long as one turn of the event loop may take.
	 *
	 * @returns the latest moment to look at the others again
	 */
	private serveOnce(): number {
		const now = this.clock.now();
		let lookAgainAt = Infinity;
		let answered = 0;
		for (const run of this.runs) {
			if (answered >= TURN_STARTS || this.clock.now() - now >= TURN_MS) return now;
			const next = this.answerOne(run, now);
			const isTimeUp = this.clock.now() - now >= TURN_MS;
			if (run.isOver()) this.runs.delete(run);
			else if (next === 'answered' || isTimeUp) {
				// The run had its turn: this loop comes to it again after all others.
				this.runs.delete(run);
				this.runs.add(run);
			}
			if (next === 'answered') answered += 1;
			else lookAgainAt = Math.min(lookAgainAt, next);
		}
		return lookAgainAt;
	}

	/** Answers one call of a run, if one need not wait any longer; otherwise returns when to look again. */
	private answerOne(run: RunQueue, now: number): number | 'answered' {
		/** The lines of which a new job waits. Those behind it wait too. */
		const waiting = new Set<string>();
		let lookAgainAt = Infinity;
		let mostDrawn = Infinity;
		try {
			for (const call of run.candidates()) {
				if (call === null) {
					if (run.drawn >= mostDrawn) break;
					if (this.clock.now() - now >= TURN_MS) return now;
					continue;
				}
				const line = call.channel;
				if (isNew(call) && waiting.has(line)) continue;
				const step = this.stepOf(call, run, now);
				const isUnready = isNew(call) && call.job?.preparation !== undefined;
				if ((step.kind === 'start' || step.kind === 'noStart') && !isUnready) {
					run.take(call);
					call.answer(
						step.kind === 'noStart' ? step : { kind: 'start', finish: this.start(call, run, 'call') },
					);
					return 'answered';
				}
				if (step.kind === 'wait' || step.kind === 'backoff') lookAgainAt = Math.min(lookAgainAt, step.until);
				if (isUnready && this.mayGetReady(call, step, run)) void run.getReady(call);
				else if (isNew(call)) {
					waiting.add(line);
					mostDrawn = Math.min(mostDrawn, step.kind === 'wait' ? step.rule.drawAhead : 0);
				} else if (step.kind === 'wait' && !step.rule.mayGetReady) run.release(call);
			}
		} catch (error) {
			// A bug in one run is no other run's business.
			run.fail(error);
		}
		return lookAgainAt;
	}

	/**
	 * Whether a job may get ready, such as claim its once key: as many of its channel as may be in flight. A crash leaves these
	 * in doubt. Also one that must not start: its key may show that it was sent.
	 */
	private mayGetReady(call: QueuedCall, step: Step, run: RunQueue): boolean {
		const { availability } = this;
		if (step.kind === 'wait' && !step.rule.mayGetReady) return false;
		// While a circuit is open, only the trial call.
		if (step.kind !== 'noStart' && !availability.isClosed(call.channel)) {
			return step.kind === 'start' && run.begun.every(({ channel }) => channel !== call.channel);
		}
		const { maxInFlight, pauseMs = 0 } = run.settings;
		// With a pause, only the next one.
		const most = pauseMs > 0 ? 1 : (maxInFlight ?? availability.of(call.channel).limit.most);
		return run.readyIn(call.channel) < most;
	}

	/** What to do with a call now. Notes what it waits for, and asks GET /Me where that is needed. */
	private stepOf(call: QueuedCall, run: RunQueue, now: number): Step {
		const { waitsFor } = call;
		if (waitsFor !== undefined) {
			run.waitedMs[waitsFor.why] = Math.max(run.waitedMs[waitsFor.why], now - waitsFor.since);
		}
		const facts = this.factsOf(call, run, now);
		const step = nextStep(facts);
		call.waitsFor = step.kind === 'wait' ? { why: step.why, since: step.since } : undefined;
		if (step.kind === 'wait' && step.rule.asksMe?.(facts) === true) this.askMe(run);
		return step;
	}

	private factsOf(call: QueuedCall, run: RunQueue, now: number): Facts {
		const { availability, me, slots } = this;
		const channel = availability.of(call.channel);
		const { pauseMs = 0, service } = run.settings;
		return {
			...{ now, call, run },
			service: {
				circuit: availability.service,
				isProven: isProven(service),
				isAddressOld: me.isAddressOld(now),
				isPlanOld: me.isPlanOld(now),
				isMeAsked: me.isAsked,
				elsewhere: me.elsewhere,
				slotAt: run.keepsToPlan ? slots.freeAt(now, run.startedAt) : now,
			},
			channel: {
				circuit: channel.circuit,
				inFlight: channel.limit.inFlight,
				hasPlace: availability.hasPlace(call.channel),
				mayTryAnother: channel.trial.mayStart(call, now),
				gapEnd: availability.gapEnd(call.channel),
				pauseEnd: pauseMs > 0 && call.changes ? channel.pauseEnd(call.isRetry === true) : now,
			},
		};
	}

	private askMe(run: RunQueue): void {
		const { service, signal } = run.settings;
		const start = (): Start['finish'] =>
			this.start({ channel: '', changes: false, maxWaitMs: Infinity }, run, 'me');
		void this.me.ask(service, start, signal);
	}

	/** Notes that a request starts, and returns what to call when it has ended. */
	private start(call: Waiting, run: RunQueue, what: 'call' | 'me'): Start['finish'] {
		const { channel, maxWaitMs } = call;
		const { availability, slots } = this;
		const startedAt = this.clock.now();
		const wasClosed = availability.isClosed(channel);
		slots.take(startedAt, Math.max(1, this.wanted()));
		if (what === 'call') run.start(call, startedAt);
		const { pauseMs = 0 } = run.settings;
		const isPaced = what === 'call' && call.changes && pauseMs > 0;
		if (isPaced) availability.of(channel).takeTurn();
		const ended = availability.start(what, call, startedAt);
		return (result, next = call) => {
			const now = this.clock.now();
			const failure = isFailure(result) ? result : undefined;
			const askedMs = failure?.waitMs ?? 0;
			if (what === 'call') run.finish(result);
			if (isPaced) availability.of(channel).notePause(now + pauseMs);
			const isElsewhere = failure?.isElsewhere === true && what === 'call' && !isProven(run.settings.service);
			if (isElsewhere) this.me.noteElsewhere(failure, now);
			// If the service asks for longer than the call may wait, other runs find out for themselves.
			const isTooLong = askedMs > maxWaitMs;
			const isPlanUsedUp = slots.isNearlyFull(now);
			// What is elsewhere says nothing about the service.
			const end: Reply | Failure = isElsewhere ? { ...failure, cause: 'cutOff' } : result;
			ended({ call: next, result: end, now, askedMs, waitMs: isTooLong ? 0 : askedMs, isPlanUsedUp });
			slots.finished(now);
			const { opening } = availability.service;
			if (isTooLong) {
				next.comeBackAt = now + askedMs;
				const isOfOne = next.hasOwnLimit === true || availability.of(channel).trial.isFor(next);
				if (!isOfOne) run.noteComeBack(opening?.why === 'later' ? 'key' : channel, now + askedMs);
			}
			// A refused trial means that the plan is still used up, not that the share is too large.
			const isThrottled = failure?.cause === 'throttled' && failure.statusCode !== 503;
			const mayBePlan = what === 'call' && isThrottled && wasClosed && run.keepsToPlan;
			if (mayBePlan && (opening !== undefined || availability.isAlone(channel, slots.windowBefore(now)))) {
				slots.refused(now, opening?.until ?? availability.of(channel).circuit.opening?.until ?? now);
			}
			this.wake(run);
		};
	}

	/** How many calls all runs have still to start. One that keeps a pause between them counts as one. */
	private wanted(): number {
		let wanted = 0;
		for (const { left, settings } of this.runs)
			wanted += (settings.pauseMs ?? 0) > 0 ? Math.min(1, left) : left;
		return wanted;
	}

	/** A call has ended, with all its tries. */
	done({ changes, channel }: Waiting, run: RunQueue): void {
		if (!changes || (run.settings.pauseMs ?? 0) === 0) return;
		this.availability.of(channel).endTurn();
		this.wake(run);
	}
}

/** The queues of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The queue for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
