import { Gap } from './gap';

/**
 * How many calls may be in flight after many answers. Half: long lists to a slow service take longer. Double: no gain, as
 * measured, and twice as many in doubt after an outage.
 */
const MOST = 128;
/**
 * The waits before successive tries of what fails, in milliseconds; the last one is used from then on. Half: a service that
 * is down is asked twice as often. Double: a list goes on up to 30 s after the service is back.
 */
const OUTAGE_WAITS_MS = [0, 1000, 2000, 4000, 8000, 15_000] as const;
/**
 * Waits are longer by up to this fraction, so that n8n servers that failed together do not retry together. Half: those of
 * short waits do. Double: each wait is up to a fifth longer.
 */
const JITTER = 0.1;
/**
 * The first wait in milliseconds if the service names no time, the growth factor for further ones, and the longest. Half of
 * the first: more refusals before a limit has a free place. Double: each refusal costs 0.1 s more. Growth by half of 0.3:
 * more refusals by a long limit. By double: the list begins again up to 60 % of the limit's time too late. Half of the
 * longest: twice as many refusals by a limit of hours. Double: the list begins again up to a minute too late.
 */
export const FIRST_WAIT_MS = 100;
export const WAIT_GROWTH = 1.3;
export const LONGEST_WAIT_MS = 30_000;
/**
 * Servers that were refused together and told the same whole seconds are spread over this time at most. Half: more of them
 * are refused again. Double: the list waits a second longer.
 */
const SPREAD_MS = 1000;
/**
 * A call is tried after this long even if the service asked for a longer wait: its plan may have changed. Half: twice as
 * many refusals by a plan of a day. Double: a raised plan is noticed after ten minutes.
 */
export const LONGEST_ASKED_MS = 300_000;
/**
 * After this many openings in a row, calls are tried without GET /Me, unless that is known to work here. Half: in a short
 * outage, messages are tried and left in doubt. Double: where only /Me fails, lists wait for minutes.
 */
const OPENINGS_WITHOUT_ME = 5;
/**
 * How long an answer proves that GET /Me works, or that the address is right. Half: an outage after a quiet time counts as a
 * wrong address more often. Double: a wrong address counts as an outage for longer.
 */
export const KNOWN_FOR_MS = 600_000;

/** How a request ended: answered, refused with "later", or without a clear answer or connection. */
export type End = 'answered' | 'refused' | 'failed';

/** What ended: a call, or a GET /Me. */
export type What = 'call' | 'me';

/** A request that has ended, as far as it matters here. */
export interface Ended {
	readonly what: What;
	/** `undefined` if the end says nothing. */
	readonly end: End | undefined;
	readonly now: number;
	/** How long the answer asks to wait, in milliseconds. */
	readonly waitMs: number;
	/** A 503 that proves nothing: perhaps the limit of a gateway. */
	readonly mayBeLimit: boolean;
	/** Whether the refusal is that of its recipient alone. */
	readonly isOfOne: boolean;
}

/**
 * A circuit breaker with a limit of calls in flight, of the service or of one channel: what its calls are told decides
 * whether more of them start, and how many at once. The limit follows TCP: slow start, and after a refusal congestion
 * avoidance (RFC 5681).
 */
export class Breaker {
	/** Why it is open, since when, when it last opened, and until when at least; `undefined` while it is closed. */
	opening: { why: 'later' | 'outage' | 'channel'; since: number; at: number; until: number } | undefined;
	/** What has to be answered to close it. */
	private closedBy: What = 'call';
	/** How often it has opened, and how often since the last answer. */
	protected openings = 0;
	private openingsInARow = 0;
	/** When a call, and when GET /Me, was last answered. */
	readonly answeredAt: Record<What, number> = { call: -Infinity, me: -Infinity };
	/** Requests in flight that started after it last opened. Those from before say nothing about the time after it. */
	inFlight = 0;
	/** The limit with its decimals. */
	private level = 0;
	private isSlowStart = true;
	/** How many requests have started, and how many had when the limit was last made smaller. */
	private starts = 0;
	private startsBefore = 0;
	readonly gap = new Gap();

	/**
	 * @param failure what it is when calls fail
	 * @param first how many calls may be in flight at first, and after a failure
	 */
	constructor(
		private readonly failure: 'outage' | 'channel',
		private readonly first: () => number,
		private readonly random: () => number,
	) {}

