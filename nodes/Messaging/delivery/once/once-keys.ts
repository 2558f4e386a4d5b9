import { nameUuid } from '../../shared/uuid';
import type { KeyRow } from './key-row';
import { type OnceRun, Ticket } from './ticket';

/** The namespace of UUIDs that are made from once keys. */
const NAMESPACE = '1f0b7b53-3a57-4c0e-9a3c-6f0a5d8f2c41';

/** How many keys of a run may be claimed and not settled: all of them are in doubt if n8n dies. */
const MOST_UNSETTLED = 128;

/** A UUID for what is sent under a key: the same in every execution of this workflow's node. */
export function uuidOfKey({ store, scope }: Pick<OnceRun, 'store' | 'scope'>, key: string): string {
	return nameUuid(NAMESPACE, `${store.place}\n${scope}\n${key}`);
}

/** The once keys of one run. */
export class OnceKeys {
	/** The keys whose outcome is not recorded yet. */
	private readonly tickets = new Set<Ticket>();
	/** Start the claims that wait for their turn, in order. */
	private readonly waiting: Array<() => void> = [];
	private readonly unrecorded: string[] = [];
	private isClosing = false;

	constructor(
		private readonly row: KeyRow,
		readonly run: OnceRun,
	) {
		row.runs.add(run);
		// A claim that waits for a key would not notice that the run is over.
		run.signal.addEventListener('abort', () => {
			this.tickets.forEach((ticket) => row.withdraw(ticket));
			this.waiting.forEach((start) => start());
		});
	}

	/** Claims a key. Waits up to `maxWaitMs` if another execution of this process holds it. */
	want(key: string, maxWaitMs: number): Ticket {
		const ticket: Ticket = new Ticket(key, this.run, maxWaitMs, (outcome) => this.row.end(ticket, outcome));
		this.tickets.add(ticket);
		void ticket.claimed.then(() => this.isClosing && this.row.giveBack(ticket));
		void ticket.settled.then((isRecorded) => {
			this.tickets.delete(ticket);
			this.waiting.shift()?.();
			if (!isRecorded) this.unrecorded.push(key);
		});
		void this.row.claim(ticket);
		return ticket;
	}

	/** Claims a key as soon as few enough others are claimed and not settled. */
	async wantInTurn(key: string, maxWaitMs: number): Promise<Ticket> {
		while (this.tickets.size >= MOST_UNSETTLED && !this.run.signal.aborted) {
			await new Promise<void>((start) => this.waiting.push(start));
		}
		return this.want(key, maxWaitMs);
	}

	/** Releases unused keys, waits until everything is recorded, and returns the keys for which that has failed. */
	async close(): Promise<readonly string[]> {
		this.isClosing = true;
		for (const ticket of this.tickets) this.row.giveBack(ticket);
		await Promise.all([...this.tickets].map(async ({ settled }) => await settled));
		await this.row.leave(this.run);
		return this.unrecorded;
	}
}
