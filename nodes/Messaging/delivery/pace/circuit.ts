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
/** After this many closures in a row, a call is tried without a probe, unless GET /Me is known to work here. */
const CLOSURES_WITHOUT_ME = 5;

/** Whether calls leave, and if not, what is tried first. */
export type State =
	| 'open'
	/** A call failed. GET /Me is asked at once: if it answers, only the call's channel is closed. */
	| 'inQuestion'
	/** GET /Me fails as well, and is asked again and again. */
	| 'failing'
	/** A single call is tried when the wait is over. */
	| 'trial';

/** How a request ended: answered, turned away with "later", or without a clear answer or connection. */
export type End = 'answered' | 'refused' | 'failed';

/** What ended: a call, or a GET /Me. */
export type What = 'call' | 'me';

/** The state that follows from each end. An end that is not listed changes nothing. */
type Table = Partial<Record<State, Partial<Record<`${What} ${End}`, State>>>>;

/** The service as a whole. docs/internals/gate.md shows both tables. */
export const SERVICE: Table = {
	open: { 'call refused': 'trial', 'call failed': 'inQuestion', 'me failed': 'trial' },
	inQuestion: { 'me answered': 'open', 'me refused': 'trial', 'me failed': 'failing' },
	failing: { 'me answered': 'trial', 'me refused': 'trial', 'me failed': 'failing' },
	trial: { 'call answered': 'open', 'call refused': 'trial', 'call failed': 'inQuestion' },
};

/** One channel. A refusal is about the key, and leaves the channel as it is. */
export const CHANNEL: Table = {
	open: { 'call failed': 'trial' },
	trial: { 'call answered': 'open', 'call failed': 'trial' },
};

/** A time in which calls are held back. */
export interface Closure {
	readonly why: 'pause' | 'outage' | 'channel';
	readonly since: number;
	/** When the next probe or trial may leave. */
	readonly until: number;
}

/** When a request ended, how long the service asks to wait (0 if it does not say), and whether /Me answered lately. */
interface Circumstances {
	readonly now: number;
	readonly waitMs: number;
	readonly meWorks: boolean;
}

/** A circuit breaker: whether the calls of one level leave, judging by how earlier requests ended. */
export class Circuit {
	state: State = 'open';

	/** The current closure, including during a trial; `undefined` while the state is open. */
	closure: Closure | undefined;

	/** Changes with each closure: a request that left before a closure says nothing about the time after it. */
	epoch = 0;

	/** Calls of the current epoch that are in flight. */
	inFlight = 0;

	private closuresInARow = 0;

	constructor(
		private readonly table: Table,
		private readonly failure: 'outage' | 'channel',
		private readonly random: () => number,
	) {}

	/** When a call may leave; Infinity if that depends on how another request ends. */
	mayLeaveAt(now: number, isCounted = true): number {
		if (this.closure === undefined) return now;
		const isTrial = this.state === 'trial' && (this.inFlight === 0 || !isCounted);
		return isTrial ? Math.max(now, this.closure.until) : Infinity;
	}

	/**
	 * Notes that a request leaves, and returns what to call when it has ended: whether it left since the last closure.
	 *
	 * @param isCounted whether it counts as in flight
	 */
	depart(what: What, isCounted: boolean): (end: End | undefined, by: Circumstances) => boolean {
		const { epoch } = this;
		if (isCounted) this.inFlight += 1;
		return (end, by) => {
			if (epoch !== this.epoch) return false;
			if (isCounted) this.inFlight -= 1;
			const next = end && this.table[this.state]?.[`${what} ${end}`];
			if (end === 'answered') this.closuresInARow = 0;
			if (next === 'open') [this.state, this.closure] = [next, undefined];
			else if (next !== undefined && end !== undefined) this.close(next, end, by);
			return true;
		};
	}

	private close(next: State, end: End, { meWorks, now, waitMs }: Circumstances): void {
		const why = end === 'refused' ? 'pause' : this.failure;
		const until = now + (end === 'answered' ? 0 : this.waitAfter(why, waitMs));
		this.closure = { why, since: this.closure?.since ?? now, until };
		if (end !== 'answered') this.closuresInARow += 1;
		this.state = meWorks || this.closuresInARow <= CLOSURES_WITHOUT_ME ? next : 'trial';
		this.epoch += 1;
		this.inFlight = 0;
	}

	/** How long to wait before the next try, in milliseconds. */
	private waitAfter(why: Closure['why'], askedMs: number): number {
		const jitter = 1 + JITTER * this.random();
		const before = this.closuresInARow;
		if (why !== 'pause') return jitter * (OUTAGE_WAITS_MS[before] ?? OUTAGE_WAITS_MS.at(-1) ?? 0);
		const asked = Math.min(askedMs, LONGEST_ASKED_MS);
		// Servers that share a key, refused and told the same whole seconds, would otherwise be refused together again.
		const apart = before === 0 ? 0 : this.random() * Math.min(asked, 1000);
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** before);
		return Math.max(asked + apart, backoff * jitter);
	}
}
