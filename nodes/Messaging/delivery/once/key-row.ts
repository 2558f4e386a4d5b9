import type { Failure } from '../../service/endings';
import type { Clock } from '../../shared/clock';
import { notNoted } from '../report/wording';
import type { KeyStore, Marks } from './key-store';
import { LeaseOver, RowLock } from './row-lock';

/**
 * What became of a wish for a key. Whoever gets `mine` (nobody has sent it) or `open` (it may have been sent: an earlier
 * try has no known end) has the key, and tells how that ends. `busy`: another execution of this process has it for longer
 * than the wish can wait. `withdrawn`: nobody wants to know any more. A failure: the store could not be read or written.
 */
export type ClaimEnd = 'mine' | 'open' | 'sent' | 'busy' | 'withdrawn' | Failure;

/** How it ended for the one who had a key: sent, definitely not sent, or nobody knows. */
export type HeldEnd = 'sent' | 'notSent' | 'open';

/** Somebody who wants to send under a key. */
export interface Wish {
	readonly marks: Marks;
	readonly store: KeyStore;
	/** How many keys the node remembers. */
	readonly mostKeys: number;
	/** Whose it is, and how long to wait for another run. */
	readonly run: object;
	readonly maxWaitMs: number;
	/** Told once. */
	ended(end: ClaimEnd): void;
}

/** A key that somebody in this process wants or has, or whose end is still to be noted. */
interface Key {
	/** Who wants it, has it, or had it last; and who waits behind. */
	wish: Wish;
	readonly waiting: Wish[];
	state: 'wanted' | 'had' | 'sent' | 'notSent';
	isBeingWritten: boolean;
	/** Since when it is in that state, when that is to be written, and how often it was seen to be open. */
	since: number;
	at: number;
	looks: number;
	/** Told whether its end was noted. */
	noted?: (isNoted: boolean) => void;
}

/** How many keys are claimed in one hold of the lock, at most. */
const MOST_TOGETHER = 64;
/** Between two holds of the lock, so that other processes can take it, in milliseconds. */
const BREATH_MS = 4;
/** How long a key that another process has may stay open until it counts as lost, and how often it is looked at. */
const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 200;
const FEWEST_LOOKS = 14;
/** For how long a store that fails is tried again, and how soon. */
const TRIES_MS = 8000;
const TRY_AGAIN_MS = 500;
/** How many ends are remembered in this process besides. */
const MOST_REMEMBERED = 10_000;

/**
 * The keys of one node as all executions in this process use them. One at a time has a key, and the others wait for its
 * end. What is to be written is written in groups, each in one hold of the workflow's lock.
 */
export class KeyRow {
	private readonly keys = new Map<string, Key>();
	/** Ends that the store does not know: nobody knows how it ended, or it was sent and that could not be noted. */
	private readonly ended = new Map<string, 'open' | 'sent'>();
	private readonly lock: RowLock;
	/** Since when the store fails, and until when it is left alone. */
	private failsSince: number | undefined;
	private notBefore = 0;
	private isRunning = false;

	constructor(
		private readonly clock: Clock,
		random: () => number,
	) {
		this.lock = new RowLock(clock, random);
	}

	/** Whether there is nothing left to do. */
	get isIdle(): boolean {
		return this.keys.size === 0 && !this.isRunning;
	}

	/** Asks for a key. */
	claim(wish: Wish): void {
		const { known } = wish.marks;
		const key = this.keys.get(known);
		if (key?.state === 'sent' || this.ended.get(known) === 'sent') wish.ended('sent');
		else if (key === undefined) {
			this.toWrite(
				{ wish, waiting: [], state: 'wanted', isBeingWritten: false, since: 0, at: 0, looks: 0 },
				'wanted',
			);
		} else {
			key.waiting.push(wish);
			void this.limitWait(key, wish);
		}
	}