	/** Whether no call starts now. If it is open but for this, one call of each channel is tried. */
	isShut(now: number): boolean {
		return this.opening !== undefined && (this.waitsForMe || now < this.opening.until);
	}

	/** Whether GET /Me has to be answered before a call starts. */
	get waitsForMe(): boolean {
		return this.opening !== undefined && this.closedBy === 'me';
	}

	/** How many calls may be in flight. */
	get most(): number {
		return Math.floor(this.isSlowStart ? Math.max(this.level, this.first()) : this.level);
	}

	/** Notes that a request starts. Returns what to call when it has ended; without an end, it was not sent. */
	start(now: number): (ended?: Ended) => void {
		const { opening, openings } = this;
		// Calls could be tried before, but waited for a slot of the plan or a pause: that does not count for Max Wait.
		if (opening !== undefined && this.inFlight === 0 && now > opening.until) {
			opening.since += now - opening.until;
			opening.until = now;
		}
		const number = ++this.starts;
		this.inFlight += 1;
		this.gap.start(now);
		return (ended) => {
			if (ended?.end === 'answered') this.answeredAt[ended.what] = ended.now;
			if (openings === this.openings) {
				this.inFlight -= 1;
				if (ended !== undefined) this.note(ended, number);
			} else if (ended?.end === 'answered') this.gap.witness(number, 'answered');
			else if (ended?.mayBeLimit === true) this.gap.witness(number, 'refused');
		};
	}

	private note({ what, end, isOfOne, now, waitMs, mayBeLimit }: Ended, number: number): void {
		if (end === 'answered') {
			this.openingsInARow = 0;
			if (what === 'call') this.gap.answer();
			if (this.opening === undefined && what === 'call') {
				this.level = Math.min(MOST, this.isSlowStart ? this.most + 1 : this.level + 1 / this.level);
			} else if (what === this.closedBy) {
				this.opening = undefined;
				this.gap.close(now);
			}
			return;
		}
		// While the other kind of request decides, this one says nothing.
		if (end === undefined || (this.opening !== undefined && what !== this.closedBy)) return;
		const isLimit = mayBeLimit && this.gap.isPossible(now);
		if (end === 'refused' || isLimit) this.shrink(number);
		if (isOfOne) return;
		if (isLimit) this.gap.refuse(number, this.openingsInARow === 0, now);
		const asksMe = this.failure === 'outage' && end === 'failed' && (what === 'call' || this.waitsForMe);
		this.open(end === 'refused' ? 'later' : this.failure, now, waitMs, asksMe ? 'me' : 'call');
		if (end === 'refused' || isLimit) return;
		this.level = 0;
		this.isSlowStart = true;
	}

	/** Halves the limit, unless the request started before it was last made smaller. */
	private shrink(number: number): void {
		if (number <= this.startsBefore) return;
		this.startsBefore = this.starts;
		this.level = Math.max(1, this.most / 2);
		this.isSlowStart = false;
	}

	private open(why: 'later' | 'outage' | 'channel', now: number, waitMs: number, closedBy: What): void {
		const since = this.opening?.since ?? now;
		this.opening = { why, since, at: now, until: now + this.waitAfter(why, waitMs) };
		this.openings += 1;
		this.openingsInARow += 1;
		this.inFlight = 0;
		const meWorks = now - this.answeredAt.me < KNOWN_FOR_MS;
		this.closedBy = meWorks || this.openingsInARow <= OPENINGS_WITHOUT_ME ? closedBy : 'call';
	}

	/** How long to wait before the next try, in milliseconds. */
	private waitAfter(why: 'later' | 'outage' | 'channel', askedMs: number): number {
		const jitter = 1 + JITTER * this.random();
		const before = this.openingsInARow;
		const asked = Math.min(askedMs, LONGEST_ASKED_MS);
		if (why !== 'later') return Math.max(asked, jitter * (OUTAGE_WAITS_MS[before] ?? 15_000));
		const apart = before === 0 ? 0 : this.random() * Math.min(asked, SPREAD_MS);
		const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** before);
		return Math.max(asked + apart, backoff * jitter);
	}
}
