import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { notNoted } from '../wording';
import type { KeyStore } from './key-store';
import { RowLock } from './row-lock';
import type { KeyOutcome, OnceRun, Ticket } from './ticket';

/**
 * The states of a key, what may happen in each, and the state that follows. `wanted` and `ended`: its claim, or its outcome,
 * is to be written; `claiming` and `recording`: it is being written. `lost`: the key was found in doubt for too long.
 */
const NEXT = {
	wanted: { writing: 'claiming', withdrawn: 'gone', givenUp: 'gone' },
	claiming: { free: 'held', sent: 'ended', inDoubt: 'wanted', lost: 'held', failed: 'wanted' },
	held: { ended: 'ended', leftInDoubt: 'gone' },
	ended: { writing: 'recording', givenUp: 'gone' },
	recording: { written: 'gone', failed: 'ended' },
} as const;

type State = keyof typeof NEXT;
type Event = { [S in State]: keyof (typeof NEXT)[S] }[State];

/** A key that this process deals with. */
interface Key {
	state: State;
	/** While it is held: what it was when it was claimed. Once it has ended: its outcome. */
	outcome: KeyOutcome;
	/** The claim that is being dealt with; others wait until it is done. */
	readonly ticket: Ticket;
	readonly wantedSince: number;
	/** When it is written next. */
	dueAt: number;
	timesFoundInDoubt: number;
	failsSince?: number;
}

/** How many keys are claimed at most each time the lock is held. */
const MOST_TOGETHER = 64;
/** After how many messages, on average, the oldest keys are dropped. */
const DROP_EVERY = 64;
/** Pause between two holds of the lock, in milliseconds, so that other processes can take it. */
const BREATH_MS = 4;
/** How often to look whether another run of this process still holds a key. */
const WAIT_MS = 20;
/** How often to look whether a key is still in doubt in another process. */
const LOOK_AGAIN_MS = 200;
/** A key counts as lost once it was found in doubt so many times, for so long. */
const FEWEST_LOOKS = 20;
const PATIENCE_MS = 10_000;
/** A store that fails is tried again after this time, until that one is over. */
const TRY_AGAIN_MS = 500;
const TRIES_MS = 8000;

