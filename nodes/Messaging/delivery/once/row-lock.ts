import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../report/wording';
import type { LockRow } from './key-store';

/** How long a holder may begin writes, in milliseconds; a write that ends after SURE_MS may not count. */
const LEASE_MS = 5000;
const SURE_MS = 10_000;
/** How long to wait before the first look at the row's number, and between two looks. */
const PATIENT_MS = 600;
const LOOK_MS = 1000;
/** How long a number has to stay until its waiter takes the lock, and a higher one until the row counts as foreign. */
const ABANDONED_MS = 10_000;
const FOREIGN_MS = 60_000;
/** The first and the longest pause between two tries. */
const PAUSE_MS = { first: 3, longest: 12 };

/** NaN can't be compared with what a row holds: this makes a missing row and leaves an existing one unchanged. */
const MAKING = [Number.NaN];
/** Lower than any row's content, so it counts as higher only if there was no row. */
const LOWEST = -Number.MAX_VALUE;
/** A waiter's number grows by this for each millisecond. Foreign ids and counters begin at 1. */
const PER_MS = 1e-9;
/** How much longer than another one a waiter has to wait to exceed its number, in milliseconds. */
const LEAD_MS = 3000;
/** No other waiter's number lies between a number and the number plus this. */
const NEXT_TO = 1e-18;

/**
 * A workflow's lock, as one process sees it. The row is the lock: INSERT takes it, which the primary key allows to one
 * process only, and DELETE releases it. A waiter retries after a few random milliseconds; a retry only reads. A holder
 * begins no write, nor the DELETE, later than 5 s after it began to take the lock. So a row older than 10 s is
 * abandoned: its holder has died. To find that out, a waiter puts a number into the row every second: how long it has
 * been waiting. The highest stays. As long as a waiter finds a number of its own, the row is the same, because a new
 * one holds 0. After 10 s of that it holds the lock, and no other waiter can. The row stays, so that no other process
 * can insert one in between. The number of a waiter that died no longer grows, so another waiter's number exceeds it
 * in time. One that is not exceeded within a minute is foreign.
 */
export class RowLock {
	/** The numbers that this process put into the row, oldest first; none while the row holds a higher one. */
	private own: readonly number[] = [];
	/** Since when every look has found one of them, or each time a higher one. */
	private since = 0;
	/** Since when this process has been waiting, when it looks next, and since when it holds the lock. */
	private waitsSince = 0;
	private looksAt = 0;
	private heldSince = 0;

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
		this.waitsSince = this.clock.now();
		this.since = this.waitsSince;
		this.looksAt = this.waitsSince + (PATIENT_MS * (1 + this.random())) / 2;
		this.own = [];
		for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * 2, PAUSE_MS.longest)) {
			this.heldSince = this.clock.now();
			const made = await row.raise(MAKING);
			if (typeof made === 'object' && made.length > 0) return true;
			const taken = this.clock.now() >= this.looksAt && (await this.look(row));
			if (taken !== false) return taken;
			await this.clock.sleep(pause * (0.5 + this.random()));
		}
		return false;
	}

	/**
	 * Writes under the lock.
	 *
	 * @returns `undefined` if the lease is over: nothing was written, and the lock must be taken again first
	 * @throws what the store throws, and an error if the write took so long that it may not count
	 */
	async write<T>(statement: () => Promise<T>): Promise<T | undefined> {
		if (this.isHeldFor(LEASE_MS)) return undefined;
		const written = await statement();
		if (this.isHeldFor(SURE_MS)) throw new Error('n8n took more than ten seconds to note keys');
		return written;
	}

	/** Releases the lock. After the lease, it is left to the waiters. Never rejects. */
	async release(row: LockRow): Promise<void> {
		// Not retried: it may have taken effect, and the row may be another process's by now.
		if (!this.isHeldFor(LEASE_MS)) await row.remove().catch(() => {});
	}

	private isHeldFor(ms: number): boolean {
		return this.clock.now() - this.heldSince > ms;
	}

	/** Finds out whose number the row holds, and raises an own one; the result is that of `take`. */
	private async look(row: LockRow): Promise<boolean | Failure> {
		const began = this.clock.now();
		this.heldSince = began;
		const age = began - this.waitsSince;
		const ownOnes = this.own.flatMap((own) => [own, own + NEXT_TO]);
		const probe = Math.max(this.numberAt(age - LEAD_MS), ...ownOnes);
		const higher = await row.raise([LOWEST, ...ownOnes, probe]);
		const now = this.clock.now();
		this.looksAt = now + LOOK_MS;
		if (higher === 'refused') return FOREIGN_ROW;
		if (higher === 'made') return false;
		if (higher.includes(LOWEST)) return true;
		const isHigher = higher.length === 0;
		// It held an own number, if a number next to one is the lowest that was higher.
		const isOwn = this.own.some((own) => own + NEXT_TO === Math.min(...higher));
		// During a look as long as this, another waiter may have taken the lock.
		const isAsBefore = isHigher ? this.own.length === 0 : isOwn && now - began <= LEASE_MS;
		if (!isAsBefore) this.since = now;
		if (isOwn && began - this.since >= ABANDONED_MS) return true;
		const number = this.numberAt(age);
		this.own = isHigher ? [] : [...(isOwn ? this.own : []), probe, number];
		if (isHigher) return now - this.since >= FOREIGN_MS && FOREIGN_ROW;
		const raised = await row.raise([LOWEST, number]);
		return typeof raised === 'object' && raised.includes(LOWEST);
	}

	private numberAt(age: number): number {
		return (Math.max(0, age) + this.random()) * PER_MS;
	}
}
