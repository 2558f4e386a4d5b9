import { nameUuid } from '../name-uuid';
import type { Clock } from '../../../time/clock';
import type { KeyRow } from './key-row';
import type { KeyStore } from './key-store';
import { marksOf } from './marks';
import { MOST_TOGETHER } from './row-writer';
import type { ClaimEnd, HeldEnd, Wish } from './wish';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/** How many keys a run has claimed at once when it begins. */
const FIRST_CLAIMS = 32;
/** Why the wait for a key ends. Without a reason an error is made for each key, with its stack. */
const OVER = 'over';
/** A run that uses up its claims faster than this, in milliseconds, claims more at once. */
const FAST_MS = 1000;

/** One message's key, from the wish for it to its end. */
export interface Ticket {
	/** The key as the user gave it. */
	readonly key: string;
	/** What became of the wish; it is there once `claimed` has been resolved. Never rejects. */
	readonly claimed: Promise<ClaimEnd>;
	/** Tells how it ended for a key that is `mine` or `open`. */
	end(how: HeldEnd): void;
}

/** What a run needs to know to use keys. */
export interface OnceSettings {
	readonly scope: string;
	readonly store: KeyStore;
	/** How many keys the node remembers. */
	readonly mostKeys: number;
	readonly clock: Clock;
	readonly signal: AbortSignal;
}

interface Queued extends Wish {
	readonly key: string;
	readonly maxWaitMs: number;
	/** Fires when the wait for another execution is over; there is one only for who waits. */
	over?: AbortController;
}

/**
 * The once keys of one run. It claims some ahead of the messages, so that they are noted in groups; never so many that
 * more than a group could be in doubt if n8n died now.
 */
export class OnceKeys {
	private readonly queue: Queued[] = [];

	/** Those that were asked for and are not settled in the store yet. */
	private readonly unsettled = new Set<Queued>();

	/** Those that have their key and not told yet how it ended. */
	private readonly having = new Map<Queued, 'mine' | 'open'>();

	private readonly unnoted: string[] = [];

	private mostClaims = FIRST_CLAIMS;

	private endedSince = 0;

	private refilledAt: number;

	private closing = false;

	private settled: () => void = () => {};

	constructor(
		private readonly row: KeyRow,
		private readonly settings: OnceSettings,
	) {
		this.refilledAt = settings.clock.now();
		row.enter();
		// Who waits for a key would not notice that the run is over.
		settings.signal.addEventListener('abort', () => this.withdrawAll(), { once: true });
	}

	/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
	uuidOf(key: string): string {
		return nameUuid(NAMESPACE, `${this.settings.store.place}\n${this.settings.scope}\n${key}`);
	}

	/**
	 * Wishes for a key.
	 *
	 * @param maxWaitMs how long to wait, at most, for another execution that sends under it
	 */
	want(key: string, maxWaitMs: number): Ticket {
		const { scope, store, mostKeys } = this.settings;
		let wish: Queued | undefined;
		const claimed = new Promise<ClaimEnd>((resolve) => {
			const made: Queued = {
				...{ key, maxWaitMs, store, mostKeys, marks: marksOf(scope, key) },
				ended: (end) => {
					made.over?.abort(OVER);
					if (end === 'mine' || end === 'open') this.having.set(made, end);
					else this.settle(made, end);
					resolve(end);
					if (this.closing) this.giveUp(made);
				},
			};
			wish = made;
			this.queue.push(made);
		});
		this.refill();
		return {
			key,
			claimed,
			end: (how) => {
				if (wish !== undefined && this.having.delete(wish)) this.end(wish, how);
			},
		};
	}

	/**
	 * Gives back what has not been used, and has everything noted.
	 *
	 * @returns the keys whose end could not be noted: they will count as open
	 */
	async close(): Promise<readonly string[]> {
		this.closing = true;
		this.withdrawAll();
		for (const wish of [...this.having.keys()]) this.giveUp(wish);
		if (this.unsettled.size > 0) {
			const all = new Promise<void>((resolve) => (this.settled = resolve));
			this.row.hurryUp();
			await all;
		}
		this.row.leave();
		return this.unnoted;
	}

	/** Ends all wishes that have not got their key. */
	private withdrawAll(): void {
		for (const wish of this.queue.splice(0)) wish.ended('withdrawn');
		for (const wish of [...this.unsettled]) {
			if (!this.having.has(wish)) this.row.withdraw(wish);
		}
	}

	private giveUp(wish: Queued): void {
		const has = this.having.get(wish);
		if (has !== undefined && this.having.delete(wish)) this.end(wish, has === 'mine' ? 'notSent' : 'open');
	}

	private end(wish: Queued, how: HeldEnd): void {
		void this.row.end(wish, how).then((isNoted) => {
			if (!isNoted) this.unnoted.push(wish.key);
			this.settle(wish);
		});
		this.endedSince += 1;
		if (this.closing) this.row.hurryUp();
		else if (this.queue.length > 0 && this.endedSince >= this.mostClaims / 2) {
			const { clock } = this.settings;
			const isFast = clock.now() - this.refilledAt < FAST_MS;
			if (isFast) this.mostClaims = Math.min(MOST_TOGETHER, this.mostClaims * 2);
			this.refilledAt = clock.now();
			this.endedSince = 0;
			this.row.hurryUp();
		}
	}

	/** @param end what became of it, if it never had its key */
	private settle(wish: Queued, end?: ClaimEnd): void {
		this.unsettled.delete(wish);
		const next = this.firstOf(wish);
		// All of them have waited for that other execution.
		if (next !== undefined && end === 'busy') this.row.stopWaiting(next);
		else if (next !== undefined) void this.limitWait(next);
		this.refill();
		if (this.unsettled.size === 0) this.settled();
	}

	private refill(): void {
		while (this.queue.length > 0 && this.unsettled.size < this.mostClaims) {
			const wish = this.queue.shift();
			if (wish === undefined) return;
			const isFirst = this.firstOf(wish) === undefined;
			this.unsettled.add(wish);
			if (this.row.claim(wish) === 'waits' && isFirst) void this.limitWait(wish);
		}
	}

	/** The first of this run that was asked for the same key and is not settled. */
	private firstOf({ marks }: Wish): Queued | undefined {
		for (const other of this.unsettled) {
			if (other.marks.known === marks.known) return other;
		}
		return undefined;
	}

	/**
	 * Limits the wait for another execution, which may take for ever. Who has the key in this run ends by itself, however
	 * slow the plan is.
	 */
	private async limitWait(wish: Queued): Promise<void> {
		wish.over = new AbortController();
		await this.settings.clock.sleep(wish.maxWaitMs, wish.over.signal);
		this.row.stopWaiting(wish);
	}
}
