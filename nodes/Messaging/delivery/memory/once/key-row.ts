import type { Clock } from '../../../time/clock';
import type { Failure } from '../../../service/endings';
import { notNoted } from '../../report/not-sent';
import type { KeyStore } from './key-store';
import { type Marks, ownMark, readMarks } from './marks';

/** What became of a wish for a key. */
export type ClaimEnd =
	/** Nobody has sent it, and nobody else will: whoever wished for the key now has it, and tells how that ends. */
	| 'mine'
	/** It may have been sent: an earlier try has no known end. Whoever wished for the key has it as well. */
	| 'open'
	/** It is being sent by another execution in this process, for longer than the wish can wait. */
	| 'busy'
	/** It has been sent. */
	| 'sent'
	/** Nobody wants to know any more. */
	| 'withdrawn'
	/** The store could not be read or written. */
	| Failure;

/** Somebody who wants to send under a key. */
export interface Wish {
	readonly marks: Marks;
	readonly store: KeyStore;
	/** How many keys the node remembers. */
	readonly mostKeys: number;
	/** Told once. */
	ended(end: ClaimEnd): void;
}

/** How it ended for the one who had a key: sent, definitely not sent, or nobody knows. */
export type HeldEnd = 'sent' | 'notSent' | 'open';

/** A wish on its way to the store. */
interface Looking {
	readonly wish: Wish;
	/** When to look, and how often the store has failed so far. */
	at: number;
	failures: number;
	/** Since when the key is seen as open, and how often it has been looked at since. */
	openSince?: number;
	looks: number;
}

/** Keys that were noted together, and are certain once the note is seen to stand. */
interface Group {
	looking: Looking[];
	/** Marks of its own; a new one is looked for after each failure of the store, which may have noted the one before. */
	readonly own: readonly string[];
	failures: number;
	at: number;
}

/** The end of a key that is not noted yet. */
interface Ended {
	readonly marks: Marks;
	readonly store: KeyStore;
	readonly how: 'sent' | 'notSent';
	readonly since: number;
	beingWritten: boolean;
	noted(isNoted: boolean): void;
}

/** How many keys are noted at once, at most. */
export const MOST_TOGETHER = 128;
/** How long the first of some keys waits for others, in milliseconds. */
const GATHER_MS = 4;
/** How long an end may wait for others before it is noted. */
const LATEST_NOTE_MS = 500;
/** How many ends are noted at once even if nobody is in a hurry. */
const MANY_ENDS = 64;
/** A note is certain when it still stands after this, or after so many times the time that writing it took. */
const CERTAIN_AFTER_MS = 20;
const CERTAIN_AFTER_WRITES = 4;
/** How long a key that another worker has may stay open until it counts as lost. */
const PATIENCE_MS = 5000;
const FIRST_LOOK_AGAIN_MS = 100;
const LATEST_LOOK_AGAIN_MS = 1000;
/** How long to wait after each failure of the store in a row; after the last one it is given up. */
const AFTER_FAILURE_MS = [250, 500, 1000, 2000, 4000, 8000];
/** For how long after another worker was noticed ends are noted twice, and how long after the first time. */
const COMPANY_MS = 300_000;
const NOTED_TWICE_AFTER_MS = 300;
/** How many ends of this process are remembered besides. */
const MOST_REMEMBERED = 10_000;

/**
 * The keys of one node, as all executions in this process use them. It alone reads and writes the node's row in n8n's
 * store, one thing after the other, because writers that overlap lose notes; against the writers in other processes
 * a claim is looked at again after a short random wait, until it stands.
 */
export class KeyRow {
	/** The keys that somebody here has or is about to get, and who waits for each. */
	private readonly held = new Map<string, Wish[]>();

	private looking: Looking[] = [];

	private groups: Group[] = [];

	private readonly ended = new Map<string, Ended>();

	/** Marks that only stand in the way. The `urgent` ones make a key look open to other workers. */
	private litter: string[] = [];

	private urgent: string[] = [];

	/** What is noted a second time, and when, because another worker may have written over it. */
	private twice: { keys: Marks[]; at: number } = { keys: [], at: Infinity };

	/** Keys whose end nobody knows: there is nothing to wait for. */
	private readonly undecided = new Set<string>();

	/** Keys that were sent and look open, because the store did not take the note. */
	private readonly sentUnnoted = new Set<string>();

	/** When another worker was last seen to write over our notes. */
	private metOthersAt = -Infinity;

