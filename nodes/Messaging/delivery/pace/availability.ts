import { isTurnedAway, type RequestEnd } from '../../service/endings';

/** The waits before successive tries of a failing service, in milliseconds; the last one is used from then on. */
const OUTAGE_WAITS_MS = [0, 1000, 2000, 4000, 8000, 15_000] as const;
/** Waits are longer by up to this fraction, so that n8n servers that failed together do not retry together. */
const JITTER = 0.1;
/** The first pause in milliseconds if the service names no time, the growth factor for further ones, and the longest. */
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.3;
const LONGEST_PAUSE_MS = 30_000;
/** A call is tried after this long even if the service asked for a longer wait: its plan may have changed. */
const LONGEST_ASKED_MS = 300_000;
/** After this many closures in a row, a call is tried without a probe, unless GET /Me is known to work here. */
const CLOSURES_WITHOUT_ME = 5;
/** How long an answer proves that the address is right, or that GET /Me works. */
const KNOWN_FOR_MS = 600_000;
/** How many calls may be in flight at first and after an outage, after many refusals, and after many successes. */
const START = 32;
const LEAST = 8;
/** More in flight brings nothing, as measured: with 128, n8n's one thread is busy even at 100 ms latency. */
const MOST = 128;

/** A request in flight: what to remember until it ends. */
export interface Departure {
	readonly what: 'call' | 'me';
	readonly epoch: number;
}

/** A time in which calls are held back. */
export interface Closure {
	readonly why: 'pause' | 'outage';
	readonly since: number;
	/** When the next probe or trial may leave. */
	readonly until: number;
	/** Whether a probe must be answered before a call is tried. */
	readonly needsProbe: boolean;
}

/**
 * A circuit breaker: whether the service takes calls now, and how many at once, judging by how earlier requests ended.
 *
 * While it is open, calls leave. A refusal (a 429, or a 503 with Retry-After: not processed) closes it for a time. A
 * doubtful end (perhaps processed) closes it until a probe (a GET /Me) is answered. In both cases a single call is then
 * tried. Only the answer to a call opens it and resets the waits: a service may answer /Me and fail every send.
 *
 * The bound grows by one with each success, so that it doubles with each round trip. A refusal halves it, and from then
 * on it grows by one with each round trip (TCP's slow start and congestion avoidance, RFC 5681).
 */
export class Availability {
	/** The current closure, including during a trial; `undefined` while the state is open. */
	closure: Closure | undefined;

	/** Changes with each closure: a request that left before a closure says nothing about the time after it. */
	private epoch = 0;

	/** Calls of the current epoch that are in flight. */
	private inFlight = 0;

	/** The bound with its decimals. */
	private level = START;

	private isSlowStart = true;

	private closuresInARow = 0;

	private answeredAt = -Infinity;

	private meAnsweredAt = -Infinity;

	constructor(private readonly random: () => number) {}

	/** How many calls a run may have in flight, unless its user chose a number. */
	get bound(): number {
		return Math.floor(this.level);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		return this.closure?.why === 'outage' || now - this.answeredAt < KNOWN_FOR_MS;
	}

	/** When the next call may leave; Infinity if that depends on how another request ends. */
	callMayLeaveAt(now: number): number {
		if (this.closure !== undefined) {
			return this.closure.needsProbe || this.inFlight > 0 ? Infinity : Math.max(now, this.closure.until);
		}
		// Before the first closure and at the most, the runs limit themselves: a user may have chosen a higher number.
		const isReopening = this.epoch > 0 && this.bound < MOST;
		return isReopening && this.inFlight >= this.bound ? Infinity : now;
	}

	/** Notes that a request leaves: a call, or a GET /Me as a probe or to read the plan. */
	depart(what: Departure['what']): Departure {
		if (what === 'call') this.inFlight += 1;
		return { what, epoch: this.epoch };
	}

	/**
	 * Notes how a request ended.
	 *
	 * @param waitMs how long the service asks to wait, if it says so
	 * @returns whether this begins a pause while the state was open
	 */
	ended({ what, epoch }: Departure, end: RequestEnd, now: number, waitMs = 0): boolean {
		const isMe = what === 'me';
		const isAnswer = end === 'answered' || end === 'unauthorized';
		const isFailing = end === 'doubtful' || (end === 'unreachable' && this.isKnown(now));
		if (isAnswer) this.answeredAt = now;
		if (isAnswer && isMe) this.meAnsweredAt = now;
		if (epoch !== this.epoch) return false;
		const { closure } = this;
		if (!isMe) this.inFlight -= 1;
		if (isMe && closure === undefined) {
			// Perhaps only /Me fails: one call is tried before the others leave.
			if (isFailing) this.close('outage', now, 0, false);
		} else if (isTurnedAway(end)) this.pause(now, waitMs);
		else if (isAnswer && isMe) this.closure = closure && { ...closure, needsProbe: false };
		else if (isAnswer) this.open();
		else if (isFailing || isMe) this.fail(now);
		return !isMe && closure === undefined && isTurnedAway(end);
	}

	private open(): void {
		if (this.closure === undefined) {
			this.level = Math.min(MOST, this.level + (this.isSlowStart ? 1 : 1 / this.level));
		}
		this.closure = undefined;
		this.closuresInARow = 0;
	}

	private pause(now: number, waitMs: number): void {
		const asked = Math.min(waitMs, LONGEST_ASKED_MS);
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** this.closuresInARow);
		// Servers that share a key, refused and told the same whole seconds, would otherwise be refused together again.
		const apart = this.closuresInARow === 0 ? 0 : this.random() * Math.min(asked, 1000);
		this.closuresInARow += 1;
		this.level = Math.max(LEAST, this.level / 2);
		this.isSlowStart = false;
		this.close('pause', now, Math.max(asked + apart, this.withJitter(backoff)), false);
	}

	private fail(now: number): void {
		const waitMs = OUTAGE_WAITS_MS[this.closuresInARow] ?? OUTAGE_WAITS_MS.at(-1) ?? 0;
		this.closuresInARow += 1;
		this.level = START;
		this.isSlowStart = true;
		const meWorks = now - this.meAnsweredAt < KNOWN_FOR_MS;
		this.close('outage', now, this.withJitter(waitMs), meWorks || this.closuresInARow <= CLOSURES_WITHOUT_ME);
	}

	private withJitter(waitMs: number): number {
		return waitMs * (1 + JITTER * this.random());
	}

	private close(why: Closure['why'], now: number, waitMs: number, needsProbe: boolean): void {
		this.closure = { why, since: this.closure?.since ?? now, until: now + waitMs, needsProbe };
		this.epoch += 1;
		this.inFlight = 0;
	}
}
