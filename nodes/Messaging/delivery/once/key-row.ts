import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { notNoted } from '../report/wording';
import type { KeyStore } from './key-store';
import { RowLock } from './row-lock';
import type { ClaimEnd, Condition, OnceRun, Ticket } from './ticket';

/** What may happen to a key in each state, and the state that follows. A key that is `gone` is forgotten here. */
const NEXT = {
	/** A run wants it: a claim is to be written. */
	wanted: { writing: 'claiming', withdrawn: 'gone', givenUp: 'gone' },
	/** The claim is being written, and finds the key free, sent or open. `lost`: it has been open for too long. */
	claiming: { free: 'held', sent: 'ended', open: 'wanted', lost: 'held', failed: 'wanted' },
	/** A run holds it. */
	held: { ended: 'ended', leftOpen: 'gone' },
	/** Its outcome is to be written. */
	ended: { writing: 'noting', givenUp: 'gone' },
	/** Its outcome is being written. */
	noting: { written: 'gone', failed: 'ended' },
} as const;

type State = keyof typeof NEXT;
type Event = { [S in State]: keyof (typeof NEXT)[S] }[State];

/** A key that this process deals with. */
interface Key {
	state: State;
	/** What it was when it was claimed, while it is held; its outcome, once it has ended. */
	condition: Condition;
	/** The run that deals with it; then the runs queued behind it. */
	readonly ticket: Ticket;
	readonly waiting: Ticket[];
	/** Since when it has been wanted, when it is claimed next, and how often it was found open. */
	readonly since: number;
	claimAt: number;
	looks: number;
	/** Since when writing it has been failing. */
	failsSince?: number;
}