	private removal = { failures: 0, notBefore: 0 };

	private hurry = false;

	private running = false;

	private alarm = new AbortController();

	/** The store and the number of keys that were last used. */
	private last: Pick<Wish, 'store' | 'mostKeys'> | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/** Whether nobody needs it any more. */
	get isIdle(): boolean {
		return !this.running && this.held.size === 0 && this.ended.size === 0;
	}

	/**
	 * Asks for a key.
	 *
	 * @returns whether another execution of this process, or an earlier item, has it now
	 */
	claim(wish: Wish): 'asked' | 'waits' {
		const id = wish.marks.known;
		const ended = this.ended.get(id);
		if (ended?.how === 'sent' || this.sentUnnoted.has(id)) {
			wish.ended('sent');
			return 'asked';
		}
		const waiting = this.held.get(id);
		if (waiting !== undefined) {
			waiting.push(wish);
			return 'waits';
		}
		this.held.set(id, []);
		if (ended !== undefined && !ended.beingWritten) {
			// It was to be given back and still stands: it passes from one to the other.
			this.ended.delete(id);
			ended.noted(true);
			wish.ended('mine');
			return 'asked';
		}
		this.look(wish);
		return 'asked';
	}

	/** Gives up a wish that has not got its key yet; one that is being noted ends all the same. */
	withdraw(wish: Wish): void {
		const id = wish.marks.known;
		const waiting = this.held.get(id);
		const at = waiting?.indexOf(wish) ?? -1;
		if (at >= 0) {
			waiting?.splice(at, 1);
			wish.ended('withdrawn');
			return;
		}
		const before = this.looking.length;
		this.looking = this.looking.filter((other) => other.wish !== wish);
		if (this.looking.length === before) return;
		this.passOn(id);
		wish.ended('withdrawn');
	}

	/** Ends the wait for another execution of this process. */
	stopWaiting(wish: Wish): void {
		const waiting = this.held.get(wish.marks.known);
		const at = waiting?.indexOf(wish) ?? -1;
		if (at < 0) return;
		waiting?.splice(at, 1);
		wish.ended('busy');
	}

	/**
	 * Takes a key back from somebody who has it.
	 *
	 * @returns whether the end was noted; it is true of one that needs no note
	 */
	async end({ marks, store }: Wish, how: HeldEnd): Promise<boolean> {
		const id = marks.known;
		const waiting = this.held.get(id) ?? [];
		if (how !== 'sent') {
			const next = waiting.shift();
			if (next !== undefined) {
				next.ended(how === 'open' ? 'open' : 'mine');
				return true;
			}
			this.held.delete(id);
			if (how === 'open') {
				remember(this.undecided, id);
				this.wake();
				return true;
			}
		} else {
			this.held.delete(id);
			for (const other of waiting) other.ended('sent');
		}
		this.undecided.delete(id);
		return await new Promise((noted) => {
			const since = this.clock.now();
			this.ended.set(id, { marks, store, how, since, beingWritten: false, noted });
			this.wake();
		});
	}

	/** Has all ends noted that are known by now, without waiting for more. */
	hurryUp(): void {
		if (this.ended.size === 0) return;
		this.hurry = true;
		this.wake();
	}

	private look(wish: Wish): void {
		this.looking.push({ wish, at: this.clock.now(), failures: 0, looks: 0 });
		this.wake();
	}

	/** The next one who waits for a key tries in place of the one who left. */
	private passOn(id: string): void {
		const next = this.held.get(id)?.shift();
		if (next === undefined) this.held.delete(id);
		else this.look(next);
	}

	private wake(): void {
		this.alarm.abort();
		if (this.running) return;
		this.running = true;
		void this.work();
	}

	/** Never rejects. */
	private async work(): Promise<void> {
		await this.clock.sleep(GATHER_MS);
		for (;;) {
			this.alarm = new AbortController();
			if (this.removalAt() <= this.clock.now()) await this.remove();
			const now = this.clock.now();
			const looking = this.takeLooking(now);
			const groups = this.groups.filter(({ at }) => at <= now);
			const again = this.twice.at <= now;
			if (looking.length + groups.length > 0 || again) {
				await this.note(looking, groups, again);
				continue;
			}
			const next = this.nextMoment();
			if (next === Infinity) break;
			await this.clock.sleep(Math.max(0, next - this.clock.now()), this.alarm.signal);
		}
		this.running = false;
	}

