import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { FOREIGN_ROW } from '../wording';
import { above, type LockRow, numberAt } from './key-store';

/*
 * In milliseconds: how long a holder may begin writes, and release; when a write may no longer count; the first look and the
 * next; when an unchanged row is abandoned, and a higher number foreign; how much longer one waits to exceed a number.
 */
const LEASE_MS = { write: 3000, release: 5000 };
const SURE_MS = 10_000;
const LOOK_MS = { first: 600, next: 1000 };
const ABANDONED_MS = 10_000;
const FOREIGN_MS = 60_000;
const LEAD_MS = 4000;
const PAUSE_MS = 8;

/**
 * A workflow's lock, as one process sees it. The protocol, an example, and what breaks without each of these constants:
 * `docs/internals/once-keys.md`.
 */
export class RowLock {
	/** The numbers that this process put into the row, and since when every look has found one of them. */
	private own: readonly number[] = [];
	private sameSince = 0;
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

	/** Takes the lock while it is wanted, does some work, and releases it; a failure if the row is foreign. */
	async hold(
		row: LockRow,
		isWanted: () => boolean,
		work: () => Promise<unknown>,
	): Promise<boolean | Failure> {
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

	private async take(row: LockRow, isWanted: () => boolean): Promise<boolean | Failure> {
		this.own = [];
		this.hasWritten = false;
		this.waitsSince = this.clock.now();
		this.changedAt = this.waitsSince;
		this.looksAt = this.waitsSince + (LOOK_MS.first * (1 + this.random())) / 2;
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

	/** Looks at the row; the result is that of `take`. */
	private async look(row: LockRow): Promise<boolean | Failure> {
		const { clock, own } = this;
		const began = clock.now();
		const waited = began - this.waitsSince;
		this.heldSince = began;
		// If a statement fails, what the row holds is not known.
		this.own = [];
		const first = own.length === 0 ? numberAt(waited, this.random()) : above(Math.max(...own));
		const found = await row.raise(first, own);
		if (found === 'made') return true;
		if (found === 'foreign') return FOREIGN_ROW;
		this.looksAt = began + LOOK_MS.next;
		if (found === 'higher') return began - this.changedAt >= FOREIGN_MS && FOREIGN_ROW;
		this.changedAt = began;
		if (found === 'same' && began - this.sameSince >= ABANDONED_MS) return true;
		this.heldSince = clock.now();
		const number = numberAt(waited + LEAD_MS, this.random());
		// Another waiter may have written back an earlier number of this process.
		const mine = [...(found === 'same' ? own : []), first];
		const raised = await row.raise(number, mine);
		// In a look that takes as long as that, another waiter may have taken the lock.
		const isSame = found === 'same' && raised === 'same' && clock.now() - began < ABANDONED_MS;
		if (!isSame) this.sameSince = clock.now();
		this.own = [...mine, number];
		return raised === 'made';
	}
}
