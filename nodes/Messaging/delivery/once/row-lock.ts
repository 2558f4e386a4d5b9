import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../report/wording';
import type { LockRow } from './key-store';

/** How long a holder may begin writes, in milliseconds; a write that ends after SURE_MS may not count. */
const LEASE_MS = 5000;
const SURE_MS = 10_000;
/** How long to wait before putting a number into the row, how often to check it, and how long it has to stay. */
const PATIENT_MS = 600;
const LOOK_MS = 1000;
const ABANDONED_MS = 10_000;
/** How long to wait for another waiter, which may have died. */
const INSIST_MS = 16_000;
/** The first and the longest pause between two tries. */
const PAUSE_MS = { first: 3, longest: 12 };

/** NaN can't be compared with what a row holds: this makes a missing row and leaves an existing one unchanged. */
const MAKING = [Number.NaN];
/** Lower than any row's content, so it counts as higher only if there was no row. */
const LOWEST = -Number.MAX_VALUE;
/** What waiters put into the row, and the step by which they raise it. Foreign ids and counters begin at 1. */
const ASKING = 0.1;
const WATCHING = 0.25;
const STEP = 2 ** -50;
/** Higher than any number, and saved as 0, because JSON has no infinity. */
const RESET = Number.POSITIVE_INFINITY;
/** How often in a row a row's number may be higher than our highest before the row counts as foreign. */
const MOST_IN_THE_WAY = 8;

/**
 * A workflow's lock, as one process sees it. The row is the lock: INSERT takes it, which the primary key allows to one
 * process only, and DELETE releases it. A waiter retries after a few random milliseconds; a retry only reads. A holder
 * begins no write, nor the DELETE, later than 5 s after it began to take the lock. So a row older than 10 s is
 * abandoned: its holder has died. To find that out, a waiter puts a unique number into the row and raises it slightly
 * every second. As long as it finds its last number, the row is the same (a new one holds 0), and no other waiter can
 * find its own. After 10 s the waiter holds the lock. The row stays, so that no other process can insert one in
 * between. A later waiter leaves the number alone. If it is still there after 16 s, the first waiter has died too, and
 * the later one sets the row to 0. A row with a number higher than any of ours is foreign.
 */
export class RowLock {
	/** The number of this process in the row, and since when every check has found it. */
	private own: { number: number; since: number } | undefined;
	/** When to check next whether the lock is abandoned. */
	private looksAt = 0;
	/** How often in a row a higher number was found, and how often another waiter's number was reset to 0. */
	private inTheWay = 0;
	private resets = 0;
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
		this.looksAt = this.clock.now() + (PATIENT_MS * (1 + this.random())) / 2;
		this.inTheWay = 0;
		this.resets = 0;
		for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * 2, PAUSE_MS.longest)) {
			this.heldSince = this.clock.now();
			const made = await row.raise(MAKING);
			if ((typeof made === 'object' && made.length > 0) || (await this.isAbandoned(row))) {
				this.own = undefined;
				return true;
			}
			if (this.inTheWay > MOST_IN_THE_WAY) return FOREIGN_ROW;
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

	/** Takes the next step to find out whether the row is abandoned; true if this process now holds the lock. */
	private async isAbandoned(row: LockRow): Promise<boolean> {
		const now = this.clock.now();
		if (now < this.looksAt) return false;
		this.looksAt = now + LOOK_MS;
		if (this.own !== undefined) return await this.look(row, this.own);
		return this.inTheWay === 0 ? await this.ask(row) : await this.insist(row);
	}

	/** Puts a number of this process into the row, unless another waiter's is there. */
	private async ask(row: LockRow): Promise<boolean> {
		const asked = await this.raise(row, ASKING);
		if (asked === 0) this.waitForOther();
		if (asked !== 1) return asked === 2;
		const number = WATCHING * (1 + this.random());
		const put = await this.raise(row, number);
		if (put === 1) this.own = { number, since: this.clock.now() };
		return put === 2;
	}

	/** Checks whether this process's number is still there, and raises it. */
	private async look(row: LockRow, { number, since }: { number: number; since: number }): Promise<boolean> {
		const now = this.clock.now();
		const next = number + STEP;
		// If this fails, the content of the row is unknown.
		this.own = undefined;
		const higher = await this.raise(row, number, next);
		if (higher === 0) this.waitForOther();
		else if (higher === 1) this.own = { number: next, since };
		else if (higher === 2) this.own = { number: next, since: this.clock.now() };
		return higher === 3 || (higher === 1 && now - since >= ABANDONED_MS);
	}

	/** Resets the row to 0 if it is ours. If several processes try this at once, each retry uses a higher number. */
	private async insist(row: LockRow): Promise<boolean> {
		const higher = await this.raise(row, 1 - 2 ** -this.inTheWay * (1 - this.random() / 2));
		if (higher === 0) {
			this.inTheWay += 1;
			this.looksAt = this.clock.now() + LOOK_MS * this.inTheWay * this.random();
		}
		if (higher !== 1) return higher === 2;
		this.inTheWay = 0;
		this.resets += 1;
		return (await this.raise(row, RESET)) === 2 || (await this.ask(row));
	}

	/** Waits for a waiter that came first; longer after each reset, so that one of many waiters gets its ten seconds. */
	private waitForOther(): void {
		this.inTheWay = 1;
		this.looksAt = this.clock.now() + INSIST_MS * 2 ** (this.resets * this.random());
	}

	/**
	 * Puts the last of these ascending numbers into the row, unless it holds a higher one.
	 *
	 * @returns how many of them are higher than what it held, plus one if there was no row, in which case this process
	 *   has made it; `undefined` if that is not known
	 */
	private async raise(row: LockRow, ...numbers: readonly number[]): Promise<number | undefined> {
		const higher = await row.raise([LOWEST, ...numbers]);
		if (higher === 'refused') this.inTheWay = Infinity;
		return typeof higher === 'string' ? undefined : higher.length;
	}
}
