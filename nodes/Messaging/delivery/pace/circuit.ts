/** The waits before successive tries of what fails, in milliseconds; the last one is used from then on. */
const OUTAGE_WAITS_MS = [0, 1000, 2000, 4000, 8000, 15_000] as const;
/** Waits are longer by up to this fraction, so that n8n servers that failed together do not retry together. */
const JITTER = 0.1;
/** The first wait in milliseconds if the service names no time, the growth factor for further ones, and the longest. */
const FIRST_WAIT_MS = 100;
const WAIT_GROWTH = 1.3;
const LONGEST_WAIT_MS = 30_000;
/** Servers that were refused together and told the same whole seconds are spread over this time at most. */
const SPREAD_MS = 1000;
/** A call is tried after this long even if the service asked for a longer wait: its plan may have changed. */
export const LONGEST_ASKED_MS = 300_000;
/** After this many openings in a row, calls are tried without GET /Me, unless that is known to work here. */
const OPENINGS_WITHOUT_ME = 5;
/** How long an answer proves that GET /Me works, or that the address is right. */
export const KNOWN_FOR_MS = 600_000;

/** A circuit breaker's states. */
export type State =
	/** Normal operation: calls start. */
	| 'closed'
	/** No call starts. */
	| 'open'
	/** The wait is over: one trial call of each channel starts. */
	| 'halfOpen';

/** How a request ended: answered, refused with "later", or without a clear answer or connection. */
export type End = 'answered' | 'refused' | 'failed';

/** What ended: a call, or a GET /Me. */
export type What = 'call' | 'me';

/** Whether a circuit is closed, or what has to be answered to close it. */
export type Mode = 'closed' | 'untilMe' | 'untilCall';

/** The mode that follows from each end. An end that is not listed changes nothing. */
type Table = Partial<Record<Mode, Partial<Record<`${What} ${End}`, Mode>>>>;

/** The service as a whole. docs/internals/gate.md shows both tables. */
export const SERVICE: Table = {
	closed: {
		'call refused': 'untilCall',
		'call failed': 'untilMe',
		'me refused': 'untilCall',
		'me failed': 'untilCall',
	},
	untilMe: { 'me answered': 'closed', 'me refused': 'untilCall', 'me failed': 'untilMe' },
	untilCall: { 'call answered': 'closed', 'call refused': 'untilCall', 'call failed': 'untilMe' },
};

/** One channel. GET /Me says nothing about it. */
export const CHANNEL: Table = {
	closed: { 'call refused': 'untilCall', 'call failed': 'untilCall' },
	untilCall: { 'call answered': 'closed', 'call refused': 'untilCall', 'call failed': 'untilCall' },
};

/** Why a circuit is open, since when, and until when at least. */
export interface Opening {
	readonly why: 'later' | 'outage' | 'channel';
	readonly since: number;
	readonly until: number;
}

/** A circuit breaker: whether calls start, judging by how earlier ones ended. */
export class Circuit {
	mode: Mode = 'closed';
	/** `undefined` while it is closed. */
	opening: Opening | undefined;
	/** When a call, and when GET /Me, was last answered. */
	readonly answeredAt: Record<What, number> = { call: -Infinity, me: -Infinity };
	/** How often it has opened, and how often since the last answer. */
	openings = 0;
	openingsInARow = 0;

	constructor(
		private readonly table: Table,
		private readonly failure: 'outage' | 'channel',
		private readonly random: () => number,
	) {}

	stateAt(now: number): State {
		if (this.opening === undefined) return 'closed';
		return this.mode === 'untilMe' || now < this.opening.until ? 'open' : 'halfOpen';
	}

	/**
	 * Notes the end of a request that started after the circuit last opened.
	 *
	 * @param waitMs how long the answer asks to wait
	 * @returns whether it opens the circuit, again if it was open
	 */
	finished(what: What, end: End | undefined, now: number, waitMs: number): boolean {
		if (end === 'answered') this.openingsInARow = 0;
		const next = end && this.table[this.mode]?.[`${what} ${end}`];
		if (next === undefined) return false;
		this.mode = next;
		if (next === 'closed') this.opening = undefined;
		else this.open(end === 'refused' ? 'later' : this.failure, now, waitMs);
		return next !== 'closed';
	}

	private open(why: Opening['why'], now: number, waitMs: number): void {
		this.opening = { why, since: this.opening?.since ?? now, until: now + this.waitAfter(why, waitMs) };
		this.openings += 1;
		this.openingsInARow += 1;
		const meWorks = now - this.answeredAt.me < KNOWN_FOR_MS;
		if (!meWorks && this.openingsInARow > OPENINGS_WITHOUT_ME) this.mode = 'untilCall';
	}

	/** How long to wait before the next try, in milliseconds. */
	private waitAfter(why: Opening['why'], askedMs: number): number {
		const jitter = 1 + JITTER * this.random();
		const before = this.openingsInARow;
		const asked = Math.min(askedMs, LONGEST_ASKED_MS);
		if (why !== 'later')
			return Math.max(asked, jitter * (OUTAGE_WAITS_MS[before] ?? OUTAGE_WAITS_MS.at(-1) ?? 0));
		const apart = before === 0 ? 0 : this.random() * Math.min(asked, SPREAD_MS);
		const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** before);
		return Math.max(asked + apart, backoff * jitter);
	}
}
