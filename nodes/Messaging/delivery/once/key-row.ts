import { MOST_KEYS } from '../../fields/options';
import type { Failure } from '../../service/endings';
import { type Clock, systemClock } from '../../shared/clock';
import { NOT_STARTED, notNoted } from '../wording';
import { type Claim, type Event, type KeyOutcome, NEXT, type OnceRun, type State } from './claim';
import type { KeyStore } from './key-store';
import { Lease } from './lease';

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
	/** The claims that are being dealt with, one for each key. */
	private readonly claims = new Map<string, Claim>();
	/** The claims that wait until the one before them, with the same key, is done. */
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
			await run.store.record([], run.mostKeys + this.claims.size + this.knownHere.size, check);
		// If it fails, the end of another run tries again.
		await lease.hold(run.store.lease, isFree, async () => await lease.write(drop)).catch(() => {});
	}

	/** Claims a key for a run, after those that claimed it before. */
	async enter(claim: Claim): Promise<void> {
		const { known } = claim.marks;
		const until = this.clock.now() + claim.maxWaitMs;
		this.waiting.add(claim);
		for (;;) {
			const other = this.claims.get(known);
			if (other?.outcome === 'sent' || this.knownHere.get(known) === 'sent') claim.refuse('sent');
			// An earlier message of the same run ends by itself; another run may take very long.
			if (other !== undefined && other.run !== claim.run && this.clock.now() >= until) claim.refuse('busy');
			const [first] = [...this.waiting].filter(({ marks }) => marks.known === known);
			if (claim.isRefused || (other === undefined && first === claim)) break;
			await this.clock.sleep(WAIT_MS);
		}
		this.waiting.delete(claim);
		if (claim.isRefused) return;
		this.claims.set(known, claim);
		claim.state = 'wanted';
		claim.claimedAt = this.clock.now();
		void this.work(claim.run.store);
	}

	/** Withdraws a claim, unless it is being written. */
	withdraw(claim: Claim): void {
		const { state } = claim;
		if (state === undefined || state === 'wanted') claim.refuse(NOT_STARTED.halted);
		if (state === 'wanted') this.move(claim, 'withdrawn');
	}

	/** Releases a key that a run holds, with the outcome of its message. */
	end(claim: Claim, outcome: KeyOutcome): void {
		if (claim.state !== 'held') return;
		if (outcome === 'inDoubt') this.knownHere.set(claim.marks.known, 'inDoubt');
		else this.knownHere.delete(claim.marks.known);
		this.move(claim, outcome === 'inDoubt' ? 'leftInDoubt' : 'ended', outcome);
	}

	/** Withdraws the claim of a key that was not used; a key that is held becomes what it was before. */
	giveBack(claim: Claim): void {
		this.withdraw(claim);
		this.end(claim, claim.outcome);
	}

	private move(claim: Claim, event: Event, outcome = claim.outcome): void {
		const { state } = claim;
		const next = state && (NEXT[state] as Partial<Record<Event, State | 'gone'>>)[event];
		if (next === undefined) throw new Error(`A key that is ${state} can't be ${event}`);
		claim.outcome = outcome;
		claim.state = next === 'gone' ? undefined : next;
		if (next === 'gone') this.claims.delete(claim.marks.known);
		if (next === 'held') claim.tell(outcome);
		if (event === 'sent') claim.refuse('sent');
		if (event === 'written' || event === 'leftInDoubt') claim.settle(true);
		if (next === 'ended') void this.work(claim.run.store);
	}

	private claimsIn(...states: Array<Claim['state']>): Claim[] {
		return [...this.claims.values()].filter(({ state }) => states.includes(state));
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
		const times = this.claimsIn('wanted', 'ended').map(({ dueAt }) => dueAt);
		return Math.max(this.triesAgainAt, Math.min(Infinity, ...times));
	}

	/** Takes the lease and writes whatever is due. */
	private async write(store: KeyStore): Promise<void> {
		const began = this.clock.now();
		try {
			const isDue = (): boolean => this.dueAt() <= this.clock.now();
			const lease = new Lease(this.clock, this.random);
			await lease.hold(store.lease, isDue, async () => {
				// Outcomes first, so that as few keys as possible are in doubt at a time.
				await this.recordEnds(store, lease);
				if (await this.claimKeys(store, lease)) await this.recordEnds(store, lease);
			});
			this.triesAgainAt = -Infinity;
		} catch (error) {
			this.failed(error, began);
		}
	}

	/** Writes the claims that are due. Returns whether some keys were sent: the marks for "in doubt" that it added must go. */
	private async claimKeys(store: KeyStore, lease: Lease): Promise<boolean> {
		const due = this.claimsIn('wanted').filter(({ dueAt }) => dueAt <= this.clock.now());
		const claims = due.slice(0, BATCH);
		if (claims.length === 0) return false;
		// The store drops its oldest entries first: a mark for "in doubt" must not go before the known mark, which means "sent".
		const marks = (['known', 'inDoubt'] as const).flatMap((mark) => claims.map((claim) => claim.marks[mark]));
		const before = await lease.write(async (check) => {
			for (const claim of claims) this.move(claim, 'writing');
			// Keys that this process deals with, or left in doubt, have two marks.
			return await store.record(marks, MOST_KEYS + this.claims.size + this.knownHere.size, check);
		});
		if (before === undefined) return false;
		if (before.size === 0 && !this.wasUsed) void this.checkWhetherNew(store, marks.length, claims);
		for (const claim of claims) this.judge(claim, before);
		return claims.some(({ outcome }) => outcome === 'sent');
	}

	/** Tells the runs of these keys if the row holds nothing but their new marks. Nothing waits for that. */
	private async checkWhetherNew(store: KeyStore, marks: number, claims: readonly Claim[]): Promise<void> {
		const length = await store.count().catch(() => 0);
		if (length > marks) this.wasUsed = true;
		if (length === marks) for (const { run } of claims) run.foundNone = true;
	}

	/** Reports the result of a claim to its run, or schedules another check. */
	private judge(claim: Claim, before: ReadonlySet<string>): void {
		const { inDoubt, known } = claim.marks;
		if (!before.has(inDoubt) && before.has(known)) return this.move(claim, 'sent', 'sent');
		if (!before.has(inDoubt)) return this.move(claim, 'free');
		const now = this.clock.now();
		claim.timesFoundInDoubt += 1;
		const isLate = claim.timesFoundInDoubt >= FEWEST_CHECKS && now - claim.claimedAt >= PATIENCE_MS;
		if (isLate || this.knownHere.get(known) === 'inDoubt') return this.move(claim, 'lost', 'inDoubt');
		claim.dueAt = now + RETRY_MS;
		this.move(claim, 'inDoubt');
	}

	/** Writes the outcomes that are known. */
	private async recordEnds(store: KeyStore, lease: Lease): Promise<void> {
		const claims = this.claimsIn('ended');
		if (claims.length === 0) return;
		const removed = claims.flatMap(({ outcome, marks }) =>
			outcome === 'sent' ? [marks.inDoubt] : Object.values(marks),
		);
		await lease.write(async (check) => {
			for (const claim of claims) this.move(claim, 'writing');
			await store.remove(removed, check);
		});
		for (const claim of claims) if (claim.state === 'recording') this.move(claim, 'written');
	}

	/**
	 * Retries later, except writes that must not be repeated. A store that has failed for long enough ends all at once.
	 *
	 * @param began when the write began, which may have waited for the lease for long
	 */
	private failed(error: unknown, began: number): void {
		const now = this.clock.now();
		if (began - this.triesAgainAt >= PATIENCE_MS) this.failsSince = began;
		this.triesAgainAt = now + RETRY_MS;
		const isOver = now - this.failsSince >= PATIENCE_MS;
		const written = this.claimsIn('claiming', 'recording');
		// This write may have succeeded. Repeated, it could remove newer marks, and the message would go out twice.
		const unrepeatable = written.filter(({ outcome, state }) => state === 'recording' && outcome === 'free');
		for (const claim of written) this.move(claim, 'failed');
		this.giveUp(isOver ? this.claimsIn('wanted', 'ended') : unrepeatable, notNoted(error));
	}

	/** Reports that these keys could not be claimed, or their outcomes not be recorded. */
	private giveUp(claims: readonly Claim[], failure: Failure): void {
		for (const claim of claims) {
			if (claim.state === 'wanted') claim.refuse(failure);
			if (claim.outcome === 'sent') this.knownHere.set(claim.marks.known, 'sent');
			claim.settle(false);
			this.move(claim, 'givenUp');
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
