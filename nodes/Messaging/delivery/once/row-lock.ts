import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../report/wording';
import type { LockRow } from './key-store';

/** How long a holder may begin writes, and release the lock, in milliseconds. */
const LEASE_MS = { write: 3000, release: 5000 };
/** A write that ends later than this may not count. */
const SURE_MS = 10_000;
/** How long to wait before the first look at the row's number, and between looks at its own or another's number. */
const PATIENT_MS = 600;
const LOOK_MS = { own: 1000, other: 3000 };
/** How long a number has to stay until its waiter takes the lock. */
const ABANDONED_MS = 10_000;
/** How much longer than another waiter one has to wait to exceed its number. */
const LEAD_MS = 4000;
/** How long a row may hold a higher number, with no sign of a change, until it counts as foreign. */
const FOREIGN_MS = 60_000;
/** The first and the longest pause between two tries. */
const PAUSE_MS = { first: 3, longest: 12 };

/** NaN can't be compared with what a row holds: this makes a missing row and leaves an existing one unchanged. */
const MAKING = Number.NaN;
/** Lower than any row's content, so it counts as higher only if there was no row. */
const LOWEST = -Number.MAX_VALUE;
/** A waiter's number grows by this each millisecond. It stays below 1, at which foreign ids and counters begin. */
const PER_MS = 1e-9;

/**
 * A workflow's lock, as one process sees it. The row is the lock: INSERT takes it, which the primary key allows to one
 * process only, and DELETE releases it. A waiter retries after a few random milliseconds; a retry only reads. A holder
 * begins no write later than 3 s after it began to take the lock, and no DELETE later than 5 s. So a row older than 10 s
 * is abandoned: its holder has died. To find that out, a waiter puts a unique number into the row every second: for how
 * long it has been waiting. The highest stays. While a waiter finds its own, the row is the same (a new one holds 0),
 * and no other waiter finds its own. After 10 s it holds the lock. The row stays, so that no other process can insert
 * one in between. The number of a waiter that died stops growing, so another's exceeds it. If none does for 60 s, it is foreign.
 */
export class RowLock {
	/** The numbers that this process put into the row, and since when every look has found one of them. */
	private own: readonly number[] = [];
	private since = 0;
	/** Since when this process has been waiting, when it looks next, and when it last saw that the row is not foreign. */
	private waitsSince = 0;
	private looksAt = 0;
	private changedAt = 0;
	/** Since when it holds the lock, or tries to take it, and whether it has begun a write. */
	private heldSince = 0;
	private hasWritten = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/**
	 * Takes the lock, waiting as long as it is wanted.
	 *
	 * @returns whether it is held now; a failure if the row is foreign
	 * @throws what the store throws
	 */
	async take(row: LockRow, isWanted: () => boolean): Promise<boolean | Failure> {
		this.hasWritten = false;
		this.waitsSince = this.clock.now();
		this.changedAt = this.waitsSince;
		this.looksAt = this.waitsSince + (PATIENT_MS * (1 + this.random())) / 2;
		for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * 2, PAUSE_MS.longest)) {
			this.heldSince = this.clock.now();
			const made = await row.raise([MAKING]);
			const isMade = made?.includes(MAKING) === true;
			// Another process has made the row.
			if (made?.length === 0) this.changedAt = this.heldSince;
			const taken = isMade || (this.heldSince >= this.looksAt && (await this.look(row)));
			if (taken === true) this.own = [];
			if (taken !== false) return taken;
			await this.clock.sleep(pause * (0.5 + this.random()));
		}
		return false;
	}

	/**
	 * Writes under the lock.
	 *
	 * @returns `undefined` if it is too late after another write: nothing was written, and the lock must be taken again
	 * @throws what the store throws, and an error if it is too late for the first write, or if it may not count
	 */
	async write<T>(statement: () => Promise<T>): Promise<T | undefined> {
		if (this.isHeldFor(LEASE_MS.write)) {
			if (this.hasWritten) return undefined;
			throw new Error('n8n took more than three seconds to lock keys');
		}
		this.hasWritten = true;
		const written = await statement();
		if (this.isHeldFor(SURE_MS)) throw new Error('n8n took more than ten seconds to note keys');
		return written;
	}

	/** Releases the lock. After the lease, it is left to the waiters. Never rejects. */
	async release(row: LockRow): Promise<void> {
		// Not retried: it may have taken effect, and the row may be another process's by now.
		if (!this.isHeldFor(LEASE_MS.release)) await row.remove().catch(() => {});
	}

	private isHeldFor(ms: number): boolean {
		return this.clock.now() - this.heldSince > ms;
	}

	/** Looks at the row's number, and raises it unless it is an older waiter's; the result is that of `take`. */
	private async look(row: LockRow): Promise<boolean | Failure> {
		const began = this.clock.now();
		this.heldSince = began;
		const waited = began - this.waitsSince;
		const { own } = this;
		// If a statement fails, the content of the row is unknown.
		this.own = [];
		const probes = own.length > 0 ? own.flatMap((number) => [number, next(number)]) : [this.numberAt(waited)];
		const higher = await row.raise([LOWEST, ...probes]);
		if (higher === undefined) return FOREIGN_ROW;
		this.looksAt = began + (higher.length > 0 ? LOOK_MS.own : LOOK_MS.other);
		if (higher.length === 0) return began - this.changedAt >= FOREIGN_MS && FOREIGN_ROW;
		this.changedAt = began;
		if (higher.includes(LOWEST)) return true;
		// Another waiter may have written back an earlier number of this process.
		const isSame = own.some((number) => next(number) === Math.min(...higher));
		if (isSame && began - this.since >= ABANDONED_MS) return true;
		const number = this.numberAt(waited + LEAD_MS);
		this.heldSince = this.clock.now();
		const raised = await row.raise([LOWEST, number]);
		const now = this.clock.now();
		// During a look that is longer than the lease, another waiter may have taken the lock.
		if (!isSame || now - began > LEASE_MS.release) this.since = now;
		this.own = [...(isSame ? own : []), Math.max(...probes), number];
		return raised?.includes(LOWEST) === true;
	}

	/** The number of a waiter after this time; no two waiters have the same. */
	private numberAt(ms: number): number {
		return (ms + this.random()) * PER_MS;
	}
}

/** The lowest number above this one that a row can hold. */
function next(number: number): number {
	return number * (1 + Number.EPSILON);
}
