import { nameUuid } from '../saved';
import type { KeyRow } from './key-row';
import { type OnceRun, Ticket } from './ticket';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/** The once keys of one run. */
export class OnceKeys {
	/** The keys whose outcome is not recorded yet. */
	private readonly tickets = new Set<Ticket>();
	private readonly unnoted: string[] = [];
	private isClosing = false;

	constructor(
		private readonly row: KeyRow,
		private readonly run: OnceRun,
	) {
		row.runs.add(run);
		// A claim that waits for a key would not notice that the run is over.
		const withdrawAll = (): void => this.tickets.forEach((ticket) => row.withdraw(ticket));
		run.signal.addEventListener('abort', withdrawAll, { once: true });
	}

	/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
	uuidOf(key: string): string {
		return nameUuid(NAMESPACE, `${this.run.store.place}\n${this.run.scope}\n${key}`);
	}

	/** Claims a key. Waits up to `maxWaitMs` if another execution of this process holds it. */
	want(key: string, maxWaitMs: number): Ticket {
		const ticket: Ticket = new Ticket(key, this.run, maxWaitMs, (outcome) => this.row.end(ticket, outcome));
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
	 * @returns the keys whose outcome could not be recorded: they will count as in doubt
	 */
	async close(): Promise<readonly string[]> {
		this.isClosing = true;
		for (const ticket of this.tickets) this.row.giveBack(ticket);
		await Promise.all([...this.tickets].map(async ({ settled }) => await settled));
		await this.row.leave(this.run);
		return this.unnoted;
	}
}
