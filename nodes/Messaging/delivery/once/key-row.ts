import type { Failure } from '../../service/endings';
import { MOST_KEYS } from '../../fields/options';
import { type Clock, systemClock } from '../../shared/clock';
import { notNoted } from '../report/wording';
import type { KeyStore } from './key-store';
import type { ClaimEnd, HeldEnd, OnceSettings, Ticket } from './once-keys';
import { RowLock } from './row-lock';

/** A key that a run of this process has claimed or holds, or whose outcome is still to be recorded. */
interface Key {
	/** The run that claims or holds it, or held it last; then the runs queued behind it. */
	ticket: Ticket;
	readonly waiting: Ticket[];
	/** `mine` and `open`: a run holds it. `sent` and `notSent`: the outcome is still to be recorded. */
	state: 'wanted' | 'mine' | 'open' | 'sent' | 'notSent';
	isBeingWritten: boolean;
	/** When it entered this state, when its next write is due (Infinity: never), and how often its open mark was found. */
	since: number;
	at: number;
	looks: number;
}

/** How many keys are claimed at most each time the lock is held. */
const MOST_TOGETHER = 64;
/** How many keys have to be new before the oldest are dropped, which takes a write of its own. */
const FEWEST_DROPPED = 64;
/** Pause between two holds of the lock, in milliseconds, so that other processes can take it. */
const BREATH_MS = 4;
/** How long another process's key may stay open until it counts as in doubt, and how often to check, in milliseconds. */
const PATIENCE_MS = { usual: 10_000, longest: 60_000 };
const LOOK_AGAIN_MS = 200;
const FEWEST_LOOKS = 13;
/** A check delayed by more than this does not count: the process that holds the key may be just as slow. */
const LATE_MS = 1000;
/** How long, and how often, a failing store is retried, in milliseconds. */
const TRIES_MS = 8000;
const TRY_AGAIN_MS = 500;
/** How many outcomes that the store does not have are remembered in this process. */
const MOST_REMEMBERED = 10_000;