/** How many keys are claimed at most each time the lock is held. */
const MOST_TOGETHER = 64;
/** The oldest keys are dropped once in so many messages, on average: it takes a write of its own. */
const DROP_EVERY = 64;
/** Pause between two holds of the lock, in milliseconds, so that other processes can take it. */
const BREATH_MS = 4;
/** How often to look at a key that another process left open, and when it counts as lost. */
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
		if (this.runs.size + this.keys.size + this.unrecorded.size === 0) rows.delete(run.store.place);
	}

	/** Claims a key for a run. */
	claim(ticket: Ticket): void {
		const { known } = ticket.marks;
		const key = this.keys.get(known);
		if (key?.condition === 'sent' || this.unrecorded.get(known) === 'sent') refuse([ticket], 'sent');
		else if (key === undefined) this.want(ticket, []);
		else {
			key.waiting.push(ticket);
			void this.limitWait(ticket, key.waiting);
		}
	}

	/** Withdraws a claim that is still waiting, but not one that is being written. */
	withdraw(ticket: Ticket, end: 'withdrawn' | 'busy' = 'withdrawn'): void {
		const key = this.keys.get(ticket.marks.known);
		const place = key?.waiting.indexOf(ticket) ?? -1;
		if (place >= 0) key?.waiting.splice(place, 1);
		else if (key?.ticket === ticket && key.state === 'wanted') this.move(key, 'withdrawn');
		else return;
		refuse([ticket], end);
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(ticket: Ticket, outcome: Condition): void {
		const { known } = ticket.marks;
		const key = this.keys.get(known);
		if (key?.ticket !== ticket || key.state !== 'held') return;
		if (outcome === 'open') {
			this.unrecorded.set(known, 'open');
			this.move(key, 'leftOpen');
		} else {
			this.unrecorded.delete(known);
			this.move(key, 'ended', outcome);
		}
	}

	/** Releases an unused key as it was claimed, or withdraws the claim for it. */
	giveBack(ticket: Ticket): void {
		this.withdraw(ticket);
		this.end(ticket, this.keys.get(ticket.marks.known)?.condition ?? 'free');
	}

	/** Limits the wait for another run, which may take very long. An earlier message of the same run ends. */
	private async limitWait(ticket: Ticket, queue: readonly Ticket[]): Promise<void> {
		const until = this.clock.now() + ticket.maxWaitMs;
		while (queue.includes(ticket)) {
			await this.clock.sleep(LOOK_AGAIN_MS);
			const isOwn = this.keys.get(ticket.marks.known)?.ticket.run === ticket.run;
			if (this.clock.now() >= until && !isOwn && queue.includes(ticket)) this.withdraw(ticket, 'busy');
		}
	}

	private want(ticket: Ticket, waiting: Ticket[]): void {
		const now = this.clock.now();
		const rest = { state: 'wanted', condition: 'free', since: now, claimAt: now, looks: 0 } as const;
		this.keys.set(ticket.marks.known, { ticket, waiting, ...rest });
		void this.work(ticket.run.store);
	}

	/** Takes a key to its next state. Once it is gone, the next run in its queue wants it. */
	private move(key: Key, event: Event, condition = key.condition): void {
		const next = (NEXT[key.state] as Partial<Record<Event, State | 'gone'>>)[event];
		if (next === undefined) throw new Error(`A key that is ${key.state} can't be ${event}`);
		key.condition = condition;
		if (condition === 'sent') refuse(key.waiting.splice(0), 'sent');
		if (next !== 'gone') key.state = next;
		else {
			this.keys.delete(key.ticket.marks.known);
			const first = key.waiting.shift();
			if (first !== undefined) this.want(first, key.waiting);
		}
		if (next === 'held') key.ticket.tell(condition);
		if (event === 'written' || event === 'leftOpen') key.ticket.settle(true);
		if (next === 'ended') void this.work(key.ticket.run.store);
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
				await this.noteEnds(store);
				if (await this.claimKeys(store)) await this.noteEnds(store);
			});
			if (typeof taken === 'object') this.giveUp(this.keysIn('wanted', 'ended'), taken);
		} catch (error) {
			this.failed(error);
		}
	}

	/**
	 * Records the claims that are due, and reports the results to their runs.
	 *
	 * @returns whether some were sent before: the claims have added open marks to them, which must be removed
	 */
	private async claimKeys(store: KeyStore): Promise<boolean> {
		const now = this.clock.now();
		const keys = this.keysIn('wanted')
			.filter(({ claimAt }) => claimAt <= now)
			.slice(0, MOST_TOGETHER);
		if (keys.length === 0) return false;
		// The store drops its oldest entries first: an open mark must not go before the known mark, which means "sent".
		const marks = (['known', 'open'] as const).flatMap((mark) =>
			keys.map(({ ticket }) => ticket.marks[mark]),
		);
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
		if (before.has(open)) {
			const now = this.clock.now();
			key.looks += 1;
			key.claimAt = now + LOOK_AGAIN_MS;
			const patience = key.looks >= FEWEST_LOOKS ? PATIENCE_MS.usual : PATIENCE_MS.longest;
			const isLost = now - key.since >= patience || this.unrecorded.get(known) === 'open';
			if (isLost) this.move(key, 'lost', 'open');
			else this.move(key, 'open');
		} else if (before.has(known)) {
			refuse([key.ticket], 'sent');
			this.move(key, 'sent', 'sent');
		} else this.move(key, 'free');
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
		await this.lock.write(async () => {
			for (const key of keys) this.move(key, 'writing');
			await store.remove(marks);
		});
		for (const key of keys) if (key.state === 'noting') this.move(key, 'written');
	}

	/** Drops the oldest keys beyond those to remember, unless a run with several messages may still need them. */
	private async dropOldest({ mostKeys, store }: OnceRun): Promise<void> {
		const isFree = (): boolean => [...this.runs].every(({ messages }) => messages === 1);
		const drop = async (): Promise<unknown> => await store.record([], this.roomFor(mostKeys));
		// As another process would: the lock of this row may be in use.
		const lock = new RowLock(this.clock, this.random);
		// If it fails, the end of another run tries again.
		await lock.hold(store.lock, isFree, async () => await lock.write(drop)).catch(() => {});
	}

	/** How many marks these keys need: those that this process deals with may have an open mark too. */
	private roomFor(keys: number): number {
		return keys + this.keys.size;
	}

	/** Retries later, except keys that were retried for long enough and writes that must not be repeated. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		// Such a write may have succeeded. Repeating it could remove newer marks, and the message would go out twice.
		const uncertain = this.keysIn('noting').filter(({ condition }) => condition === 'free');
		for (const key of this.keysIn('claiming', 'noting')) this.move(key, 'failed');
		const over = this.keysIn('wanted', 'ended').filter((key) => {
			key.failsSince ??= now;
			return uncertain.includes(key) || now - key.failsSince >= TRIES_MS;
		});
		this.giveUp(over, notNoted(error));
		this.notBefore = now + TRY_AGAIN_MS;
	}

	/** Reports that these keys could not be claimed, or their outcomes not be noted. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			const { condition, state, ticket, waiting } = key;
			if (state === 'wanted') refuse([ticket, ...waiting.splice(0)], failure);
			else if (condition === 'sent') this.unrecorded.set(ticket.marks.known, 'sent');
			ticket.settle(false);
			this.move(key, 'givenUp');
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
