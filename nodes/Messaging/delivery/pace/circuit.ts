/** The waits before successive tries of what fails, in milliseconds; the last one is used from then on. */
const OUTAGE_WAITS_MS = [0, 1000, 2000, 4000, 8000, 15_000] as const;
/** Waits are longer by up to this fraction, so that n8n servers that failed together do not retry together. */
const JITTER = 0.1;
/** The first pause in milliseconds if the service names no time, the growth factor for further ones, and the longest. */
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.3;
const LONGEST_PAUSE_MS = 30_000;
/** A call is tried after this long even if the service asked for a longer wait: its plan may have changed. */
const LONGEST_ASKED_MS = 300_000;
/** How many may be in flight after many successes. More bring nothing, as measured. */
const MAX = 128;
/** After a 503, calls keep this gap in milliseconds, doubled by each further 503. */
const FIRST_GAP_MS = 100;
/** A gap that has become smaller than this, in milliseconds, is none. */
const NO_GAP_MS = 1;
/** Each answer makes the gap smaller by one of these factors: slowly below this multiple of the gap at the last 503. */
const GAP_SHRINKS = 0.94;
const GAP_SHRINKS_SLOWLY = 0.995;
const NEAR_THE_LIMIT = 1.5;
/** After a 503, the bound grows by one in this many round trips: each attempt at more may cost a call that stays in doubt. */
const CAREFUL = 8;
/** After this many closures in a row, calls are tried without a probe, unless GET /Me is known to work here. */
const CLOSURES_WITHOUT_ME = 5;
/** How long an answer proves that GET /Me works, or that the address is right. */
export const KNOWN_FOR_MS = 600_000;

/** Whether calls leave, and if not, what is tried first. */
export type State =
	| 'open'
	/** A call failed. GET /Me is asked, at once and then again and again, until it answers. */
	| 'failing'
	/** One call of each channel is tried when the wait is over. */
	| 'trial';

/** How a request ended: answered, turned away with "later", or without a clear answer or connection. */
export type End = 'answered' | 'refused' | 'failed';

/** What ended: a call, or a GET /Me. */
export type What = 'call' | 'me';

/** The state that follows from each end. An end that is not listed changes nothing. */
type Table = Partial<Record<State, Partial<Record<`${What} ${End}`, State>>>>;

/** The service as a whole. docs/internals/gate.md shows both tables. */
export const SERVICE: Table = {
	open: { 'call refused': 'trial', 'call failed': 'failing', 'me refused': 'trial', 'me failed': 'trial' },
	failing: { 'me answered': 'open', 'me refused': 'trial', 'me failed': 'failing' },
	trial: { 'call answered': 'open', 'call refused': 'trial', 'call failed': 'failing' },
};

/** One channel. GET /Me says nothing about it. */
export const CHANNEL: Table = {
	open: { 'call refused': 'trial', 'call failed': 'trial' },
	trial: { 'call answered': 'open', 'call refused': 'trial', 'call failed': 'trial' },
};

/** What holds calls back: why, since when, and until when at least. */
export interface Hold {
	readonly why: 'pause' | 'outage' | 'channel';
	readonly since: number;
	readonly until: number;
}

/** A circuit breaker: whether the calls of one level leave, and how many at once, judging by how earlier ones ended. */
export class Circuit {
	state: State = 'open';
	/** What holds calls back, including during a trial; `undefined` while the state is open. */
	closure: Hold | undefined;
	/** Requests in flight that left after the last closure. Those from before say nothing about the time after it. */
	inFlight = 0;
	/** When a call, and when GET /Me, was last answered. */
	readonly answeredAt: Record<What, number> = { call: -Infinity, me: -Infinity };
	/** How often it has closed, and how often since the last answer. */
	private closures = 0;
	private closuresInARow = 0;
	/** The bound with its decimals. It grows as in TCP: slow start, congestion avoidance after a refusal (RFC 5681). */
	private level = 0;
	private growth: 'slowStart' | 'avoidance' | 'careful' = 'slowStart';
	/** When the last call left, and the least time between two of them, in milliseconds. */
	private leftAt = -Infinity;
	private gapMs = 0;
	/** The gap at the last 503. */
	private refusedGapMs = 0;