/**
 * The once keys of one node, shared by all executions in this process. One run at a time holds a key; the others queue
 * for it. Writes are batched, each batch under one hold of the workflow's lock.
 */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** The runs with several messages that are under way: no key is dropped, because they may still need it. */
	private readonly keeping = new Set<OnceSettings>();
	/** How many keys have been added since the oldest were dropped, and how many the next write leaves, if it drops any. */
	private added = 0;
	private dropsTo: number | undefined;
	/** Outcomes that the store does not have: in doubt, or sent but not recorded because the store failed. */
	private readonly ended = new Map<string, 'open' | 'sent'>();
	private readonly lock: RowLock;
	/** Since when the store has been failing, and when to try it again. */
	private failsSince: number | undefined;
	private notBefore = 0;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		random: () => number,
	) {
		this.lock = new RowLock(clock, random);
	}

	/** Notes that a run begins. */
	enter(run: OnceSettings): void {
		if (run.messages > 1) this.keeping.add(run);
	}

	/** Notes that a run is over: from then on, its number of keys to remember counts again. Never rejects. */
	async leave(run: OnceSettings): Promise<void> {
		this.keeping.delete(run);
		if (this.keeping.size > 0 || this.added < FEWEST_DROPPED) return;
		this.dropsTo = run.mostKeys;
		void this.work(run.store);
		while (this.dropsTo !== undefined) await this.clock.sleep(BREATH_MS);
	}

	/** Claims a key for a run. */
	claim(ticket: Ticket): void {
		const { known } = ticket.marks;
		const key = this.keys.get(known);
		if (key?.state === 'sent' || this.ended.get(known) === 'sent') refuse([ticket], 'sent');
		else if (key === undefined) this.toWrite({ ticket, waiting: [] }, 'wanted');
		else {
			key.waiting.push(ticket);
			void this.limitWait(key, ticket);
		}
	}

	/** Withdraws a claim that is still waiting, but not one that is being written. */
	withdraw(ticket: Ticket, end: 'withdrawn' | 'busy' = 'withdrawn'): void {
		const key = this.keys.get(ticket.marks.known);
		if (key?.waiting.includes(ticket) === true) key.waiting.splice(key.waiting.indexOf(ticket), 1);
		else if (key?.ticket === ticket && key.state === 'wanted' && !key.isBeingWritten) this.passOn(key);
		else return;
		refuse([ticket], end);
	}

	/** Releases a key with the outcome of its message. */
	end(ticket: Ticket, how: HeldEnd): void {
		const { known } = ticket.marks;
		const key = this.keys.get(known);
		if (key?.ticket !== ticket || (key.state !== 'mine' && key.state !== 'open')) return;
		const next = how === 'sent' ? undefined : key.waiting.shift();
		if (next === undefined && how !== 'open') {
			this.ended.delete(known);
			this.toWrite(key, how);
			if (how === 'sent') refuse(key.waiting.splice(0), 'sent');
			return;
		}
		ticket.settle(true);
		if (next !== undefined) handOver(key, next, how === 'open' ? 'open' : 'mine');
		else {
			this.keys.delete(known);
			this.remember(known, 'open');
		}
	}

	/** Releases an unused key, or withdraws the claim for it. */
	giveBack(ticket: Ticket): void {
		this.withdraw(ticket);
		const isOpen = this.keys.get(ticket.marks.known)?.state === 'open';
		this.end(ticket, isOpen ? 'open' : 'notSent');
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

	/** Finishes a key, whether its outcome was recorded or not, and claims it for the next run in the queue. */
	private passOn(key: Key, isNoted = false): void {
		const { ticket, state } = key;
		const { known } = ticket.marks;
		if (state === 'sent' && !isNoted) this.remember(known, 'sent');
		if (isEnd(key)) ticket.settle(isNoted);
		const next = key.waiting.shift();
		if (next === undefined) this.keys.delete(known);
		else this.toWrite(Object.assign(key, { ticket: next }), 'wanted');
	}

	private toWrite(key: Pick<Key, 'ticket' | 'waiting'>, state: 'wanted' | 'sent' | 'notSent'): void {
		const { marks, run } = key.ticket;
		const now = this.clock.now();
		const due = { state, since: now, at: now, looks: 0, isBeingWritten: false };
		this.keys.set(marks.known, Object.assign(key, due));
		void this.work(run.store);
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
		const times = [...this.keys.values()].map(({ at }) => at);
		if (this.dropsTo !== undefined) times.push(0);
		return Math.max(this.notBefore, Math.min(Infinity, ...times));
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
		for (const key of this.keys.values()) key.isBeingWritten = false;
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
	 * @returns whether some were already sent: checking them added their open marks again, which must be removed
	 */
	private async claimKeys(store: KeyStore): Promise<boolean> {
		const now = this.clock.now();
		const due = [...this.keys.values()].filter(({ state, at }) => state === 'wanted' && at <= now);
		const wanted = due.slice(0, MOST_TOGETHER);
		if (wanted.length === 0) return false;
		// The store drops its oldest entries first: an open mark must not go before the known mark, which means "sent".
		const known = wanted.map(({ ticket }) => ticket.marks.known);
		const marks = [...known, ...wanted.map(({ ticket }) => ticket.marks.open)];
		const before = await this.lock.write(async () => {
			for (const key of wanted) key.isBeingWritten = true;
			return await store.record(marks, this.roomFor(MOST_KEYS));
		});
		if (before === undefined) return false;
		this.added += known.filter((mark) => !before.has(mark)).length;
		for (const key of wanted) this.judge(key, before);
		return wanted.some(({ state }) => state === 'sent');
	}

	/** Drops the oldest keys beyond those to remember, unless a run has begun that may need them. */
	private async dropOldest(store: KeyStore): Promise<void> {
		const { dropsTo } = this;
		if (dropsTo === undefined || this.keeping.size > 0) return;
		const isWritten = await this.lock.write(async () => await store.record([], this.roomFor(dropsTo)));
		if (isWritten !== undefined) this.added = 0;
	}

	/** How many marks these keys need, if those of this process have an open mark too. */
	private roomFor(keys: number): number {
		return keys + this.keys.size;
	}

	/** Reports the result of a claim to its run, or schedules another check. */
	private judge(key: Key, before: ReadonlySet<string>): void {
		const { known, open } = key.ticket.marks;
		if (before.has(open)) {
			const now = this.clock.now();
			if (now - key.at < LATE_MS) key.looks += 1;
			key.at = now + LOOK_AGAIN_MS;
			const patience = key.looks >= FEWEST_LOOKS ? PATIENCE_MS.usual : PATIENCE_MS.longest;
			const isLost = now - key.since >= patience || this.ended.get(known) === 'open';
			if (isLost) handOver(key, key.ticket, 'open');
		} else if (before.has(known)) {
			refuse([key.ticket, ...key.waiting.splice(0)], 'sent');
			this.toWrite(key, 'sent');
		} else handOver(key, key.ticket, 'mine');
	}

	/** Records the outcomes that are known. */
	private async noteEnds(store: KeyStore): Promise<void> {
		const ends = [...this.keys.values()].filter(isEnd);
		const marks = ends.flatMap(({ state, ticket: { marks: those } }) =>
			state === 'sent' ? [those.open] : [those.known, those.open],
		);
		if (marks.length === 0) return;
		const isWritten = await this.lock.write(async () => {
			for (const key of ends) key.isBeingWritten = true;
			await store.remove(marks);
			return true;
		});
		if (isWritten === true) for (const key of ends) this.passOn(key, true);
	}

	/** Retries later, except keys that were retried for long enough and writes that must not be repeated. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		const since = (this.failsSince ??= now);
		const isOver = (key: Key): boolean =>
			// This write may have succeeded. Repeating it could remove newer marks, and the message would go out twice.
			(key.state === 'notSent' && key.isBeingWritten) || now - Math.max(key.since, since) >= TRIES_MS;
		this.giveUp([...this.keys.values()].filter(isOver), notNoted(error));
		this.notBefore = now + TRY_AGAIN_MS;
	}

	/** Reports that these keys could not be recorded. Runs that hold a key keep it. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			if (isEnd(key)) this.passOn(key, false);
			else if (key.state === 'wanted') {
				this.keys.delete(key.ticket.marks.known);
				refuse([key.ticket, ...key.waiting.splice(0)], failure);
			}
		}
	}

	private remember(known: string, end: 'open' | 'sent'): void {
		this.ended.set(known, end);
		const [oldest] = this.ended.keys();
		if (this.ended.size > MOST_REMEMBERED && oldest !== undefined) this.ended.delete(oldest);
	}
}

/** Whether its outcome is still to be recorded. */
function isEnd({ state }: Key): boolean {
	return state === 'sent' || state === 'notSent';
}

function handOver(key: Key, ticket: Ticket, state: 'mine' | 'open'): void {
	Object.assign(key, { ticket, state, at: Infinity });
	ticket.tell(state);
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
