import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { notNoted } from '../wording';
import type { KeyStore } from './key-store';
import { RowLock } from './row-lock';
import type { Condition, OnceRun, Ticket } from './ticket';

/**
 * What may happen to a key in each state, and the state that follows. A claim (`wanted`) or an outcome (`ended`) is to be
 * written, or being written (`claiming`, `recording`). A claim finds the key free, sent or open; `lost`: open for too long.
 */
const NEXT = {
	wanted: { writing: 'claiming', withdrawn: 'gone', givenUp: 'gone' },
	claiming: { free: 'held', sent: 'ended', open: 'wanted', lost: 'held', failed: 'wanted' },
	held: { ended: 'ended', leftOpen: 'gone' },
	ended: { writing: 'recording', givenUp: 'gone' },
	recording: { written: 'gone', failed: 'ended' },
} as const;

type State = keyof typeof NEXT;
type Event = { [S in State]: keyof (typeof NEXT)[S] }[State];

/** A key that this process deals with. */
interface Key {
	state: State;
	/** What it was when it was claimed, while it is held; its outcome, once it has ended. */
	condition: Condition;
	/** The run that deals with it; others wait until it is done. */
	readonly ticket: Ticket;
	/** Since when it has been wanted, when it is claimed next, how often it was found open, since when writing it fails. */
	readonly since: number;
	claimAt: number;
	looks: number;
	failsSince?: number;
}

/** How many keys are claimed at most each time the lock is held, and after how many messages the oldest are dropped. */
const MOST_TOGETHER = 64;
const DROP_EVERY = 64;
/** Pause between two holds of the lock, in milliseconds, so that other processes can take it. */
const BREATH_MS = 4;
/** How often to look for a key that another run of this process deals with, or that another process left open. */
const WAIT_MS = 20;
const LOOK_AGAIN_MS = 200;
/** How often, and for how long, another process's key has to be open until it counts as lost. */
const FEWEST_LOOKS = 20;
const PATIENCE_MS = 10_000;
/** For how long a failing store is tried, and how often. */
const TRIES_MS = 8000;
const TRY_AGAIN_MS = 500;