	/** @param start how many calls may be in flight at first, and after a failure */
	constructor(
		private readonly table: Table,
		private readonly failure: 'outage' | 'channel',
		private readonly start: () => number,
		private readonly random: () => number,
	) {}

	/** How many calls may be in flight. */
	get bound(): number {
		return Math.floor(this.currentLevel);
	}

	private get currentLevel(): number {
		return this.growth === 'slowStart' ? Math.max(this.level, this.start()) : this.level;
	}

	/** When the next call may leave, if the last GET /Me left at this moment. */
	gapEnd(meLeftAt: number): number {
		return this.gapMs < NO_GAP_MS ? -Infinity : Math.max(this.leftAt, meLeftAt) + this.gapMs;
	}

	/**
	 * Notes that a request leaves, and returns what to call when it has ended.
	 *
	 * `isLimit`: it failed with a 503, with which gateways also limit how many calls may come
	 */
	depart(
		what: What,
		at: number,
	): (end: End | undefined, now: number, waitMs: number, isLimit: boolean) => void {
		const { closures } = this;
		this.inFlight += 1;
		if (what === 'call') this.leftAt = at;
		return (end, now, waitMs, isLimit) => {
			if (end === 'answered') this.answeredAt[what] = now;
			if (closures !== this.closures) return;
			this.inFlight -= 1;
			if (what === 'call' && end === 'answered') this.grow();
			if (isLimit && this.closuresInARow === 0) this.widenGap();
			if (end === 'answered') this.closuresInARow = 0;
			const next = end && this.table[this.state]?.[`${what} ${end}`];
			if (next === undefined) return;
			this.state = next;
			if (next === 'open') this.closure = undefined;
			else {
				const isPause = end === 'refused';
				this.shrink(isPause ? 'avoidance' : isLimit ? 'careful' : 'slowStart');
				this.close(isPause ? 'pause' : this.failure, now, waitMs);
			}
		};
	}

	/** After an answer, more calls may be in flight, and closer to each other. */
	private grow(): void {
		const isNear = this.gapMs < this.refusedGapMs * NEAR_THE_LIMIT;
		this.gapMs *= isNear ? GAP_SHRINKS_SLOWLY : GAP_SHRINKS;
		if (this.state !== 'open') return;
		const level = this.currentLevel;
		const more = { slowStart: 1, avoidance: 1 / level, careful: 1 / level / CAREFUL };
		this.level = Math.min(MAX, level + more[this.growth]);
	}

	private widenGap(): void {
		this.refusedGapMs = this.gapMs;
		this.gapMs = Math.max(FIRST_GAP_MS, this.gapMs * 2);
	}

	private shrink(growth: Circuit['growth']): void {
		this.level = growth === 'slowStart' ? 0 : Math.max(1, this.currentLevel / 2);
		this.growth = growth;
	}

	private close(why: Hold['why'], now: number, waitMs: number): void {
		this.closure = { why, since: this.closure?.since ?? now, until: now + this.waitAfter(why, waitMs) };
		this.closures += 1;
		this.closuresInARow += 1;
		const meWorks = now - this.answeredAt.me < KNOWN_FOR_MS;
		if (!meWorks && this.closuresInARow > CLOSURES_WITHOUT_ME) this.state = 'trial';
		this.inFlight = 0;
	}

	/** How long to wait before the next try, in milliseconds. */
	private waitAfter(why: Hold['why'], askedMs: number): number {
		const jitter = 1 + JITTER * this.random();
		const before = this.closuresInARow;
		const asked = Math.min(askedMs, LONGEST_ASKED_MS);
		if (why !== 'pause')
			return Math.max(asked, jitter * (OUTAGE_WAITS_MS[before] ?? OUTAGE_WAITS_MS.at(-1) ?? 0));
		// Servers that share a key, refused and told the same whole seconds, would otherwise be refused together again.
		const apart = before === 0 ? 0 : this.random() * Math.min(asked, 1000);
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** before);
		return Math.max(asked + apart, backoff * jitter);
	}
}
