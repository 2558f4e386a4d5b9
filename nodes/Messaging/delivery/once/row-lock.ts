import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../report/wording';
import type { LockRow } from './key-store';

/** For how long, in milliseconds, a holder begins to write; and what was written later than that may not count. */
const LEASE_MS = 5000;
const SURE_MS = 10_000;
/** About how long to wait before putting a number into the row, and how long it has to stand there. */
const PATIENT_MS = 600;
const ABANDONED_MS = 10_000;
/** When to look whether another waiter has put its own there in the same moment; how long to wait for that one. */
const CONFIRM_MS = 1000;
const INSIST_MS = 16_000;
/** The first and the longest pause between two tries; who has waited for so long tries as often as at first, for a while. */
const PAUSE_MS = { first: 3, longest: 40, again: 200 };

/** Can't be compared with what a row holds: it makes one where there is none, and leaves one that is there as it is. */
const MAKING = [Number.NaN];
/** Lower than what any row holds: higher only where there was none. */
const LOWEST = -Number.MAX_VALUE;
/** What waiters put into the row, and the step between two numbers of one waiter. Foreign ids and counters begin at 1. */
const ASKING = 0.1;
const WATCHING = 0.25;
const INSISTING = 0.5;
const STEP = 2 ** -50;
/** How often a higher number may be in the way until it is taken for a foreign one. */
const MOST_IN_THE_WAY = 2;

/** The lock was held for too long: nothing was written, and it has to be taken again before anything is. */
export class LeaseOver extends Error {}

/**
 * A workflow's lock, as one process sees it. The protocol:
 *
 *  1. The row is the lock. INSERT takes it, which the primary key allows to one; DELETE gives it back.
 *  2. Who waits tries again after some milliseconds, at random. While there is a row, such a try only reads.
 *  3. A holder begins no write, nor the DELETE, later than 5 s after it began to take the lock.
 *  4. So a row that is older than 10 s is abandoned: its holder has died, or given it up.
 *  5. To learn that, a waiter puts a number into the row that nobody else has, and looks again 10 s later. While it
 *     stands, the row is the same: a new one holds 0, and only the waiter that has drawn a number puts it there.
 *  6. If it stands, the waiter holds the lock. The row stays, so that nobody can insert one in between.
 *  7. Of two waiters the number of one at most stands, and the other's is gone for good: only one takes the lock over.
 *  8. Who comes later leaves a higher number in place, and insists with a higher one still if nothing comes of it.
 */
export class RowLock {
	/** The first and the last number that this process has put into the row, and when the last. */
	private mark: { first: number; last: number; at: number; isConfirmed: boolean } | undefined;
	/** When to look next whether the lock is abandoned, and how often a higher number was in the way. */
	private looksAt = 0;
	private inTheWay = 0;
	private heldSince = 0;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/**
	 * Takes the lock, and waits for it as long as it is wanted.
	 *
	 * @returns whether it is held now; a failure when the row is foreign
	 * @throws what the store throws
	 */
	async take(row: LockRow, isWanted: () => boolean): Promise<boolean | Failure> {
		const since = this.clock.now();
		this.looksAt = since + (PATIENT_MS * (1 + this.random())) / 2;
		this.inTheWay = 0;
		for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * 2, PAUSE_MS.longest)) {
			this.heldSince = this.clock.now();
			const waited = this.heldSince - since;
			if (waited >= PAUSE_MS.again && waited < PATIENT_MS) pause = PAUSE_MS.first;
			const made = await row.raise(MAKING);
			if ((typeof made === 'object' && made.length > 0) || (await this.isAbandoned(row))) {
				this.mark = undefined;
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
	 * @throws {LeaseOver} or what the store throws, also when it has taken so long that the write may not count
	 */
	async write<T>(statement: () => Promise<T>): Promise<T> {
		if (this.isHeldFor(LEASE_MS)) throw new LeaseOver();
		const written = await statement();
		if (this.isHeldFor(SURE_MS)) throw new Error('n8n took more than ten seconds to note keys');
		return written;
	}

	/** Gives the lock back; one that has been held for too long is left to those who wait. Never rejects. */
	async release(row: LockRow): Promise<void> {
		// Not repeated: it may have had its effect, and the row may be another's by now.
		if (!this.isHeldFor(LEASE_MS)) await row.remove().catch(() => {});
	}

	private isHeldFor(ms: number): boolean {
		return this.clock.now() - this.heldSince > ms;
	}

	/** Does what is due to learn whether the row is abandoned; true when this process holds the lock now. */
	private async isAbandoned(row: LockRow): Promise<boolean> {
		const now = this.clock.now();
		if (this.mark !== undefined) {
			const { first, last, at, isConfirmed } = this.mark;
			if (now - at < (isConfirmed ? ABANDONED_MS : CONFIRM_MS)) return false;
			return await this.raise(row, [first, last + STEP], isConfirmed);
		}
		if (now < this.looksAt) return false;
		if (this.inTheWay > 0) return await this.raise(row, [INSISTING * (1 + this.random())]);
		if (await this.raise(row, [ASKING])) return true;
		// All who ask use the same number: it proves nothing.
		this.mark = undefined;
		return this.inTheWay === 0 && (await this.raise(row, [WATCHING * (1 + this.random())]));
	}

	/**
	 * Puts the last of some numbers into the row, unless there is a higher one.
	 *
	 * @param isLong whether the lock is abandoned if the first number stood there until now
	 * @returns whether this process holds the lock now
	 */
	private async raise(row: LockRow, numbers: readonly number[], isLong = false): Promise<boolean> {
		const higher = await row.raise([LOWEST, ...numbers]);
		this.mark = undefined;
		if (higher === 'refused') this.inTheWay = Infinity;
		if (typeof higher === 'string') return false;
		const at = this.clock.now();
		const [first = 0] = numbers;
		const last = higher.at(-1);
		const isSame = last !== undefined && higher.length < numbers.length;
		if (higher.length > numbers.length || (isSame && isLong)) return true;
		if (last !== undefined) this.mark = { first: isSame ? first : last, last, at, isConfirmed: isSame };
		else {
			this.inTheWay += 1;
			this.looksAt = at + INSIST_MS;
		}
		return false;
	}
}
