import { isProven, type Service } from '../../service/connect';
import { type Failure, isFailure } from '../../service/endings';
import type { Reply } from '../../service/reply';
import { type Clock, systemClock } from '../../shared/clock';
import { Recent } from '../../shared/recent';
import { TURN_MS } from '../../shared/turns';
import { Breaker, type End, type Ended, KNOWN_FOR_MS, type What } from './breaker';
import { Channel } from './channel';
import { Me } from './me';
import type { EndingReason, NoStart, QueuedCall, Reason, Start, Waiting } from './queued-call';
import type { RunQueue } from './run-queue';
import { PlanSlots } from './slots';

/**
 * How many calls may be in flight at first, and after a failure: with a known plan, and without. Half: one more round trip
 * until a list is at full speed. Double: a limit that is not shown refuses twice as many at once, or a gateway leaves them in
 * doubt.
 */
const FIRST = 32;
const FIRST_WITHOUT_PLAN = 8;
/**
 * Each channel may have this many calls in flight, however many the others have. Half: a channel beside one that hangs is
 * slower. Double: many channels that hang hold more connections.
 */
const OWN_PLACES = 8;
/**
 * How many channels are remembered; the circuits of the others count as closed. Half: with more channels than that, a dead
 * one is tried more often. Double: twice the memory, some 200 KB.
 */
const MAX_CHANNELS = 1000;
/**
 * How many requests one turn of the event loop may start: each leaves work that runs before the next turn. Half: more turns,
 * slower lists. Double: a turn takes twice as long, and other workflows wait.
 */
const TURN_STARTS = 16;
/**
 * After this many 401 answers in a row, nothing more of a run starts. Half: one wrong answer of a gateway ends a list.
 * Double: a revoked key is used six times; some services then lock the caller out.
 */
const MOST_KEY_REFUSALS = 3;
/** What a call waits for, since and until when; Infinity or a past moment: until another request has ended. */
interface Hold {
	readonly why: Reason;
	readonly until: number;
	readonly since?: number;
}

/**
 * The queue of a key: all requests that this process makes with it wait here, whichever execution they belong to. It starts
 * one call of each run in turn, and sends GET /Me.
 */