	private takeLooking(now: number): Looking[] {
		const due = this.looking.filter(({ at }) => at <= now).slice(0, this.room());
		const taken = new Set(due);
		this.looking = this.looking.filter((each) => !taken.has(each));
		return due;
	}

	/** How many keys may be noted now. Those that are under way must not push each other out of the row. */
	private room(): number {
		const underWay = this.held.size - this.looking.length + this.ended.size;
		const mostKeys = Math.min(...this.looking.map(({ wish }) => wish.mostKeys));
		return Math.max(0, Math.min(MOST_TOGETHER, mostKeys - underWay));
	}

	private nextMoment(): number {
		const looking = this.room() > 0 ? this.looking : [];
		const moments = [...looking, ...this.groups, this.twice].map(({ at }) => at);
		return Math.min(this.removalAt(), ...moments);
	}

	/** When marks are to be taken away; Infinity when there is nothing to do. */
	private removalAt(): number {
		const { ended, urgent, litter, removal } = this;
		if (urgent.length > 0) return removal.notBefore;
		const [oldest] = ended.values();
		if (oldest !== undefined) {
			const isInTheWay = this.looking.length > 0 && this.room() === 0;
			const atOnce = this.hurry || ended.size >= MANY_ENDS || isInTheWay;
			return Math.max(removal.notBefore, atOnce ? 0 : oldest.since + LATEST_NOTE_MS);
		}
		const isQuiet = this.groups.length === 0 && (this.looking.length === 0 || this.room() === 0);
		return litter.length > 0 && isQuiet ? removal.notBefore : Infinity;
	}

	/**
	 * Notes new wishes, and looks whether earlier notes stand.
	 *
	 * @param again whether it is time for what is noted a second time
	 */
	private async note(looking: Looking[], groups: readonly Group[], again: boolean): Promise<void> {
		this.last = (looking.at(-1) ?? groups[0]?.looking[0])?.wish ?? this.last;
		const { last, twice } = this;
		if (last === undefined) return;
		const own = looking.length === 0 ? [] : AFTER_FAILURE_MS.map(ownMark);
		// Those that are known stand first: the oldest are dropped first, and an open one must not be taken for sent. For
		// the same reason an earlier note is not made again, but looked for by its own mark.
		const marks = [
			...(again ? twice.keys.map(({ known }) => known) : []),
			...looking.map(({ wish }) => wish.marks.known),
			...looking.map(({ wish }) => wish.marks.open),
			...own,
			...groups.map(markOf),
		];
		const began = this.clock.now();
		let stood: ReadonlySet<string>;
		try {
			stood = await last.store.record([...new Set(marks)], this.mostMarks(looking, own.length));
		} catch (error) {
			this.noteFailed(error, looking, groups);
			if (again) this.twice = { keys: [], at: Infinity };
			return;
		}
		if (again) {
			this.urgent.push(...twice.keys.map(({ open }) => open));
			this.twice = { keys: this.twice.keys.slice(twice.keys.length), at: Infinity };
		}
		const now = this.clock.now();
		const certainAt =
			now + Math.max(CERTAIN_AFTER_MS, CERTAIN_AFTER_WRITES * (now - began)) * (1 + this.random());
		for (const group of groups) {
			this.drop(group);
			if (stood.has(markOf(group))) {
				for (const { wish } of group.looking) wish.ended('mine');
			} else {
				// Another worker has written over it. It may have taken some of the keys, and sent them by now.
				this.metOthersAt = now;
				for (const each of group.looking) this.looking.push({ ...each, at: now });
			}
		}
		const mine = looking.filter((each) => this.isNew(each, stood, now));
		if (mine.length > 0) this.groups.push({ looking: mine, own, failures: 0, at: certainAt });
		else if (looking.length > 0) this.litter.push(...own);
	}

	/** Whether nobody has the key; who finds it sent or open is told, or looks again. */
	private isNew(each: Looking, stood: ReadonlySet<string>, now: number): boolean {
		const { wish } = each;
		const { known, open } = wish.marks;
		const found = readMarks(wish.marks, stood);
		if (found === 'new') return true;
		if (found === 'sent') {
			this.urgent.push(open);
			const waiting = this.held.get(known) ?? [];
			this.held.delete(known);
			for (const one of [wish, ...waiting]) one.ended('sent');
			return false;
		}
		// It was pushed out of the row while it was under way, and must not stand there alone.
		if (!stood.has(known)) this.urgent.push(known);
		each.openSince ??= now;
		if (this.undecided.has(known) || now - each.openSince >= PATIENCE_MS) {
			wish.ended('open');
			return false;
		}
		each.at = now + Math.min(LATEST_LOOK_AGAIN_MS, FIRST_LOOK_AGAIN_MS * 2 ** each.looks++);
		this.looking.push(each);
		return false;
	}

