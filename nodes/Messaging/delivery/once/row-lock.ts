import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../wording';
import { above, bidAt, type LockRow } from './key-store';

/*
 * In milliseconds: how long a holder may begin writes, and release; when a write may no longer count; the first look and the
 * next; when an unchanged row is abandoned, and a higher number foreign; how far a waiter's bid is ahead of its waiting time.
 */
const LEASE_MS = { write: 3000, release: 5000 };
const SURE_MS = 10_000;
const LOOK_MS = { first: 600, next: 1000 };
const ABANDONED_MS = 10_000;
const FOREIGN_MS = 60_000;
const LEAD_MS = 4000;
const PAUSE_MS = 8;

/** Whether the lock was taken; a failure if its row belongs to another node. */
type Taken = boolean | Failure;

/**
 * One attempt of a process to take a workflow's lock, and its hold. The protocol, an example, and what breaks without each
 * of these constants: `docs/internals/once-keys.md`.
 */
export class RowLock {
	/** The bids of this process that the row may hold, and since when each look has found one of them. */
	private own: readonly number[] = [];
	private sameSince = 0;
	/** Since when it has been waiting, when it looks next, and when it last saw that the row is not foreign. */
	private readonly waitsSince: number;
	private looksAt: number;
	private changedAt: number;
	/** Since when it holds the lock, or tries to take it, and whether it has begun a write. */
	private heldSince: number;
	private hasWritten = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {
		this.waitsSince = this.changedAt = this.heldSince = clock.now();
		this.looksAt = this.waitsSince + (LOOK_MS.first * (1 + random())) / 2;
	}

	/** Takes the lock, unless it is no longer wanted, does some work, and releases it. */
	async hold(row: LockRow, isWanted: () => boolean, work: () => Promise<unknown>): Promise<Taken> {
		const taken = await this.take(row, isWanted);
		if (taken !== true) return taken;
		try {
			await work();
		} finally {
			// After the lease it is left to the waiters. A failure may have taken effect, so it is not repeated.
			if (!this.isHeldFor(LEASE_MS.release)) await row.remove().catch(() => {});
		}
		return true;
	}

	/** Writes under the lock, unless it is too late for a further write. Throws if the write may not count. */
	async write<T>(statement: () => Promise<T>): Promise<T | undefined> {
		const isLate = this.isHeldFor(LEASE_MS.write);
		if (isLate && this.hasWritten) return undefined;
		if (isLate) throw new Error('n8n took more than three seconds to lock keys');
		this.hasWritten = true;
		const written = await statement();
		if (this.isHeldFor(SURE_MS)) throw new Error('n8n took more than ten seconds to note keys');
		return written;
	}

	private async take(row: LockRow, isWanted: () => boolean): Promise<Taken> {
		while (isWanted()) {
			this.heldSince = this.clock.now();
			const tried = await row.make();
			if (tried === 'made') return true;
			if (tried === 'beaten') this.changedAt = this.heldSince;
			const taken = this.heldSince >= this.looksAt && (await this.look(row));
			if (taken !== false) return taken;
			await this.clock.sleep(PAUSE_MS * (0.5 + this.random()));
		}
		return false;
	}

	private isHeldFor(ms: number): boolean {
		return this.clock.now() - this.heldSince > ms;
	}

	/** Finds out with two bids whether the row is still the same. */
	private async look(row: LockRow): Promise<Taken> {
		const { clock, own } = this;
		const began = clock.now();
		const waited = began - this.waitsSince;
		this.heldSince = began;
		// These bids no longer count once another process has made a higher one.
		this.own = [];
		// The first bid adds no lead to the time waited, so that a process that has waited for longer stays ahead.
		const first = own.length === 0 ? bidAt(waited, this.random()) : above(Math.max(...own));
		const found = await row.bid(first, own);
		if (found === 'made') return true;
		if (found === 'foreign') return FOREIGN_ROW;
		this.looksAt = began + LOOK_MS.next;
		if (found === 'higher') return began - this.changedAt >= FOREIGN_MS && FOREIGN_ROW;
		this.changedAt = began;
		if (found === 'same' && began - this.sameSince >= ABANDONED_MS) return true;
		this.heldSince = clock.now();
		const ahead = bidAt(waited + LEAD_MS, this.random());
		// With a lower bid of another process, n8n writes back what it has read before: a bid of this process, perhaps.
		const bids = [...(found === 'same' ? own : []), first];
		const foundAgain = await row.bid(ahead, bids);
		this.own = [...bids, ahead];
		// In a look that takes that long, another process may have taken the lock and released it.
		const isSame = found === 'same' && foundAgain === 'same' && clock.now() - began < ABANDONED_MS;
		if (!isSame) this.sameSince = clock.now();
		return foundAgain === 'made';
	}
}
