import { nameUuid } from '../saved';
import type { ClaimEnd, HeldEnd, KeyRow, OnceSettings, Wish } from './key-row';
import { marksOf } from './key-store';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/** One message's key, from the wish for it to its end. */
export interface Ticket {
	/** The key as the user gave it. */
	readonly key: string;
	/** What became of the wish. Never rejects. */
	readonly claimed: Promise<ClaimEnd>;
	/** Resolves once a crash would no longer leave the key in doubt. */
	readonly settled: Promise<void>;
	/** Tells how it ended for a key that is `mine` or `open`. */
	end(how: HeldEnd): void;
}

interface Wanted extends Wish, Ticket {
	/** What it has got, until that has ended. */
	has?: 'mine' | 'open';
	settle(): void;
}

/** The once keys of one run. */
export class OnceKeys {
	/** Those that were asked for and whose end is not noted yet. */
	private readonly wanted = new Set<Wanted>();
	private readonly unnoted: string[] = [];
	private isClosing = false;
	private allNoted: () => void = () => {};

	constructor(
		private readonly row: KeyRow,
		private readonly settings: OnceSettings,
	) {
		// A wish that waits for a key would not notice that the run is over.
		settings.signal.addEventListener('abort', () => this.withdrawAll(), { once: true });
	}

	/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
	uuidOf(key: string): string {
		return nameUuid(NAMESPACE, `${this.settings.store.place}\n${this.settings.scope}\n${key}`);
	}

	/** Wishes for a key, and waits at most for so long for another execution that sends under it. */
	want(key: string, maxWaitMs: number): Ticket {
		let resolve: (end: ClaimEnd) => void = () => {};
		let settle: () => void = () => {};
		const wish: Wanted = {
			...{ run: this.settings, key, maxWaitMs, marks: marksOf(this.settings.scope, key) },
			claimed: new Promise((resolved) => (resolve = resolved)),
			settled: new Promise((resolved) => (settle = resolved)),
			settle: () => settle(),
			ended: (end) => {
				if (end === 'mine' || end === 'open') wish.has = end;
				else this.settle(wish);
				resolve(end);
				if (this.isClosing) this.giveBack(wish);
			},
			end: (how) => void this.end(wish, how),
		};
		this.wanted.add(wish);
		this.row.claim(wish);
		return wish;
	}

	/**
	 * Gives back what has not been used, and has everything noted.
	 *
	 * @returns the keys whose end could not be noted: they will count as open
	 */
	async close(): Promise<readonly string[]> {
		this.isClosing = true;
		this.withdrawAll();
		for (const wish of [...this.wanted]) this.giveBack(wish);
		if (this.wanted.size > 0) await new Promise<void>((resolve) => (this.allNoted = resolve));
		return this.unnoted;
	}

	private withdrawAll(): void {
		for (const wish of [...this.wanted]) if (wish.has === undefined) this.row.withdraw(wish);
	}

	private giveBack(wish: Wanted): void {
		if (wish.has !== undefined) void this.end(wish, wish.has === 'mine' ? 'notSent' : 'open');
	}

	private async end(wish: Wanted, how: HeldEnd): Promise<void> {
		if (wish.has === undefined) return;
		delete wish.has;
		if (!(await this.row.end(wish, how))) this.unnoted.push(wish.key);
		this.settle(wish);
	}

	private settle(wish: Wanted): void {
		this.wanted.delete(wish);
		wish.settle();
		if (this.wanted.size === 0) this.allNoted();
	}
}