	/** Gives up a wish that has not got its key yet; one that is being noted ends all the same. */
	withdraw(wish: Wish, end: 'withdrawn' | 'busy' = 'withdrawn'): void {
		const key = this.keys.get(wish.marks.known);
		if (key?.waiting.includes(wish) === true) key.waiting.splice(key.waiting.indexOf(wish), 1);
		else if (key?.wish === wish && key.state === 'wanted' && !key.isBeingWritten) this.passOn(key);
		else return;
		wish.ended(end);
	}

	/**
	 * Takes a key back from somebody who has it.
	 *
	 * @returns whether the end was noted; it is true of one that needs no note
	 */
	async end({ marks: { known } }: Wish, how: HeldEnd): Promise<boolean> {
		const key = this.keys.get(known);
		if (key === undefined) return true;
		const next = how === 'sent' ? undefined : key.waiting.shift();
		if (next !== undefined) {
			handOn(key, next, how === 'open' ? 'open' : 'mine');
			return true;
		}
		if (how === 'open') {
			this.keys.delete(known);
			this.remember(known, 'open');
			return true;
		}
		this.ended.delete(known);
		this.toWrite(key, how);
		if (how === 'sent') for (const other of key.waiting.splice(0)) other.ended('sent');
		const isNoted = await new Promise<boolean>((noted) => (key.noted = noted));
		if (!isNoted && how === 'sent') this.remember(known, 'sent');
		return isNoted;
	}

	/** Limits the wait for another run, which may take for ever. One's own run ends by itself, however slow the plan is. */
	private async limitWait(key: Key, wish: Wish): Promise<void> {
		const until = this.clock.now() + wish.maxWaitMs;
		while (key.waiting.includes(wish)) {
			await this.clock.sleep(LOOK_AGAIN_MS);
			const isOver = this.clock.now() >= until && key.wish.run !== wish.run;
			if (isOver && key.waiting.includes(wish)) this.withdraw(wish, 'busy');
		}
	}

	/** The next one who waits for a key looks in place of the one who left, whose end was noted or not. */
	private passOn(key: Key, isNoted = false): void {
		key.noted?.(isNoted);
		const wish = key.waiting.shift();
		if (wish === undefined) this.keys.delete(key.wish.marks.known);
		else this.toWrite(Object.assign(key, { wish }), 'wanted');
	}

	private toWrite(key: Key, state: 'wanted' | 'sent' | 'notSent'): void {
		const since = this.clock.now();
		this.keys.set(
			key.wish.marks.known,
			Object.assign(key, { state, since, at: since, looks: 0, isBeingWritten: false }),
		);
		void this.work();
	}