export class KeyGate {
	readonly slots = new PlanSlots();
	private readonly service: Breaker;
	private readonly channels: Recent<Channel>;
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
		this.service = new Breaker('outage', first, random);
		this.channels = new Recent(MAX_CHANNELS, () => new Channel('channel', first, random));
		this.me = new Me(clock, this.slots);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		const { answeredAt, opening } = this.service;
		return opening?.why === 'outage' || now - Math.max(answeredAt.call, answeredAt.me) < KNOWN_FOR_MS;
	}

	/** Whether nobody waits here, and the plan has a slot. */
	get isIdle(): boolean {
		const now = this.clock.now();
		return this.runs.size === 0 && this.slots.freeAt(now) <= now;
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
		let lookAgainAt = Infinity;
		try {
			for (const call of run.candidates()) {
				const step = this.stepOf(call, run, now);
				if ('kind' in step) {
					run.take(call);
					call.answer(step.kind === 'start' ? this.start(call, run, 'call') : step);
					return 'answered';
				}
				if (call.withdraw !== undefined && step.why !== 'own' && step.why !== 'full') {
					run.take(call);
					call.withdraw();
					return 'answered';
				}
				lookAgainAt = Math.min(lookAgainAt, step.until);
			}
		} catch (error) {
			// A bug in one run is no other run's business.
			run.fail(error);
		}
		return lookAgainAt;
	}

	/** What to do with a call now: start it, never, or wait, until when at most. Notes what it waits for. */
	private stepOf(call: QueuedCall, run: RunQueue, now: number): { kind: 'start' } | NoStart | Hold {
		const { laterSince = Infinity, maxWaitMs, notAfter = Infinity, notBefore = now, waitsFor } = call;
		if (waitsFor !== undefined) {
			run.waitedMs[waitsFor.why] = Math.max(run.waitedMs[waitsFor.why], now - waitsFor.since);
			call.waitsFor = undefined;
		}
		const never = this.neverStarts(call, run, now);
		if (never !== undefined) return { kind: 'noStart', ...never };
		if (notBefore > now)
			return { why: 'later', until: Math.min(notBefore, laterSince + maxWaitMs, notAfter) };
		const hold = this.holdOf(call, run, now);
		if (hold === undefined) return { kind: 'start' };
		const { why, until } = hold;
		const since = hold.since ?? (waitsFor?.why === why ? waitsFor.since : now);
		const isEnding = why === 'outage' || why === 'channel' || why === 'later' || why === 'full';
		const givesUpAt = Math.min(isEnding ? since : Infinity, laterSince) + maxWaitMs;
		// The time that the service names is known: a call that can't wait that long fails at once.
		const isInVain = givesUpAt <= now || (why === 'later' && givesUpAt < until && until < Infinity);
		if (isInVain && isEnding) return { kind: 'noStart', why };
		call.waitsFor = { why, since };
		// A past moment: the end of another request wakes the queue.
		return { ...hold, until: Math.min(until > now ? until : Infinity, givesUpAt) };
	}

	/** Why a call must never start; `undefined` if it may. */
	private neverStarts(call: QueuedCall, run: RunQueue, now: number) {
		const { changes, channel, laterSince = Infinity, maxWaitMs, notAfter = Infinity } = call;
		if (run.isHalted) return { why: 'halted' } as const;
		if (now >= notAfter) return { why: 'expired' } as const;
		if (run.keyRefusals >= MOST_KEY_REFUSALS) return { why: 'keyRefused' } as const;
		const { elsewhere } = this.me;
		// Later runs ask again.
		if (changes && elsewhere !== undefined && elsewhere.at > run.beganAt) {
			return { why: 'elsewhere', shownBy: elsewhere.shownBy } as const;
		}
		const told = run.comeBackTimes.get('key') ?? run.comeBackTimes.get(channel) ?? now;
		const comeBackAt = call.comeBackAt ?? (told - now > maxWaitMs ? told : undefined);
		if (comeBackAt !== undefined) return { why: 'comeBack', comeBackAt } as const;
		// With closed circuits, other calls were answered, and this one was refused each time.
		const why: EndingReason = (this.service.opening ?? this.of(channel).opening)?.why ?? 'later';
		return laterSince + maxWaitMs <= now ? { why } : undefined;
	}

	/** What a call waits for; `undefined` if it may start. The first that applies, from the key to the channel. */
	private holdOf(call: QueuedCall, run: RunQueue, now: number): Hold | undefined {
		const { me, service, slots } = this;
		const { changes, channel: name, isRetry = false, laterSince } = call;
		const { keepToPlan, maxInFlight = Infinity, pauseMs = 0 } = run.settings;
		const channel = this.of(name);
		const opening = service.opening ?? channel.opening;
		// Time in the queue behind other calls of the run counts too, but not the time before the run.
		const openSince = Math.max(opening?.since ?? now, run.beganAt);
		const open = { why: opening?.why ?? 'later', since: openSince };
		if (service.isShut(now)) {
			const until = service.opening?.until ?? now;
			if (service.waitsForMe && until <= now) this.askMe(run);
			return { ...open, until };
		}
		if (channel.isShut(now)) return { ...open, until: channel.opening?.until ?? now };
		// It is half-open: one call is tried.
		if (opening !== undefined && channel.inFlight > 0) return { ...open, until: Infinity };
		if (laterSince !== undefined && !channel.hasTurn && run.hasLine(name)) {
			if (opening !== undefined && channel.triesNewCall) return { ...open, until: Infinity };
			if (opening === undefined && channel.limitedUntil > now)
				return { why: 'own', until: channel.limitedUntil };
		}
		const slotAt = keepToPlan ? slots.freeAt(now, run.startedAt) : now;
		// The first call of a run does not wait for the plan, because it may be the only one; nor does a trial.
		const isFirst = opening !== undefined || run.started <= (isRetry ? 1 : 0);
		const needsPlan = keepToPlan && !isFirst && me.isPlanOld(now) && (me.isAsked || slotAt <= now);
		if ((changes && me.isAddressOld(now)) || needsPlan) {
			this.askMe(run);
			return { why: 'me', until: now };
		}
		if (slotAt > now) return { why: 'plan', until: slotAt };
		if (channel.gap.end > now) return { why: 'gap', until: channel.gap.end };
		if (changes && pauseMs > 0) {
			// Only the call whose turn it is was started before.
			const until = channel.hasTurn && !isRetry ? Infinity : channel.pauseEndsAt;
			if (until > now) return { why: 'pause', until };
		}
		if (run.inFlight >= maxInFlight) return { why: 'own', until: Infinity };
		const isFull = channel.inFlight >= channel.most;
		const areAllFull = service.inFlight >= service.most && channel.inFlight >= OWN_PLACES;
		if (opening !== undefined || (!isFull && !areAllFull)) return undefined;
		return { why: run.inFlight > 0 ? 'own' : 'full', until: Infinity };
	}

	private of(channel: string): Channel {
		return this.channels.peek(channel) ?? this.channels.use(channel);
	}

	private askMe(run: RunQueue): void {
		const { service, signal } = run.settings;
		const call = { channel: '', changes: false, maxWaitMs: Infinity };
		void this.me.ask(service, () => this.start(call, run, 'me').finish, signal);
	}

	/** Notes that a request starts. */
	private start(call: Waiting, run: RunQueue, what: What): Start {
		const { service, slots } = this;
		const startedAt = this.clock.now();
		const isClosed = service.opening === undefined && this.of(call.channel).opening === undefined;
		const channel = what === 'call' ? this.channels.use(call.channel) : undefined;
		const giveBack = slots.take(startedAt, Math.max(1, this.wanted()));
		const serviceEnded = service.start(startedAt);
		const channelEnded = channel?.start(startedAt);
		const { keepToPlan, pauseMs = 0 } = run.settings;
		const isPaced = what === 'call' && call.changes && pauseMs > 0;
		const { isRetry = false } = call;
		if (what === 'call') run.start({ isRetry }, startedAt);
		if (isPaced && channel !== undefined) channel.hasTurn = true;
		const cancel = (): void => {
			giveBack();
			serviceEnded();
			channelEnded?.();
			run.start({ isRetry }, run.startedAt, -1);
			if (isPaced && !isRetry && channel !== undefined) channel.hasTurn = false;
			this.wake(run);
		};
		const finish: Start['finish'] = (result, next = call) => {
			const now = this.clock.now();
			const failure = isFailure(result) ? result : undefined;
			if (what === 'call') run.finish(result);
			if (isPaced && channel !== undefined) channel.pauseEndsAt = now + pauseMs;
			const isElsewhere = failure?.isElsewhere === true && what === 'call' && !isProven(run.settings.service);
			if (isElsewhere) this.me.noteElsewhere(failure, now);
			const askedMs = failure?.waitMs ?? 0;
			// If the service asks for longer than the call may wait, other runs find out for themselves.
			const isTooLong = askedMs > call.maxWaitMs;
			const end = isElsewhere ? undefined : this.endOf(result, now);
			const mayBeLimit = end === 'failed' && failure?.statusCode === 503;
			const isRefused = end === 'refused';
			const isOfKey = slots.isNearlyFull(now, askedMs) || this.isRefusedElsewhere(channel, now);
			const isOfOne = isRefused && !isOfKey && channel?.isOfRecipient(next, now, askedMs) === true;
			const ended: Ended = { what, end, now, mayBeLimit, isOfOne, waitMs: isTooLong ? 0 : askedMs };
			// The limit of a recipient says nothing about the others. A refusal that names no time may be anybody's.
			channelEnded?.(isOfOne && askedMs > 0 ? { ...ended, end: undefined } : ended);
			// A GET /Me that is waited for always counts. Otherwise it would be asked again as fast as it is answered.
			const isAwaited = what === 'me' && service.waitsForMe;
			// GET /Me shows whether the service fails, or only this channel. So it is asked at once.
			serviceEnded({
				...ended,
				end: isAwaited ? (end ?? 'failed') : isRefused && !isOfKey ? undefined : end,
				...{ mayBeLimit: false, isOfOne: false },
				waitMs: end === 'failed' && what === 'call' ? 0 : ended.waitMs,
			});
			slots.finished(now);
			if (isTooLong) {
				next.comeBackAt = now + askedMs;
				const whole = service.opening?.why === 'later' ? 'key' : call.channel;
				if (!isOfOne) run.comeBackTimes.set(whole, now + askedMs);
			}
			const mayBePlan = isRefused && isClosed && keepToPlan && failure?.statusCode !== 503;
			if (mayBePlan && !this.isAnsweredElsewhere(channel, slots.windowBefore(now))) {
				slots.share.refuse(now, (service.opening ?? channel?.opening)?.until ?? now);
			}
			this.wake(run);
		};
		return { kind: 'start', finish, cancel };
	}

	/** Whether the key is refused, or another channel, and none has been answered since. */
	private isRefusedElsewhere(own: Channel | undefined, now: number): boolean {
		return [this.service, ...this.channels.all()].some(
			(other) =>
				other !== own &&
				other.opening?.why === 'later' &&
				now < other.opening.until &&
				this.service.answeredAt.call <= other.opening.at,
		);
	}

	/** Whether another channel has been answered since this moment. */
	private isAnsweredElsewhere(own: Channel | undefined, since: number): boolean {
		return [...this.channels.all()].some((other) => other !== own && other.answeredAt.call >= since);
	}

	/** How a request ended; `undefined` if that says nothing. */
	private endOf(result: Reply | Failure, now: number): End | undefined {
		if (!isFailure(result) || result.cause === 'refused') return 'answered';
		if (result.cause === 'throttled') return 'refused';
		// If the service has never answered, its address may be wrong.
		const isOutage = result.cause === 'neverLeft' && this.isKnown(now);
		return result.cause === 'doubtful' || isOutage ? 'failed' : undefined;
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
		this.of(channel).hasTurn = false;
		this.wake(run);
	}
}

/** The queues of this process by service and key. */
const gates = new Recent(1000, () => new KeyGate(systemClock));

/** The queue for all requests with this key to this service, whichever execution makes them. */
export function gateOf({ id }: Service): KeyGate {
	return gates.use(id);
}
