import { isTurnedAway, type RequestEnd } from '../../service/endings';
import { AdaptiveLimiter } from './limiter';

/** The first pause where the service names no time; each further one is longer by this factor, up to the longest. */
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.3;
const LONGEST_PAUSE_MS = 30_000;
/** After this long a call is tried, however long the service asked to wait: its plan may have changed. */
const LONGEST_ASKED_MS = 300_000;
/** How long to wait before each try of a service that fails; the last of these for all further ones. */
const OUTAGE_WAITS_MS = [0, 1000, 2000, 4000, 8000, 15_000] as const;
/** After so many failures in a row, calls themselves are tried if GET /Me is not known to work here at all. */
const FAILURES_WITHOUT_ME = 5;
/** A service that has answered within this time is known: a connection to it that can't be made is an outage. */
const KNOWN_FOR_MS = 600_000;

/** A request that has left, as far as it matters when it ends. */
export interface Departure {
	readonly epoch: number;
	readonly isTrial: boolean;
}

/** That calls don't leave now. */
export interface Closure {
	readonly why: 'pause' | 'outage';
	readonly since: number;
	/** When the next probe or trial may leave. */
	readonly until: number;
	/** Whether a probe has to be answered before a call is tried. */
	readonly needsProbe: boolean;
}

/**
 * Whether the service takes calls now, as far as the ends of earlier requests tell: a circuit breaker.
 *
 *   state    what may leave                       what comes next
 *   open     calls, few at once after a closure   a refusal: pause; a doubtful end: outage
 *   pause    nothing until its time is over       then: trial
 *   outage   a probe, once its wait is over       an answer below 500: trial; none: outage, with a longer wait
 *   trial    one call                             an answer: open; a refusal: pause; a doubtful end: outage,
 *                                                 with a longer wait
 *
 * A refusal is a 429, or a 503 with Retry-After: not processed. A doubtful end is any other answer from 500 up, or a
 * broken connection, or none in time: perhaps processed. A probe is a GET /Me. Only a call's answer opens the gate and
 * makes the waits short again: a service may answer /Me and fail every send.
 */
export class Availability {
	private closed: Closure | undefined;

	/** Changes with each closure: how requests end that left before says nothing about the time after it. */
	private epoch = 0;

	/** Calls of the present epoch that have left and not ended. */
	private inFlight = 0;

	private isProbing = false;

	/** How many may be in flight while the gate opens again; `undefined` when that is done. */
	private opening: AdaptiveLimiter | undefined;

	private refusalsInARow = 0;

	private failuresInARow = 0;

	private answeredAt = -Infinity;

	/** Whether the last GET /Me that tells was answered. */
	private meWorks = false;

	constructor(private readonly random: () => number) {}

	/** The present closure, a trial's as well; `undefined` while the state is open. */
	get closure(): Closure | undefined {
		return this.closed;
	}

	/** Whether the service has answered lately: if it can't be reached now, that is an outage and no wrong address. */
	isKnown(now: number): boolean {
		return this.closed?.why === 'outage' || now - this.answeredAt < KNOWN_FOR_MS;
	}

	/** When the next call may leave; Infinity when that depends on how another request ends. */
	callMayLeaveAt(now: number): number {
		if (this.closed === undefined) {
			return this.opening === undefined || this.inFlight < this.opening.bound ? now : Infinity;
		}
		return this.closed.needsProbe || this.inFlight > 0 ? Infinity : Math.max(now, this.closed.until);
	}

	/** When a probe is due; Infinity when none is. */
	get probeDueAt(): number {
		return this.closed?.needsProbe === true && !this.isProbing ? this.closed.until : Infinity;
	}

	/** Notes that a call leaves. */
	depart(): Departure {
		this.inFlight += 1;
		return { epoch: this.epoch, isTrial: this.closed !== undefined };
	}

	/**
	 * Notes how a call ended.
	 *
	 * @param waitMs how long the service asks to wait, where it says so
	 * @returns whether a pause begins with it
	 */
	ended({ epoch }: Departure, end: RequestEnd, now: number, waitMs = 0): boolean {
		// Where the address may be wrong, a failed connection says nothing about later calls.
		const isNews = end !== 'silent' && (end !== 'unreachable' || this.isKnown(now));
		if (isAnswer(end)) this.answeredAt = now;
		if (epoch !== this.epoch) return false;
		this.inFlight -= 1;
		if (isTurnedAway(end)) this.pause(now, waitMs);
		else if (isNews && !isAnswer(end)) this.fail(now);
		else if (end !== 'silent') this.open();
		return isTurnedAway(end);
	}

	/** Notes that a probe leaves. */
	probe(): void {
		this.isProbing = true;
	}

	/** Notes how a probe ended; see `ended`. One without news is made again, by somebody else. */
	probed(end: RequestEnd, now: number, waitMs = 0): void {
		this.isProbing = false;
		if (end === 'silent' || this.closed === undefined) return;
		if (isTurnedAway(end)) this.pause(now, waitMs);
		else if (isAnswer(end)) {
			this.answeredAt = now;
			this.meWorks = true;
			this.closed = { ...this.closed, needsProbe: false };
		} else this.fail(now);
	}

	/** Notes how a GET /Me ended that was no probe: where it fails, one call is tried before the others leave. */
	askedMe(end: RequestEnd, now: number): void {
		if (end === 'silent' || isTurnedAway(end)) return;
		this.meWorks = isAnswer(end);
		const isOutage = end === 'doubtful' || (end === 'unreachable' && this.isKnown(now));
		if (isOutage && this.closed === undefined) this.close('outage', now, now, false);
	}

	private open(): void {
		if (this.closed !== undefined) this.opening = new AdaptiveLimiter();
		else this.opening?.sample(false);
		if (this.opening?.isWideOpen === true) this.opening = undefined;
		this.closed = undefined;
		this.refusalsInARow = 0;
		this.failuresInARow = 0;
	}

	private pause(now: number, waitMs: number): void {
		const asked = Math.min(waitMs, LONGEST_ASKED_MS);
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** this.refusalsInARow);
		// n8n servers with one key, refused at the same moment and told the same whole seconds, would meet again and again.
		const jitter = this.refusalsInARow === 0 ? 0 : this.random() * Math.min(asked, 1000);
		this.refusalsInARow += 1;
		const lengthMs = Math.max(asked + jitter, backoff * (1 + 0.1 * this.random()));
		this.close('pause', now, now + lengthMs, false);
	}

	private fail(now: number): void {
		const waitMs = OUTAGE_WAITS_MS[this.failuresInARow] ?? OUTAGE_WAITS_MS.at(-1) ?? 0;
		this.failuresInARow += 1;
		const needsProbe = this.meWorks || this.failuresInARow <= FAILURES_WITHOUT_ME;
		this.close('outage', now, now + waitMs * (1 + 0.2 * this.random()), needsProbe);
	}

	private close(why: Closure['why'], now: number, until: number, needsProbe: boolean): void {
		this.closed = { why, since: this.closed?.since ?? now, until, needsProbe };
		this.opening = undefined;
		this.epoch += 1;
		this.inFlight = 0;
	}
}

/** Whether the service has dealt with the request, whatever it says. */
function isAnswer(end: RequestEnd): boolean {
	return end === 'answered' || end === 'unauthorized';
}
