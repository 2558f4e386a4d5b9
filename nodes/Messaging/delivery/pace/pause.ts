import type { RequestEnd } from '../../service/endings';

const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.3;
const LONGEST_PAUSE_MS = 30_000;
/** After this long one request probes, however long the service asked to wait: its plan may have changed. */
const LONGEST_ASKED_MS = 300_000;

/**
 * Waits are asked for in whole seconds. In a window of a second that says nothing: who always knocks at the same moment
 * of it may meet nothing but others' requests, so that probes which are refused again come at any moment of it.
 */
const WHOLE_SECOND_MS = 1_000;

/** Whether a request ended because the service asks to come back. */
export function isTurnedAway(end: RequestEnd): boolean {
	return end === 'throttled' || end === 'unavailable';
}

/** A request that has left, as far as the pause needs to know it again. */
export interface Departure {
	readonly epoch: number;
	readonly isProbe: boolean;
}

/**
 * The quiet that one refusal brings: until it is over nothing leaves, and afterwards a single request probes whether
 * the service takes any before all go on.
 */
export class Pause {
	private until = -Infinity;

	private probing = false;

	private probesUnderWay = 0;

	/** Changes with every refusal that begins a pause: requests that left before it do not lengthen it. */
	private epoch = 0;

	private refusalsInARow = 0;

	/** How long the service asked to wait when the present pause began. */
	private asked = 0;

	constructor(private readonly random: () => number) {}

	/** When the pause is over; in the past when there is none. */
	get endsAt(): number {
		return this.until;
	}

	/** Whether nothing may leave now. */
	isQuiet(now: number): boolean {
		return now < this.until || (this.probing && this.probesUnderWay > 0);
	}

	/**
	 * When the next request may leave; Infinity when that hangs on the end of a probe, not on time.
	 *
	 * @param mayProbe whether its answer would tell if calls are taken
	 */
	opensAt(now: number, mayProbe: boolean): number {
		if (now < this.until) return this.until;
		return this.probing && (!mayProbe || this.probesUnderWay > 0) ? Infinity : now;
	}

	/** Notes that a request leaves. */
	depart(): Departure {
		if (this.probing) this.probesUnderWay += 1;
		return { epoch: this.epoch, isProbe: this.probing };
	}

	/**
	 * Notes how a request ended.
	 *
	 * @param waitMs how long the service asks to wait, where it says so
	 * @returns whether a new pause begins with it
	 */
	ended({ epoch, isProbe }: Departure, end: RequestEnd, now: number, waitMs: number | undefined): boolean {
		if (isProbe) this.probesUnderWay -= 1;
		if (isTurnedAway(end)) return this.begin(epoch, now, waitMs);
		if (end === 'answered' && epoch === this.epoch) {
			this.probing = false;
			this.refusalsInARow = 0;
		}
		return false;
	}

	private begin(epoch: number, now: number, waitMs: number | undefined): boolean {
		const asked = Math.min(waitMs ?? 0, LONGEST_ASKED_MS);
		const isNew = epoch === this.epoch;
		if (isNew) {
			this.epoch += 1;
			this.refusalsInARow += 1;
		} else if (asked <= this.asked) {
			// It left before the pause began and was told nothing new: counted from now, the same wait would end later.
			return false;
		}
		this.asked = asked;
		const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** (this.refusalsInARow - 1));
		// Jitter, so that several n8n servers with one key do not knock together.
		const least = backoff * (1 + 0.1 * this.random());
		const later = this.refusalsInARow > 1 && asked <= WHOLE_SECOND_MS ? this.random() * asked : 0;
		this.until = Math.max(this.until, now + Math.max(asked + later, least));
		this.probing = true;
		return isNew;
	}
}