	private noteFailed(error: unknown, looking: readonly Looking[], groups: readonly Group[]): void {
		const now = this.clock.now();
		for (const each of looking) {
			const pause = AFTER_FAILURE_MS[each.failures++];
			if (pause === undefined) this.failed(each, error);
			else this.looking.push({ ...each, at: now + pause });
		}
		for (const group of groups) {
			const pause = AFTER_FAILURE_MS[group.failures++];
			group.at = now + (pause ?? 0);
			if (pause !== undefined && group.failures < group.own.length) continue;
			// The note stays behind: whether it is theirs can't be seen. Later it counts as open.
			this.drop(group);
			for (const each of group.looking) this.failed(each, error);
		}
	}

	private failed({ wish }: Looking, error: unknown): void {
		const id = wish.marks.known;
		const waiting = this.held.get(id) ?? [];
		this.held.delete(id);
		for (const one of [wish, ...waiting]) one.ended(notNoted(error));
	}

	private drop(group: Group): void {
		this.groups = this.groups.filter((other) => other !== group);
		this.litter.push(...group.own);
	}

	/** Notes the ends that are known, and takes litter away. */
	private async remove(): Promise<void> {
		const ends = [...this.ended.values()];
		const { urgent, litter } = this;
		const store = ends.at(-1)?.store ?? this.last?.store;
		if (store === undefined) return;
		const marks = ends.flatMap(({ marks: { known, open }, how }) =>
			how === 'sent' ? [open] : [known, open],
		);
		for (const end of ends) end.beingWritten = true;
		this.hurry = false;
		try {
			await store.remove([...new Set([...marks, ...urgent, ...litter])]);
		} catch {
			this.removeFailed(ends);
			return;
		}
		this.removal = { failures: 0, notBefore: 0 };
		this.urgent = this.urgent.slice(urgent.length);
		this.litter = this.litter.slice(litter.length);
		const now = this.clock.now();
		const sent = ends.filter(({ how }) => how === 'sent');
		if (sent.length > 0 && now - this.metOthersAt < COMPANY_MS) {
			this.twice = {
				keys: [...this.twice.keys, ...sent.map((end) => end.marks)],
				at: Math.min(this.twice.at, now + NOTED_TWICE_AFTER_MS),
			};
		}
		for (const end of ends) {
			this.ended.delete(end.marks.known);
			end.noted(true);
		}
	}

	private removeFailed(ends: readonly Ended[]): void {
		const pause = AFTER_FAILURE_MS[this.removal.failures++];
		for (const end of ends) {
			end.beingWritten = false;
			// The marks may be gone all the same, and others in their place: who takes those away has a message sent twice.
			if (pause === undefined || end.how === 'notSent') this.giveUp(end);
		}
		if (pause !== undefined) {
			this.removal.notBefore = this.clock.now() + pause;
			this.hurry = this.ended.size > 0;
			return;
		}
		this.removal = { failures: 0, notBefore: 0 };
		this.urgent = [];
		this.litter = [];
	}

	/** The key looks open from now on, and who had it says so. */
	private giveUp({ marks, how, noted }: Ended): void {
		this.ended.delete(marks.known);
		if (how === 'sent') remember(this.sentUnnoted, marks.known);
		noted(false);
	}

	/** How many marks may stand: those of the keys that are remembered, and those that stand for a while only. */
	private mostMarks(looking: readonly Looking[], newOwn: number): number {
		const keys = Math.max(this.last?.mostKeys ?? 1, ...looking.map(({ wish }) => wish.mostKeys));
		const own = this.groups.reduce((sum, group) => sum + group.own.length, newOwn + this.litter.length);
		return keys + this.held.size - this.looking.length + this.ended.size + this.urgent.length + own;
	}
}

/** The mark by which a group is recognized now. */
function markOf({ own, failures }: Group): string {
	return own[failures] ?? '';
}

/** Adds to what is remembered in this process only. */
function remember(ids: Set<string>, id: string): void {
	ids.add(id);
	const [oldest] = ids;
	if (ids.size > MOST_REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