/** The once keys of one node in this process. One run at a time deals with a key; writes are batched under the lock. */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** Claims that are not being dealt with yet, in their order. */
	private readonly waiting = new Set<Ticket>();
	/** Outcomes that only this process knows: in doubt, or sent but not recorded because the store failed. */
	private readonly knownHere = new Map<string, 'inDoubt' | 'sent'>();
	readonly runs = new Set<OnceRun>();
	/** Whether the row in the store is known to have held marks already. */
	private wasUsed = false;
	private triesAgainAt = 0;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/** Notes that a run is over. Drops the oldest keys now and then, unless a list under way may need them. Never rejects. */
	async leave(run: OnceRun): Promise<void> {
		this.runs.delete(run);
		if (this.random() * DROP_EVERY >= run.messages) return;
		const isFree = (): boolean => [...this.runs].every(({ messages }) => messages === 1);
		const lock = new RowLock(this.clock, this.random);
		const drop = async (): Promise<unknown> =>
			await run.store.record([], run.mostKeys + this.keys.size + this.knownHere.size);
		// If it fails, the end of another run tries again.
		await lock.hold(run.store.lock, isFree, async () => await lock.write(drop)).catch(() => {});
	}

	/** Claims a key for a run, after those that wanted it before. */
	async claim(ticket: Ticket): Promise<void> {
		const { known } = ticket.marks;
		const until = this.clock.now() + ticket.maxWaitMs;
		this.waiting.add(ticket);
		for (;;) {
			const key = this.keys.get(known);
			if (key?.outcome === 'sent' || this.knownHere.get(known) === 'sent') ticket.refuse('sent');
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
		const fresh = { wantedSince: now, dueAt: now, timesFoundInDoubt: 0 };
		this.keys.set(known, { ticket, state: 'wanted', outcome: 'free', ...fresh });
		void this.work(ticket.run.store);
	}

	/** Withdraws a claim, unless it is being written. */
	withdraw(ticket: Ticket): void {
		const key = this.keyOf(ticket);
		if (key === undefined || key.state === 'wanted') ticket.refuse('withdrawn');
		if (key?.state === 'wanted') this.move(key, 'withdrawn');
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(ticket: Ticket, outcome: KeyOutcome): void {
		const key = this.keyOf(ticket);
		if (key?.state !== 'held') return;
		if (outcome === 'inDoubt') this.knownHere.set(ticket.marks.known, 'inDoubt');
		else this.knownHere.delete(ticket.marks.known);
		this.move(key, outcome === 'inDoubt' ? 'leftInDoubt' : 'ended', outcome);
	}

	/** Withdraws the claim of a key that was not used; a key that is held becomes what it was before. */
	giveBack(ticket: Ticket): void {
		this.withdraw(ticket);
		this.end(ticket, this.keyOf(ticket)?.outcome ?? 'free');
	}

	private keyOf(ticket: Ticket): Key | undefined {
		const key = this.keys.get(ticket.marks.known);
		return key?.ticket === ticket ? key : undefined;
	}

	private move(key: Key, event: Event, outcome = key.outcome): void {
		const next = (NEXT[key.state] as Partial<Record<Event, State | 'gone'>>)[event];
		if (next === undefined) throw new Error(`A key that is ${key.state} can't be ${event}`);
		const { ticket } = Object.assign(key, { outcome });
		if (next === 'gone') this.keys.delete(ticket.marks.known);
		else key.state = next;
		if (next === 'held') ticket.tell(outcome);
		if (event === 'sent') ticket.refuse('sent');
		if (event === 'written' || event === 'leftInDoubt') ticket.settle(true);
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
	}

	/** When the next write is due; Infinity if there is none. */
	private dueAt(): number {
		const times = this.keysIn('wanted', 'ended').map(({ dueAt }) => dueAt);
		return Math.max(this.triesAgainAt, Math.min(Infinity, ...times));
	}

	/** Takes the lock and writes whatever is due. */
	private async write(store: KeyStore): Promise<void> {
		try {
			const isDue = (): boolean => this.dueAt() <= this.clock.now();
			const lock = new RowLock(this.clock, this.random);
			const taken = await lock.hold(store.lock, isDue, async () => {
				// Outcomes first, so that as few keys as possible are in doubt at a time.
				await this.recordEnds(store, lock);
				if (await this.claimKeys(store, lock)) await this.recordEnds(store, lock);
			});
			if (typeof taken === 'object') this.giveUp(this.keysIn('wanted', 'ended'), taken);
		} catch (error) {
			this.failed(error);
		}
	}

	/** Writes the claims that are due. Returns whether some keys were sent: the marks for "in doubt" that it added must go. */
	private async claimKeys(store: KeyStore, lock: RowLock): Promise<boolean> {
		const now = this.clock.now();
		const keys = this.keysIn('wanted')
			.filter(({ dueAt }) => dueAt <= now)
			.slice(0, MOST_TOGETHER);
		if (keys.length === 0) return false;
		// The store drops its oldest entries first: a mark for "in doubt" must not go before the known mark, which means "sent".
		const all = keys.map(({ ticket }) => ticket.marks);
		const marks = [...all.map(({ known }) => known), ...all.map(({ inDoubt }) => inDoubt)];
		const before = await lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			// Keys that this process deals with, or left in doubt, have two marks.
			return await store.record(marks, MOST_KEYS + this.keys.size + this.knownHere.size);
		});
		if (before === undefined) return false;
		if (before.size === 0 && !this.wasUsed) void this.lookForOthers(store, marks.length, keys);
		for (const key of keys) this.judge(key, before);
		return keys.some(({ outcome }) => outcome === 'sent');
	}

	/** Tells the runs of these keys if the row holds nothing but their new marks. Nothing waits for that. */
	private async lookForOthers(store: KeyStore, marks: number, keys: readonly Key[]): Promise<void> {
		const length = await store.count().catch(() => 0);
		if (length > marks) this.wasUsed = true;
		if (length === marks) for (const { ticket } of keys) ticket.run.foundNone = true;
	}

	/** Reports the result of a claim to its run, or schedules another look. */
	private judge(key: Key, before: ReadonlySet<string>): void {
		const { inDoubt, known } = key.ticket.marks;
		delete key.failsSince;
		if (before.has(inDoubt)) {
			const now = this.clock.now();
			key.timesFoundInDoubt += 1;
			const isLate = key.timesFoundInDoubt >= FEWEST_LOOKS && now - key.wantedSince >= PATIENCE_MS;
			if (isLate || this.knownHere.get(known) === 'inDoubt') this.move(key, 'lost', 'inDoubt');
			else {
				key.dueAt = now + LOOK_AGAIN_MS;
				this.move(key, 'inDoubt');
			}
		} else if (before.has(known)) this.move(key, 'sent', 'sent');
		else this.move(key, 'free');
	}

	/** Writes the outcomes that are known. */
	private async recordEnds(store: KeyStore, lock: RowLock): Promise<void> {
		const keys = this.keysIn('ended');
		if (keys.length === 0) return;
		const marks = keys.flatMap(({ outcome, ticket }) =>
			outcome === 'sent' ? [ticket.marks.inDoubt] : Object.values(ticket.marks),
		);
		await lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			await store.remove(marks);
		});
		for (const key of keys) if (key.state === 'recording') this.move(key, 'written');
	}

	/** Retries later, except keys that were retried for long enough and writes that must not be repeated. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		for (const key of this.keysIn('claiming', 'recording')) {
			// This write may have succeeded. Repeated, it could remove newer marks, and the message would go out twice.
			if (key.state === 'recording' && key.outcome === 'free') key.failsSince = -Infinity;
			this.move(key, 'failed');
		}
		const isOver = (key: Key): boolean => now - (key.failsSince ??= now) >= TRIES_MS;
		this.giveUp(this.keysIn('wanted', 'ended').filter(isOver), notNoted(error));
		this.triesAgainAt = now + TRY_AGAIN_MS;
	}

	/** Reports that these keys could not be claimed, or their outcomes not be recorded. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			const { outcome, state, ticket } = key;
			if (state === 'wanted') ticket.refuse(failure);
			if (outcome === 'sent') this.knownHere.set(ticket.marks.known, 'sent');
			ticket.settle(false);
			this.move(key, 'givenUp');
		}
	}
}

/** One for each node with keys that has run; while nothing uses it, it holds no more than what only this process knows. */
const rows = new Map<string, KeyRow>();

/** The row of a node, shared by all executions of this process. */
export function rowOf(place: string): KeyRow {
	const row = rows.get(place) ?? new KeyRow(systemClock, Math.random);
	rows.set(place, row);
	return row;
}
