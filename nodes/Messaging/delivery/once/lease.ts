import { randomUUID } from 'node:crypto';

import type { Clock } from '../../shared/clock';
import type { KeyStore } from './key-store';

/** How long a lease lasts, in milliseconds: its holder begins nothing after that. */
const LEASE_MS = 5000;
/**
 * The time between two steps to take over a lease. It is taken over after two. What its holder has begun may take the rest of
 * that time, 15 seconds, also because the process freezes: n8n can't be told to write or delete only under a condition.
 */
const STEP_MS = 10_000;
/** How long a process waits for a lease until it asks to take it over. */
const ASK_AFTER_MS = 600;
/** How often it looks whether the lease was released. */
const POLL_MS = 8;

/** The steps to take over a lease that is not released. */
const NEXT = { waits: 'asked', asked: 'renewed', renewed: 'taken' } as const;

/** A process's attempt to take a workflow's lease, and the lease while it holds it. See `docs/internals/once-keys.md`. */
export class Lease {
	/** Since when it holds the lease, or tries to take it, and whether it has begun a write. */
	private heldSince = -Infinity;
	private hasWritten = false;
	/** How many entries the row had when it was last read. */
	private entries = 0;
	/** The steps to take over: which is next, when, in which round, and the token that shows that the lease is the same. */
	private token = '';
	private step: keyof typeof NEXT = 'waits';
	private round = 1;
	private dueAt = 0;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {
		this.startOver();
	}

	/** Takes the lease, unless it is no longer wanted, does some work, and releases it. Whether it was taken. */
	async hold(
		row: KeyStore['lease'],
		isWanted: () => boolean,
		work: () => Promise<unknown>,
	): Promise<boolean> {
		if (!(await this.take(row, isWanted))) return false;
		try {
			await work();
		} finally {
			// A lease that is over is left to expire. A failure may have taken effect, so it is not repeated.
			if (!this.isOlderThan(LEASE_MS)) await row.remove().catch(() => {});
		}
		return true;
	}

	/**
	 * Writes under the lease, unless it is too late for a further write. Throws if the write may not count.
	 *
	 * @param statement calls `check` at the last moment at which it can be stopped
	 */
	async write<T>(statement: (check: () => void) => Promise<T>): Promise<T | undefined> {
		// The other half of the lease is for the write, and to release it.
		if (this.hasWritten && this.isOlderThan(LEASE_MS / 2)) return undefined;
		this.failAfter(LEASE_MS / 2, 'lock');
		this.hasWritten = true;
		const written = await statement(() => this.failAfter(LEASE_MS, 'read'));
		this.failAfter(2 * STEP_MS, 'note');
		return written;
	}

	private isOlderThan(ms: number): boolean {
		return this.clock.now() - this.heldSince > ms;
	}

	private failAfter(ms: number, verb: string): void {
		if (this.isOlderThan(ms)) throw new Error(`n8n took too long to ${verb} keys`);
	}

	private async take(row: KeyStore['lease'], isWanted: () => boolean): Promise<boolean> {
		while (isWanted()) {
			const entries = await row.count();
			// This is a new lease, or somebody has overwritten all requests.
			if (entries === 1 && this.round > 1) this.startOver();
			this.entries = entries;
			// Before the row is read again: a lease that is taken over must not be younger than what it was judged by.
			this.heldSince = this.clock.now();
			const isDue = entries === 0 || this.heldSince >= this.dueAt;
			if (isDue && (await this.proceed(row))) return true;
			await this.clock.sleep(POLL_MS * (0.5 + this.random()));
		}
		return false;
	}

	private startOver(): void {
		this.step = 'waits';
		this.round = 1;
		this.dueAt = this.clock.now() + (ASK_AFTER_MS * (1 + this.random())) / 2;
	}

	/** Makes the row if there is none. Otherwise takes the next step to take over. Whether it has the lease now. */
	private async proceed(row: KeyStore['lease']): Promise<boolean> {
		const { round, step } = this;
		if (step === 'waits') this.token = randomUUID();
		// Whoever asks in a round adds the marks of all rounds before: who asked in one of those is too late then.
		const opened = step === 'asked' ? [] : Array.from({ length: round }, (_, n) => `round ${n + 1}`);
		// A row that is made here is dated right before: nobody else has it, however long it took until then.
		const date = (): void => void (this.entries === 0 && (this.heldSince = this.clock.now()));
		const found = await row.add(this.entries === 0 ? ['lease'] : ['lease', ...opened, this.token], date);
		if (found !== 'beaten' && !found.has('lease')) return true;
		if (found === 'beaten' || this.entries === 0) return false;
		// If two open a round at the same moment, one overwrites the token of the other. A token that is still there was not
		// overwritten, and shows that this is still the same lease.
		const isKept = step === 'waits' || found.has(this.token);
		const isFirst = step === 'asked' || !found.has(`round ${round}`);
		const next = isKept && isFirst ? NEXT[step] : 'waits';
		if (next === 'taken') return true;
		this.step = next;
		if (step !== 'asked') this.round += 1;
		this.dueAt = this.clock.now() + (next === 'waits' ? 2.5 * STEP_MS : STEP_MS);
		return false;
	}
}