/** The once keys of one node in this process. One run at a time deals with a key; writes are batched under the lock. */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** Claims that are not being dealt with yet, in their order. */
	private readonly waiting = new Set<Ticket>();
	/** Outcomes that only this process knows: in doubt, or sent but not recorded because the store failed. */
	private readonly knownHere = new Map<string, 'open' | 'sent'>();
	readonly runs = new Set<OnceRun>();
	private readonly lock: RowLock;
	/** When to try a failing store again. */
	private notBefore = 0;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {
		this.lock = new RowLock(clock, random);
	}

	/** Notes that a run is over: from then on, its number of keys to remember counts again. Never rejects. */
	async leave(run: OnceRun): Promise<void> {
		this.runs.delete(run);
		if (this.random() * DROP_EVERY < run.messages) await this.dropOldest(run);
		this.forget(run.store);
	}

	/** Forgets this row if nothing uses it. While it writes, another one would wait for its lock. */
	private forget({ place }: KeyStore): void {
		if (this.runs.size + this.keys.size + this.knownHere.size === 0 && !this.isRunning) rows.delete(place);
	}

	/** Claims a key for a run, after those that wanted it before. */
	async claim(ticket: Ticket): Promise<void> {
		const { known } = ticket.marks;
		const until = this.clock.now() + ticket.maxWaitMs;
		this.waiting.add(ticket);
		for (;;) {
			const key = this.keys.get(known);
			if (key?.condition === 'sent' || this.knownHere.get(known) === 'sent') ticket.refuse('sent');
			// An earlier message of the same run ends by itself; another run may take very long.
			if (key !== undefined && key.ticket.run !== ticket.run && this.clock.now() >= until)
				ticket.refuse('busy');
			const [first] = [...this.waiting].filter(({ marks }) => marks.known === known);
			if (ticket.isRefused || (key === undefined && first === ticket)) break;
			await this.clock.sleep(WAIT_MS);
		}
		this.waiting.delete(ticket);
		if (ticket.isRefused) return;
		const now = this.clock.now();
		const fresh = { state: 'wanted', condition: 'free', since: now, claimAt: now, looks: 0 } as const;
		this.keys.set(known, { ticket, ...fresh });
		void this.work(ticket.run.store);
	}

	/** Withdraws a claim, unless it is being written. */
	withdraw(ticket: Ticket): void {
		const key = this.keyOf(ticket);
		if (key === undefined || key.state === 'wanted') ticket.refuse('withdrawn');
		if (key?.state === 'wanted') this.move(key, 'withdrawn');
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(ticket: Ticket, outcome: Condition): void {
		const key = this.keyOf(ticket);
		if (key?.state !== 'held') return;
		if (outcome === 'open') this.knownHere.set(ticket.marks.known, 'open');
		else this.knownHere.delete(ticket.marks.known);
		this.move(key, outcome === 'open' ? 'leftOpen' : 'ended', outcome);
	}

	/** Releases an unused key as it was claimed, or withdraws the claim for it. */
	giveBack(ticket: Ticket): void {
		this.withdraw(ticket);
		this.end(ticket, this.keyOf(ticket)?.condition ?? 'free');
	}

	private keyOf(ticket: Ticket): Key | undefined {
		const key = this.keys.get(ticket.marks.known);
		return key?.ticket === ticket ? key : undefined;
	}

	private move(key: Key, event: Event, condition = key.condition): void {
		const next = (NEXT[key.state] as Partial<Record<Event, State | 'gone'>>)[event];
		if (next === undefined) throw new Error(`A key that is ${key.state} can't be ${event}`);
		const { ticket } = Object.assign(key, { condition });
		if (next === 'gone') this.keys.delete(ticket.marks.known);
		else key.state = next;
		if (next === 'held') ticket.tell(condition);
		if (event === 'sent') ticket.refuse('sent');
		if (event === 'written' || event === 'leftOpen') ticket.settle(true);
		if (next === 'ended') void this.work(ticket.run.store);
	}

	private keysIn(...states: State[]): Key[] {
		return [...this.keys.values()].filter(({ state }) => states.includes(state));
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
		this.forget(store);
	}

	/** When the next write is due; Infinity if there is none. */
	private dueAt(): number {
		const times = this.keysIn('wanted', 'ended').map(({ claimAt, state }) =>
			state === 'ended' ? 0 : claimAt,
		);
		return Math.max(this.notBefore, Math.min(Infinity, ...times));
	}

	/** Takes the lock and writes whatever is due. */
	private async write(store: KeyStore): Promise<void> {
		try {
			const isDue = (): boolean => this.dueAt() <= this.clock.now();
			const taken = await this.lock.hold(store.lock, isDue, async () => {
				// Outcomes first, so that as few keys as possible are open at a time.
				await this.recordEnds(store);
				if (await this.claimKeys(store)) await this.recordEnds(store);
			});
			if (typeof taken === 'object') this.giveUp(this.keysIn('wanted', 'ended'), taken);
		} catch (error) {
			this.failed(error);
		}
	}

	/** Records the claims that are due. Returns whether some keys were sent: the open marks that it added must go. */
	private async claimKeys(store: KeyStore): Promise<boolean> {
		const now = this.clock.now();
		const keys = this.keysIn('wanted')
			.filter(({ claimAt }) => claimAt <= now)
			.slice(0, MOST_TOGETHER);
		if (keys.length === 0) return false;
		// The store drops its oldest entries first: an open mark must not go before the known mark, which means "sent".
		const all = keys.map(({ ticket }) => ticket.marks);
		const marks = [...all.map(({ known }) => known), ...all.map(({ open }) => open)];
		const before = await this.lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			// Each key that this process deals with may have an open mark too.
			return await store.record(marks, MOST_KEYS + this.keys.size);
		});
		if (before !== undefined) for (const key of keys) this.judge(key, before);
		return keys.some(({ condition }) => condition === 'sent');
	}

	/** Reports the result of a claim to its run, or schedules another look. */
	private judge(key: Key, before: ReadonlySet<string>): void {
		const { known, open } = key.ticket.marks;
		delete key.failsSince;
		if (before.has(open)) {
			const now = this.clock.now();
			key.looks += 1;
			key.claimAt = now + LOOK_AGAIN_MS;
			const isLate = key.looks >= FEWEST_LOOKS && now - key.since >= PATIENCE_MS;
			if (isLate || this.knownHere.get(known) === 'open') this.move(key, 'lost', 'open');
			else this.move(key, 'open');
		} else if (before.has(known)) this.move(key, 'sent', 'sent');
		else this.move(key, 'free');
	}

	/** Records the outcomes that are known. */
	private async recordEnds(store: KeyStore): Promise<void> {
		const keys = this.keysIn('ended');
		if (keys.length === 0) return;
		const marks = keys.flatMap(({ condition, ticket }) =>
			condition === 'sent' ? [ticket.marks.open] : Object.values(ticket.marks),
		);
		await this.lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			await store.remove(marks);
		});
		for (const key of keys) if (key.state === 'recording') this.move(key, 'written');
	}

	/** Drops the oldest keys beyond those to remember, unless a run with several messages may still need them. */
	private async dropOldest({ mostKeys, store }: OnceRun): Promise<void> {
		const isFree = (): boolean => [...this.runs].every(({ messages }) => messages === 1);
		// As another process would: the lock of this row may be in use.
		const lock = new RowLock(this.clock, this.random);
		const drop = async (): Promise<unknown> => await store.record([], mostKeys + this.keys.size);
		// If it fails, the end of another run tries again.
		await lock.hold(store.lock, isFree, async () => await lock.write(drop)).catch(() => {});
	}

	/** Retries later, except keys that were retried for long enough and writes that must not be repeated. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		for (const key of this.keysIn('claiming', 'recording')) {
			// This write may have succeeded. Repeated, it could remove newer marks, and the message would go out twice.
			if (key.state === 'recording' && key.condition === 'free') key.failsSince = -Infinity;
			this.move(key, 'failed');
		}
		const isOver = (key: Key): boolean => now - (key.failsSince ??= now) >= TRIES_MS;
		this.giveUp(this.keysIn('wanted', 'ended').filter(isOver), notNoted(error));
		this.notBefore = now + TRY_AGAIN_MS;
	}

	/** Reports that these keys could not be claimed, or their outcomes not be recorded. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			const { condition, state, ticket } = key;
			if (state === 'wanted') ticket.refuse(failure);
			if (condition === 'sent') this.knownHere.set(ticket.marks.known, 'sent');
			ticket.settle(false);
			this.move(key, 'givenUp');
		}
	}
}

const rows = new Map<string, KeyRow>();

/** The row of a node, shared by all executions of this process. */
export function rowOf(place: string): KeyRow {
	const row = rows.get(place) ?? new KeyRow(systemClock, Math.random);
	rows.set(place, row);
	return row;
}
