import type { Failure } from '../../service/endings';
import { nameUuid } from '../saved';
import type { KeyRow } from './key-row';
import { type KeyStore, marksOf } from './key-store';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/**
 * The result of claiming a key. `mine` (not sent yet) and `open` (in doubt: the outcome of an earlier try is unknown)
 * mean that the run now holds the key and must report how its message ended. `sent`: the message was sent before.
 * `busy`: another execution of this process holds the key for longer than the claim may wait. `withdrawn`: the run is
 * over. A failure: the store failed.
 */
export type ClaimEnd = 'mine' | 'open' | 'sent' | 'busy' | 'withdrawn' | Failure;

/** How the message of a key ended: sent, definitely not sent, or in doubt. */
export type HeldEnd = 'sent' | 'notSent' | 'open';

/** What a run's keys depend on. */
export interface OnceSettings {
	/** What the keys are for (resource and operation), so that a node changed to another operation starts afresh. */
	readonly scope: string;
	readonly store: KeyStore;
	/** How many messages with a key the run has, and how many keys the node remembers after it. */
	readonly messages: number;
	readonly mostKeys: number;
	readonly signal: AbortSignal;
}

/** The claim of one message's key, until its outcome is recorded. */
export class Ticket {
	readonly marks;
	/** The result of the claim. Never rejects. */
	readonly claimed: Promise<ClaimEnd>;
	/** Resolves once a crash would no longer leave the key in doubt; the value says whether its outcome was recorded. */
	readonly settled: Promise<boolean>;
	tell: (end: ClaimEnd) => void = () => {};
	settle: (isNoted: boolean) => void = () => {};

	/**
	 * @param key as the user entered it
	 * @param maxWaitMs how long to wait for another run that holds it
	 */
	constructor(
		readonly key: string,
		readonly run: OnceSettings,
		readonly maxWaitMs: number,
		private readonly row: KeyRow,
	) {
		this.marks = marksOf(run.scope, key);
		this.claimed = new Promise((resolve) => (this.tell = resolve));
		this.settled = new Promise((resolve) => (this.settle = resolve));
	}

	/** Reports how the message ended; only for a key that is `mine` or `open`. */
	end(how: HeldEnd): void {
		this.row.end(this, how);
	}
}

/** The once keys of one run. */
export class OnceKeys {
	/** The keys whose outcome is not recorded yet. */
	private readonly tickets = new Set<Ticket>();
	private readonly unnoted: string[] = [];
	private isClosing = false;

	constructor(
		private readonly row: KeyRow,
		private readonly settings: OnceSettings,
	) {
		// A claim that waits for a key would not notice that the run is over.
		const withdrawAll = (): void => this.tickets.forEach((ticket) => row.withdraw(ticket));
		row.enter(settings);
		settings.signal.addEventListener('abort', withdrawAll, { once: true });
	}

	/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
	uuidOf(key: string): string {
		return nameUuid(NAMESPACE, `${this.settings.store.place}\n${this.settings.scope}\n${key}`);
	}

	/** Claims a key. Waits up to `maxWaitMs` if another execution of this process holds it. */
	want(key: string, maxWaitMs: number): Ticket {
		const ticket = new Ticket(key, this.settings, maxWaitMs, this.row);
		this.tickets.add(ticket);
		void ticket.claimed.then(() => this.isClosing && this.row.giveBack(ticket));
		void ticket.settled.then((isNoted) => {
			this.tickets.delete(ticket);
			if (!isNoted) this.unnoted.push(key);
		});
		this.row.claim(ticket);
		return ticket;
	}

	/**
	 * Releases unused keys, and waits until everything is recorded.
	 *
	 * @returns the keys whose outcome could not be recorded: they will count as open
	 */
	async close(): Promise<readonly string[]> {
		this.isClosing = true;
		for (const ticket of this.tickets) this.row.giveBack(ticket);
		await Promise.all([...this.tickets].map(async ({ settled }) => await settled));
		await this.row.leave(this.settings);
		return this.unnoted;
	}
}
