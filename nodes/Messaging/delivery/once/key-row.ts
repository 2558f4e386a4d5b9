import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { notNoted } from '../report/wording';
import type { KeyStore } from './key-store';
import { RowLock } from './row-lock';
import type { ClaimEnd, Condition, OnceRun, Ticket } from './ticket';

/** Where a key stands in this process; `gone`: it is done with it, and the next run in its queue wants it. */
type State = 'wanted' | 'claiming' | 'held' | 'ended' | 'noting' | 'gone';

/** What may happen to a key. `free`, `open`, `lost` (open for too long) and `sent`: what the claim has found. */
type Event =
	| ('writing' | 'written' | 'failed' | 'givenUp' | 'withdrawn')
	| ('free' | 'open' | 'lost' | 'sent')
	| ('handedOver' | 'leftOpen' | 'ended');

/** The state that follows. Nothing else may happen. */
const NEXT: Readonly<Record<State, Partial<Record<Event, State>>>> = {
	/** A run wants it: a claim is to be written. */
	wanted: { writing: 'claiming', withdrawn: 'gone', givenUp: 'gone' },
	/** The claim is being written. An open key is claimed again later. */
	claiming: { free: 'held', lost: 'held', open: 'wanted', sent: 'ended', failed: 'wanted' },
	/** A run holds it. */
	held: { handedOver: 'held', leftOpen: 'gone', ended: 'ended' },
	/** Its outcome is to be written. */
	ended: { writing: 'noting', givenUp: 'gone' },
	/** Its outcome is being written. */
	noting: { written: 'gone', failed: 'ended' },
	gone: {},
};

/** A key that this process deals with. */
interface Key {
	state: State;
	/** What it was when it was claimed, while it is held; its outcome, once it has ended. */
	condition: Condition;
	/** The run that deals with it; then the runs queued behind it. */
	ticket: Ticket;
	readonly waiting: Ticket[];
	/** Since when it has been wanted or ended, when it is claimed next, and how often it was found open. */
	since: number;
	at: number;
	looks: number;
}

/** How many keys are claimed at most each time the lock is held. */
const MOST_TOGETHER = 64;
/** The oldest keys are dropped once in so many messages, on average: it takes a write of its own. */
const DROP_EVERY = 64;
/** Pause between two holds of the lock, in milliseconds, so that other processes can take it. */
const BREATH_MS = 4;
/** How often to look at another process's open key, how often at least, and for how long, until it counts as in doubt. */
const LOOK_AGAIN_MS = 200;
const FEWEST_LOOKS = 13;
const PATIENCE_MS = { usual: 10_000, longest: 60_000 };
/** How long, and how often, a failing store is retried, in milliseconds. */
const TRIES_MS = 8000;
const TRY_AGAIN_MS = 500;