	/** Writes as long as there is something to write. Never rejects. */
	private async work(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.dueAt() < Infinity) {
			if (this.dueAt() <= this.clock.now()) await this.write();
			if (this.dueAt() < Infinity) await this.clock.sleep(BREATH_MS);
		}
		this.isRunning = false;
	}

	/** When there is something to write; Infinity when there is nothing to do. */
	private dueAt(): number {
		const times = [...this.keys.values()].map(({ state, at }) => (state === 'had' ? Infinity : at));
		return Math.max(this.notBefore, Math.min(Infinity, ...times));
	}

	/** Takes the lock and writes what there is to write. */
	private async write(): Promise<void> {
		const store = [...this.keys.values()].find(({ state }) => state !== 'had')?.wish.store;
		if (store === undefined) return;
		try {
			const taken = await this.lock.take(store.lock, () => this.dueAt() <= this.clock.now());
			if (typeof taken === 'object') this.giveUp([...this.keys.values()], taken);
			if (taken !== true) return;
			try {
				// First, so that as few keys as possible are open at a time. A look at a key that was sent leaves a mark to remove.
				await this.noteEnds(store);
				if (await this.claimKeys(store)) await this.noteEnds(store);
			} finally {
				await this.lock.release(store.lock);
			}
			this.failsSince = undefined;
		} catch (error) {
			if (!(error instanceof LeaseOver)) this.failed(error);
		}
		for (const key of this.keys.values()) key.isBeingWritten = false;
	}

	/** Claims the keys that are wanted by now, and tells who has got them. Gives whether some had been sent. */
	private async claimKeys(store: KeyStore): Promise<boolean> {
		const now = this.clock.now();
		const isDue = ({ state, at }: Key): boolean => state === 'wanted' && at <= now;
		const wanted = [...this.keys.values()].filter(isDue).slice(0, MOST_TOGETHER);
		if (wanted.length === 0) return false;
		for (const key of wanted) key.isBeingWritten = true;
		const most = Math.max(this.keys.size, ...wanted.map(({ wish }) => wish.mostKeys)) + this.keys.size;
		// The store drops its oldest entries first: an open mark must not go before the known one, which alone says "sent".
		const known = wanted.map(({ wish }) => wish.marks.known);
		const marks = [...known, ...wanted.map(({ wish }) => wish.marks.open)];
		const stood = await this.lock.write(async () => await store.record(marks, most));
		for (const key of wanted) this.judge(key, stood);
		return wanted.some(({ state }) => state === 'sent');
	}

	/** Tells who wants a key what was found, or has it look again. */
	private judge(key: Key, stood: ReadonlySet<string>): void {
		const { known, open } = key.wish.marks;
		if (stood.has(open)) {
			const now = this.clock.now();
			key.looks += 1;
			key.at = now + LOOK_AGAIN_MS;
			// Who has it may have waited for the lock as long, and notes the end now.
			const isLost = now - key.since >= PATIENCE_MS && key.looks >= FEWEST_LOOKS;
			if (isLost || this.ended.get(known) === 'open') handOn(key, key.wish, 'open');
		} else if (stood.has(known)) {
			// The look has left an open mark, which is to be taken away as after sending.
			this.toWrite(key, 'sent');
			for (const one of [key.wish, ...key.waiting.splice(0)]) one.ended('sent');
		} else handOn(key, key.wish, 'mine');
	}

	/** Notes the ends that are known. */
	private async noteEnds(store: KeyStore): Promise<void> {
		const ends = [...this.keys.values()].filter(isEnd);
		if (ends.length === 0) return;
		const marks = ends.flatMap(({ state, wish: { marks: those } }) =>
			state === 'sent' ? [those.open] : [those.known, those.open],
		);
		await this.lock.write(async () => {
			for (const key of ends) key.isBeingWritten = true;
			await store.remove(marks);
		});
		for (const key of ends) this.passOn(key, true);
	}

	/** Tries again later, except for what has been tried for long enough, and what must not be tried twice. */
	private failed(error: unknown): void {
		const now = this.clock.now();
		const since = (this.failsSince ??= now);
		const isOver = (key: Key): boolean =>
			// Its marks may be gone, and others in their place: who takes those away has a message sent twice.
			(key.state === 'notSent' && key.isBeingWritten) || now - Math.max(key.since, since) >= TRIES_MS;
		this.giveUp([...this.keys.values()].filter(isOver), notNoted(error));
		this.notBefore = now + TRY_AGAIN_MS;
	}

	/** Tells that keys can't be noted; those that somebody has stay with him. */
	private giveUp(keys: readonly Key[], failure: Failure): void {
		for (const key of keys) {
			if (isEnd(key)) this.passOn(key, false);
			else if (key.state !== 'had') {
				this.keys.delete(key.wish.marks.known);
				for (const one of [key.wish, ...key.waiting.splice(0)]) one.ended(failure);
			}
		}
	}

	private remember(known: string, end: 'open' | 'sent'): void {
		this.ended.set(known, end);
		const [oldest] = this.ended.keys();
		if (this.ended.size > MOST_REMEMBERED && oldest !== undefined) this.ended.delete(oldest);
	}
}

/** Whether an end is to be noted. */
function isEnd({ state }: Key): boolean {
	return state === 'sent' || state === 'notSent';
}

function handOn(key: Key, wish: Wish, what: 'mine' | 'open'): void {
	Object.assign(key, { wish, state: 'had' });
	wish.ended(what);
}
