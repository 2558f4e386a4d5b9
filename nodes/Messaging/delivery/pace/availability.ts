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
 *   state    what may leave                       what comes next
 *   open     calls, up to the bound               a refusal: pause; a doubtful end: outage
 *   pause    nothing until its time is over       then: trial
 *   outage   a probe, once its wait is over       an answer below 500: trial; none: outage, with a longer wait
 *   trial    one call                             an answer: open; a refusal: pause; a doubtful end: outage,
 *                                                 with a longer wait
 *
 * A refusal is a 429, or a 503 with Retry-After: not processed. A doubtful end is any other answer from 500 up, a
 * broken connection, or no answer in time: perhaps processed. A probe is a GET /Me. Only the answer to a call opens the
 * gate and resets the waits, because a service may answer /Me and fail every send.
 *
 * The bound follows TCP (RFC 5681): one more with each success (slow start, which doubles it with each round trip).
 * After a refusal half as many, and from then on one more with each round trip. An outage starts it anew.
 */
export class Availability {
	private closed: Closure | undefined;

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

	/** The current closure, including during a trial; `undefined` while the state is open. */
	get closure(): Closure | undefined {
		return this.closed;
	}

	/** How many calls a run may have in flight, unless its user chose a number. */
	get bound(): number {
		return Math.floor(this.level);
	}

	/** Whether the service has answered recently. If it can't be reached now, that is an outage, not a wrong address. */
	isKnown(now: number): boolean {
		return this.closed?.why === 'outage' || now - this.answeredAt < KNOWN_FOR_MS;
	}

	/** When the next call may leave; Infinity if that depends on how another request ends. */
	callMayLeaveAt(now: number): number {
		if (this.closed !== undefined) {
			return this.closed.needsProbe || this.inFlight > 0 ? Infinity : Math.max(now, this.closed.until);
		}
		// At most, only the runs limit themselves: several may use the key, and a user may have chosen a higher number.
		return this.inFlight < this.bound || this.bound === MOST ? now : Infinity;
	}

	/** Notes that a call leaves. */
	depart(): number {
		this.inFlight += 1;
		return this.epoch;
	}

	/**
	 * Notes how a call ended.
	 *
	 * @param departure what `depart` returned for it
	 * @param waitMs how long the service asks to wait, if it says so
	 * @returns whether this begins a pause while the state was open
	 */
	ended(departure: number, end: RequestEnd, now: number, waitMs = 0): boolean {
		if (isAnswer(end)) this.answeredAt = now;
		if (departure !== this.epoch) return false;
		const wasOpen = this.closed === undefined;
		this.inFlight -= 1;
		if (isTurnedAway(end)) this.pause(now, waitMs);
		else if (isAnswer(end)) this.open();
		else if (this.isFailing(end, now)) this.fail(now);
		return wasOpen && isTurnedAway(end);
	}

	/**
	 * Notes how a GET /Me ended, whether it was a probe or a request for the plan.
	 *
	 * @param waitMs how long the service asks to wait, if it says so
	 */
	askedMe(end: RequestEnd, now: number, waitMs = 0): void {
		if (isAnswer(end)) this.answeredAt = this.meAnsweredAt = now;
		if (this.closed?.needsProbe === true) {
			if (isTurnedAway(end)) this.pause(now, waitMs);
			else if (isAnswer(end)) this.closed = { ...this.closed, needsProbe: false };
			else this.fail(now);
		} else if (this.closed === undefined && this.isFailing(end, now)) {
			// Perhaps only /Me fails: try one call before the others leave.
			this.close('outage', now, 0, false);
		}
	}

	/** Whether this end shows that the service is failing. A failed connection may also mean a wrong address. */
	private isFailing(end: RequestEnd, now: number): boolean {
		return end === 'doubtful' || (end === 'unreachable' && this.isKnown(now));
	}

	private open(): void {
		if (this.closed === undefined) {
			this.level = Math.min(MOST, this.level + (this.isSlowStart ? 1 : 1 / this.level));
		}
		this.closed = undefined;
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
		this.closed = { why, since: this.closed?.since ?? now, until: now + waitMs, needsProbe };
		this.epoch += 1;
		this.inFlight = 0;
	}
}

/** Whether the service handled the request: it neither failed nor asked to come back later. */
function isAnswer(end: RequestEnd): boolean {
	return end === 'answered' || end === 'unauthorized';
}
