import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { NOT_STARTED, notNoted } from '../wording';
import type { Claim, KeyOutcome, OnceRun } from './claim';
import type { KeyStore } from './key-store';
import { Lease } from './lease';

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
	readonly claim: Claim;
	readonly claimedAt: number;
	/** When it is written next. */
	dueAt: number;
	timesFoundInDoubt: number;
}

/** How many keys are claimed at most under one lease; and after how many messages, on average, the oldest are dropped. */
export const BATCH = 64;
/** The pause between two leases, in milliseconds, so that other processes can take theirs. */
const BREATH_MS = 4;
/** How often to check whether another run of this process still holds a key. */
const WAIT_MS = 20;
/** When to try again if a key is in doubt, because another process may be sending its message, or if the store fails. */
const RETRY_MS = 200;
/** For how long that is tried again; and how often at least a key has to be in doubt until it counts as lost. */
const PATIENCE_MS = 10_000;
const FEWEST_CHECKS = 20;

/** The once keys of one node in this process. One run at a time deals with a key; writes are batched under one lease. */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** Claims that are not being dealt with yet, in their order. */
	private readonly waiting = new Set<Claim>();
	/** Outcomes that only this process knows: in doubt, or sent but not recorded because the store failed. */
	private readonly knownHere = new Map<string, 'inDoubt' | 'sent'>();
	readonly runs = new Set<OnceRun>();
	/** Whether the row in the store is known to have held marks already. */
	private wasUsed = false;
	private triesAgainAt = -Infinity;
	/** Since when the store has failed, without a success in between. */
	private failsSince = -Infinity;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/** Notes that a run is over. Drops the oldest keys now and then, unless a list under way may need them. Never rejects. */
	async endRun(run: OnceRun): Promise<void> {
		this.runs.delete(run);
		if (this.random() * BATCH >= run.messages) return;
		const isFree = (): boolean => [...this.runs].every(({ messages }) => messages === 1);
		const lease = new Lease(this.clock, this.random);
		const drop = async (check: () => void): Promise<unknown> =>
			await run.store.record([], run.mostKeys + this.keys.size + this.knownHere.size, check);
		// If it fails, the end of another run tries again.
		await lease.hold(run.store.lease, isFree, async () => await lease.write(drop)).catch(() => {});
	}

	/** Claims a key for a run, after those that claimed it before. */
	async enter(claim: Claim): Promise<void> {
		const { known } = claim.marks;
		const until = this.clock.now() + claim.maxWaitMs;
		this.waiting.add(claim);
		for (;;) {
			const key = this.keys.get(known);
			if (key?.outcome === 'sent' || this.knownHere.get(known) === 'sent') claim.refuse('sent');
			// An earlier message of the same run ends by itself; another run may take very long.
			if (key !== undefined && key.claim.run !== claim.run && this.clock.now() >= until) claim.refuse('busy');
			const [first] = [...this.waiting].filter(({ marks }) => marks.known === known);
			if (claim.isRefused || (key === undefined && first === claim)) break;
			await this.clock.sleep(WAIT_MS);
		}
		this.waiting.delete(claim);
		if (claim.isRefused) return;
		const now = this.clock.now();
		const fresh = { claimedAt: now, dueAt: now, timesFoundInDoubt: 0 };
		this.keys.set(known, { claim, state: 'wanted', outcome: 'free', ...fresh });
		void this.work(claim.run.store);
	}

	/** Withdraws a claim, unless it is being written. */
	withdraw(claim: Claim): void {
		const key = this.keyOf(claim);
		if (key === undefined || key.state === 'wanted') claim.refuse(NOT_STARTED.halted);
		if (key?.state === 'wanted') this.move(key, 'withdrawn');
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(claim: Claim, outcome: KeyOutcome): void {
		const key = this.keyOf(claim);
		if (key?.state !== 'held') return;
		if (outcome === 'inDoubt') this.knownHere.set(claim.marks.known, 'inDoubt');
		else this.knownHere.delete(claim.marks.known);
		this.move(key, outcome === 'inDoubt' ? 'leftInDoubt' : 'ended', outcome);
	}

	/** Withdraws the claim of a key that was not used; a key that is held becomes what it was before. */
	giveBack(claim: Claim): void {
		this.withdraw(claim);
		this.end(claim, this.keyOf(claim)?.outcome ?? 'free');
	}

	private keyOf(claim: Claim): Key | undefined {
		const key = this.keys.get(claim.marks.known);
		return key?.claim === claim ? key : undefined;
	}

	private move(key: Key, event: Event, outcome = key.outcome): void {
		const next = (NEXT[key.state] as Partial<Record<Event, State | 'gone'>>)[event];
		if (next === undefined) throw new Error(`A key that is ${key.state} can't be ${event}`);
		const { claim } = Object.assign(key, { outcome });
		if (next === 'gone') this.keys.delete(claim.marks.known);
		else key.state = next;
		if (next === 'held') claim.tell(outcome);
		if (event === 'sent') claim.refuse('sent');
		if (event === 'written' || event === 'leftInDoubt') claim.settle(true);
		if (next === 'ended') void this.work(claim.run.store);
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

	/** Takes the lease and writes whatever is due. */
	private async write(store: KeyStore): Promise<void> {
		try {
			const isDue = (): boolean => this.dueAt() <= this.clock.now();
			const lease = new Lease(this.clock, this.random);
			const taken = await lease.hold(store.lease, isDue, async () => {
				// Outcomes first, so that as few keys as possible are in doubt at a time.
				await this.recordEnds(store, lease);
				if (await this.claimKeys(store, lease)) await this.recordEnds(store, lease);
			});
			this.triesAgainAt = -Infinity;
			if (typeof taken === 'object') this.giveUp(this.keysIn('wanted', 'ended'), taken);
		} catch (error) {
			this.failed(error);
		}
	}

	/** Writes the claims that are due. Returns whether some keys were sent: the marks for "in doubt" that it added must go. */
	private async claimKeys(store: KeyStore, lease: Lease): Promise<boolean> {
		const keys = this.keysIn('wanted')
			.filter(({ dueAt }) => dueAt <= this.clock.now())
			.slice(0, BATCH);
		if (keys.length === 0) return false;
		// The store drops its oldest entries first: a mark for "in doubt" must not go before the known mark, which means "sent".
		const marks = (['known', 'inDoubt'] as const).flatMap((mark) =>
			keys.map(({ claim }) => claim.marks[mark]),
		);
		const before = await lease.write(async (check) => {
			for (const key of keys) this.move(key, 'writing');
			// Keys that this process deals with, or left in doubt, have two marks.
			return await store.record(marks, MOST_KEYS + this.keys.size + this.knownHere.size, check);
		});
		if (before === undefined) return false;
		if (before.size === 0 && !this.wasUsed) void this.checkWhetherNew(store, marks.length, keys);
		for (const key of keys) this.judge(key, before);
		return keys.some(({ outcome }) => outcome === 'sent');
	}

	/** Tells the runs of these keys if the row holds nothing but their new marks. Nothing waits for that. */
	private async checkWhetherNew(store: KeyStore, marks: number, keys: readonly Key[]): Promise<void> {
		const length = await store.count().catch(() => 0);
		if (length > marks) this.wasUsed = true;
		if (length === marks) for (const { claim } of keys) claim.run.foundNone = true;
	}

	/** Reports the result of a claim to its run, or schedules another check. */
	private judge(key: Key, before: ReadonlySet<string>): void {
		const { inDoubt, known } = key.claim.marks;
		if (!before.has(inDoubt) && before.has(known)) return this.move(key, 'sent', 'sent');
		if (!before.has(inDoubt)) return this.move(key, 'free');
		const now = this.clock.now();
		key.timesFoundInDoubt += 1;
		const isLate = key.timesFoundInDoubt >= FEWEST_CHECKS && now - key.claimedAt >= PATIENCE_MS;
		if (isLate || this.knownHere.get(known) === 'inDoubt') return this.move(key, 'lost', 'inDoubt');
		key.dueAt = now + RETRY_MS;
		this.move(key, 'inDoubt');
	}

	/** Writes the outcomes that are known. */
	private async recordEnds(store: KeyStore, lease: Lease): Promise<void> {
		const keys = this.keysIn('ended');
		if (keys.length === 0) return;
		const marks = keys.flatMap(({ outcome, claim }) =>
			outcome === 'sent' ? [claim.marks.inDoubt] : Object.values(claim.marks),
		);
		await lease.write(async (check) => {
			for (const key of keys) this.move(key, 'writing');
			await store.remove(marks, check);
		});
		for (const key of keys) if (key.state === 'recording') this.move(key, 'written');
	}

	/** Retries later, except writes that must not be repeated. A store that has failed for long enough ends all at once. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		if (now - this.triesAgainAt >= PATIENCE_MS) this.failsSince = now;
		this.triesAgainAt = now + RETRY_MS;
		const isOver = now - this.failsSince >= PATIENCE_MS;
		const written = this.keysIn('claiming', 'recording');
		// This write may have succeeded. Repeated, it could remove newer marks, and the message would go out twice.
		const unrepeatable = written.filter(({ outcome, state }) => state === 'recording' && outcome === 'free');
		for (const key of written) this.move(key, 'failed');
		this.giveUp(isOver ? this.keysIn('wanted', 'ended') : unrepeatable, notNoted(error));
	}

	/** Reports that these keys could not be claimed, or their outcomes not be recorded. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			const { outcome, state, claim } = key;
			if (state === 'wanted') claim.refuse(failure);
			if (outcome === 'sent') this.knownHere.set(claim.marks.known, 'sent');
			claim.settle(false);
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