/**
 * The once keys of one node, shared by all executions in this process. One run at a time holds a key; the others queue
 * for it. Writes are batched, each batch under one hold of the workflow's lock.
 */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** Outcomes that only this process knows: in doubt, or sent but not recorded because the store failed. */
	private readonly unrecorded = new Map<string, 'open' | 'sent'>();
	/** The runs under way. */
	private readonly runs = new Set<OnceRun>();
	private readonly lock: RowLock;
	/** How many keys the next write leaves, if it drops the oldest. */
	private dropsTo: number | undefined;
	/** Since when the store has been failing, and when to try it again. */
	private failsSince: number | undefined;
	private notBefore = 0;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {
		this.lock = new RowLock(clock, random);
	}

	/** Notes that a run begins. */
	enter(run: OnceRun): void {
		this.runs.add(run);
	}

	/** Notes that a run is over: from then on, its number of keys to remember counts again. Never rejects. */
	async leave(run: OnceRun): Promise<void> {
		this.runs.delete(run);
		if (this.random() * DROP_EVERY < run.messages) {
			this.dropsTo = run.mostKeys;
			void this.work(run.store);
			while (this.dropsTo !== undefined) await this.clock.sleep(BREATH_MS);
		}
		if (this.runs.size + this.keys.size + this.unrecorded.size === 0) rows.delete(run.store.place);
	}

	/** Claims a key for a run. */
	claim(ticket: Ticket): void {
		const { known } = ticket.marks;
		const key = this.keys.get(known);
		const isSent = key?.condition === 'sent' || this.unrecorded.get(known) === 'sent';
		if (isSent) refuse([ticket], 'sent');
		else if (key === undefined) this.want(ticket, []);
		else {
			key.waiting.push(ticket);
			void this.limitWait(key, ticket);
		}
	}

	/** Withdraws a claim that is still waiting, but not one that is being written. */
	withdraw(ticket: Ticket, end: 'withdrawn' | 'busy' = 'withdrawn'): void {
		const key = this.keys.get(ticket.marks.known);
		if (key?.waiting.includes(ticket) === true) key.waiting.splice(key.waiting.indexOf(ticket), 1);
		else if (key?.ticket === ticket && key.state === 'wanted') this.move(key, 'withdrawn');
		else return;
		refuse([ticket], end);
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(ticket: Ticket, outcome: Condition): void {
		const key = this.keys.get(ticket.marks.known);
		if (key?.ticket !== ticket || key.state !== 'held') return;
		const next = outcome === 'sent' ? undefined : key.waiting.shift();
		if (next !== undefined) {
			ticket.settle(true);
			key.ticket = next;
			this.hold(key, 'handedOver', outcome);
		} else if (outcome === 'open') {
			this.unrecorded.set(ticket.marks.known, 'open');
			ticket.settle(true);
			this.move(key, 'leftOpen');
		} else {
			this.unrecorded.delete(ticket.marks.known);
			this.toNote(key, 'ended', outcome);
		}
	}

	/** Releases an unused key as it was claimed, or withdraws the claim for it. */
	giveBack(ticket: Ticket): void {
		this.withdraw(ticket);
		this.end(ticket, this.keys.get(ticket.marks.known)?.condition ?? 'free');
	}

	/** Limits the wait for another run, which may take very long. Waiting for the same run needs no limit: it ends. */
	private async limitWait(key: Key, ticket: Ticket): Promise<void> {
		const until = this.clock.now() + ticket.maxWaitMs;
		while (key.waiting.includes(ticket)) {
			await this.clock.sleep(LOOK_AGAIN_MS);
			const isOver = this.clock.now() >= until && key.ticket.run !== ticket.run;
			if (isOver && key.waiting.includes(ticket)) this.withdraw(ticket, 'busy');
		}
	}

	/** Takes a key to its next state. */
	private move(key: Key, event: Event): void {
		const next = NEXT[key.state][event];
		if (next === undefined) throw new Error(`A key that is ${key.state} can't be ${event}`);
		key.state = next;
		if (next !== 'gone') return;
		this.keys.delete(key.ticket.marks.known);
		const first = key.waiting.shift();
		if (first !== undefined) this.want(first, key.waiting);
	}

	private want(ticket: Ticket, waiting: Ticket[]): void {
		const now = this.clock.now();
		const key: Key = { state: 'wanted', condition: 'free', ticket, waiting, since: now, at: now, looks: 0 };
		this.keys.set(ticket.marks.known, key);
		void this.work(ticket.run.store);
	}

	private hold(key: Key, event: 'free' | 'lost' | 'handedOver', condition: Condition): void {
		this.move(key, event);
		key.condition = condition;
		key.ticket.tell(condition);
	}

	private toNote(key: Key, event: 'sent' | 'ended', outcome: Condition): void {
		this.move(key, event);
		Object.assign(key, { condition: outcome, since: this.clock.now() });
		if (outcome === 'sent') refuse(key.waiting.splice(0), 'sent');
		void this.work(key.ticket.run.store);
	}

	/** Finishes a key, whether its outcome was recorded or not. */
	private finish(key: Key, event: 'written' | 'givenUp'): void {
		const isNoted = event === 'written';
		if (key.condition === 'sent' && !isNoted) this.unrecorded.set(key.ticket.marks.known, 'sent');
		key.ticket.settle(isNoted);
		this.move(key, event);
	}

	private keysIn(state: State): Key[] {
		return [...this.keys.values()].filter((key) => key.state === state);
	}

	/** Writes until nothing is left to write. Never rejects. */
	private async work(store: KeyStore): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.dueAt() < Infinity) {
			if (this.dueAt() <= this.clock.now()) await this.write(store);
			if (this.dueAt() < Infinity) await this.clock.sleep(BREATH_MS);
		}
		this.isRunning = false;
	}

	/** When the next write is due; Infinity if there is none. */
	private dueAt(): number {
		if (this.dropsTo !== undefined || this.keysIn('ended').length > 0) return this.notBefore;
		return Math.max(this.notBefore, Math.min(Infinity, ...this.keysIn('wanted').map(({ at }) => at)));
	}

	/** Takes the lock and writes whatever is due. */
	private async write(store: KeyStore): Promise<void> {
		const { dropsTo } = this;
		try {
			const taken = await this.lock.take(store.lock, () => this.dueAt() <= this.clock.now());
			if (typeof taken === 'object') this.giveUp([...this.keys.values()], taken);
			if (taken === true) await this.writeLocked(store);
		} catch (error) {
			this.failed(error);
		}
		// If that failed, the end of another run tries again.
		if (dropsTo !== undefined) this.dropsTo = undefined;
	}

	private async writeLocked(store: KeyStore): Promise<void> {
		try {
			// Outcomes first, so that as few keys as possible are open at a time.
			await this.noteEnds(store);
			if (await this.claimKeys(store)) await this.noteEnds(store);
			await this.dropOldest(store);
		} finally {
			await this.lock.release(store.lock);
		}
		this.failsSince = undefined;
	}

	/**
	 * Records the claims that are due, and reports the results to their runs.
	 *
	 * @returns whether some were sent before: the claims have added open marks to them, which must be removed
	 */
	private async claimKeys(store: KeyStore): Promise<boolean> {
		const now = this.clock.now();
		const due = this.keysIn('wanted').filter(({ at }) => at <= now);
		const keys = due.slice(0, MOST_TOGETHER);
		if (keys.length === 0) return false;
		// The store drops its oldest entries first: an open mark must not go before the known mark, which means "sent".
		const all = keys.map(({ ticket }) => ticket.marks);
		const marks = [...all.map(({ known }) => known), ...all.map(({ open }) => open)];
		const before = await this.lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			return await store.record(marks, this.roomFor(MOST_KEYS));
		});
		if (before !== undefined) for (const key of keys) this.judge(key, before);
		return keys.some(({ condition }) => condition === 'sent');
	}

	/** Reports the result of a claim to its run, or schedules another look. */
	private judge(key: Key, before: ReadonlySet<string>): void {
		const { known, open } = key.ticket.marks;
		if (!before.has(known) && !before.has(open)) this.hold(key, 'free', 'free');
		else if (!before.has(open)) {
			refuse([key.ticket], 'sent');
			this.toNote(key, 'sent', 'sent');
		} else {
			key.looks += 1;
			const now = this.clock.now();
			const patience = key.looks >= FEWEST_LOOKS ? PATIENCE_MS.usual : PATIENCE_MS.longest;
			const isLost = now - key.since >= patience || this.unrecorded.get(known) === 'open';
			key.at = now + LOOK_AGAIN_MS;
			if (isLost) this.hold(key, 'lost', 'open');
			else this.move(key, 'open');
		}
	}

	/** Records the outcomes that are known. */
	private async noteEnds(store: KeyStore): Promise<void> {
		const keys = this.keysIn('ended');
		if (keys.length === 0) return;
		const marks = keys.flatMap(
			({
				condition,
				ticket: {
					marks: { known, open },
				},
			}) => (condition === 'sent' ? [open] : [known, open]),
		);
		const isWritten = await this.lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			await store.remove(marks);
			return true;
		});
		if (isWritten === true) for (const key of keys) this.finish(key, 'written');
	}

	/** Drops the oldest keys beyond those to remember, unless a run with several messages may still need them. */
	private async dropOldest(store: KeyStore): Promise<void> {
		const { dropsTo } = this;
		if (dropsTo === undefined || [...this.runs].some(({ messages }) => messages > 1)) return;
		await this.lock.write(async () => await store.record([], this.roomFor(dropsTo)));
	}

	/** How many marks these keys need, if those of this process have an open mark too. */
	private roomFor(keys: number): number {
		return keys + this.keys.size;
	}

	/** Retries later, except keys that were retried for long enough and writes that must not be repeated. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		const since = (this.failsSince ??= now);
		// Such a write may have succeeded. Repeating it could remove newer marks, and the message would go out twice.
		const uncertain = this.keysIn('noting').filter(({ condition }) => condition === 'free');
		for (const key of [...this.keysIn('claiming'), ...this.keysIn('noting')]) this.move(key, 'failed');
		const isOver = (key: Key): boolean => now - Math.max(key.since, since) >= TRIES_MS;
		this.giveUp(
			[...this.keys.values()].filter((key) => uncertain.includes(key) || isOver(key)),
			notNoted(error),
		);
		this.notBefore = now + TRY_AGAIN_MS;
	}

	/** Reports that these keys could not be recorded. Runs that hold a key keep it. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			if (key.state === 'ended') this.finish(key, 'givenUp');
			else if (key.state === 'wanted') {
				refuse([key.ticket, ...key.waiting.splice(0)], failure);
				this.move(key, 'givenUp');
			}
		}
	}
}

/** Reports to runs that they did not get the key. */
function refuse(tickets: readonly Ticket[], end: ClaimEnd): void {
	for (const ticket of tickets) {
		ticket.tell(end);
		ticket.settle(true);
	}
}

/** The rows in use in this process, by their place in the store. */
const rows = new Map<string, KeyRow>();

/** The row of the node with this `place` in the store, shared by all executions of this process. */
export function rowOf(place: string): KeyRow {
	const row = rows.get(place) ?? new KeyRow(systemClock, Math.random);
	rows.set(place, row);
	return row;
}
