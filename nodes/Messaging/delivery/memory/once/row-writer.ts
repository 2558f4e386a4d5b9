import type { Clock } from '../../../time/clock';
import { notNoted } from '../../report/not-sent';
import { type Company, Presence } from './company';
import type { KeyStore } from './key-store';
import { type Marks, ownMark, readMarks } from './marks';
import { OwnNote } from './own-note';
import type { Found, Wish } from './wish';

/** Who is told what the store says. */
export interface Listener {
	found(wish: Wish, what: Found): void;
	/** Whether nobody knows how a key ended, so that there is nothing to wait for. */
	isUndecided(id: string): boolean;
}

/** A wish on its way to the store. */
interface Looking {
	readonly wish: Wish;
	/** Since when it waits. */
	readonly since: number;
	/** When to look, and how often the store has failed so far. */
	at: number;
	failures: number;
	/** Since when the key is seen as open, and how often it has been looked at since. */
	openSince?: number;
	looks: number;
	/** Notes of it that others have written over; one may come back, when another worker writes what it has read before. */
	notes: readonly OwnNote[];
	/** How often it has looked for a protest. */
	protestsSought: number;
}

/** Keys that were noted together, and are certain once the note is seen to stand. */
interface Group {
	readonly looking: Looking[];
	readonly note: OwnNote;
	failures: number;
	at: number;
	/** Whether a write of ours took so long that others may have taken a key meanwhile, and been written over. */
	late: boolean;
}

/** The end of a key that is not noted yet. */
interface Settled {
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
/** How many ends, or new keys, are noted at once even if nobody is in a hurry. */
const MANY = 64;
/** How long a late claim waits for the protest of whoever was written over. */
const PROTEST_MS = 1500;
/**
 * How long a process that has met no other claims nothing after a late write: whoever was written over notes its keys
 * anew before. One that has keeps quiet about as long before and after a claim.
 */
const REST_MS = 750;
/** How often a worker that has keys looks whether its notes still stand, and for how long after they were used. */
const BEAT_MS = 400;
const RECENT_MS = 1000;
const RECENT_WRITTEN_OVER_MS = 2000;
/** How long a protest stands. */
const PROTEST_STANDS_MS = 5000;
/** How long a key that another worker has may stay open until it counts as lost. */
const PATIENCE_MS = 10_000;
const FIRST_LOOK_AGAIN_MS = 100;
const LATEST_LOOK_AGAIN_MS = 1000;
/**
 * How long a key waits until others have left the row that it would push out. Those may wait for it in turn, because
 * they come after it in the order of their recipient: then the row grows for a while.
 */
const CROWDED_MS = 1000;
/** Why a sleep ends early. Without a reason an error is made each time, with its stack: for each key that is much. */
const WOKEN = 'woken';
/** How long to wait after each failure of the store in a row; after the last one it is given up. */
const AFTER_FAILURE_MS = [250, 500, 1000, 2000, 4000];
/**
 * Reads and writes the row of one node in n8n's store, for all executions in this process: one thing after the other,
 * and many keys at once, because writers that overlap lose what the other wrote.
 *
 * Against the writers of other processes a claim is looked at again after a short wait, until it stands; and who has
 * keys keeps looking whether anybody has written over them.
 */
export class RowWriter {
	private looking: Looking[] = [];

	private groups: Group[] = [];

	/** Keys that somebody here has, and those that were sent a moment ago. */
	private readonly having = new Map<string, Marks>();

	private recent: Array<{ marks: Marks; at: number }> = [];

	private readonly settled = new Map<string, Settled>();

	/** Marks that only stand in the way. The `urgent` ones make a key look open to other workers. */
	private litter: string[] = [];

	private urgent: string[] = [];

	private protests: Array<{ mark: string; at: number }> = [];

	/** The mark that the last note has left: when it is gone, another worker has written over that note. */
	private witness: string | undefined;

	/** A mark that each note leaves and each removal takes: when it is back, another worker has written over that removal. */
	private readonly trace = ownMark();

	private isTraceGone = false;

	private notedAt = 0;

	/** While claims are to be looked at once more, or there are others, this process does not write before. */
	private quietUntil = 0;

	private isWrittenOver = false;

	/** Whether a protest does not keep quiet first: somebody may be about to send under a key that is had here. */
	private protestsAtOnce = false;

	/** Until when nothing is claimed. */
	private restsUntil = 0;

	private readonly presence: Presence;

	private removal = { failures: 0, notBefore: 0 };

	private hurry = false;

	private running = false;

	private alarm = new AbortController();

	/** Until when it sleeps; `undefined` while it does not. */
	private sleepsUntil: number | undefined;

	/** The store and the number of keys that were last used. */
	private last: Pick<Wish, 'store' | 'mostKeys'> | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly random: () => number,
		private readonly company: Company,
		private readonly listener: Listener,
	) {
		this.presence = new Presence(company);
	}

	/** Whether there is nothing left to do. */
	get isIdle(): boolean {
		return !this.running;
	}

	/** Whether a key was sent, and that is only still to be noted. */
	isSettledAsSent(id: string): boolean {
		return this.settled.get(id)?.how === 'sent';
	}

	/** Looks whether a key may be had, and notes that it is. */
	look(wish: Wish): void {
		const now = this.clock.now();
		this.looking.push({ wish, since: now, at: now, failures: 0, looks: 0, notes: [], protestsSought: 0 });
		this.wake();
	}

	/** Gives up a look that has not begun; false when it has. */
	unlook(wish: Wish): boolean {
		const found = this.looking.find((each) => each.wish === wish);
		if (found === undefined) return false;
		this.looking = this.looking.filter((each) => each !== found);
		this.forget(found);
		return true;
	}

	/** Hands on a key that was to be given back, if its marks still stand. */
	takeBack({ marks }: Wish): boolean {
		const settled = this.settled.get(marks.known);
		if (settled === undefined || settled.beingWritten) return false;
		this.settled.delete(marks.known);
		this.having.set(marks.known, marks);
		settled.noted(true);
		return true;
	}

	/** Notes how it ended with a key. Gives whether that could be noted. */
	async settle({ marks, store }: Wish, how: Settled['how']): Promise<boolean> {
		this.having.delete(marks.known);
		const since = this.clock.now();
		if (how === 'sent') this.recent.push({ marks, at: since });
		return await new Promise((noted) => {
			this.settled.set(marks.known, { marks, store, how, since, beingWritten: false, noted });
			this.wake();
		});
	}

	/** Leaves a key as it stands: nobody knows how it ended. */
	leaveOpen(id: string): void {
		this.having.delete(id);
		this.wake();
	}

	/** Has all ends noted that are known by now, without waiting for more. */
	hurryUp(): void {
		if (this.settled.size === 0) return;
		this.hurry = true;
		this.wake();
	}

	private wake(): void {
		if (!this.running) {
			this.running = true;
			void this.work();
		} else if (this.sleepsUntil !== undefined && this.nextWrite() < this.sleepsUntil) {
			this.alarm.abort(WOKEN);
		}
	}

	/** Never rejects. */
	private async work(): Promise<void> {
		await this.clock.sleep(GATHER_MS);
		for (;;) {
			if (this.mayWriteAt() <= this.clock.now() && (await this.write())) continue;
			const next = this.nextWrite();
			if (next === Infinity) break;
			this.alarm = new AbortController();
			this.sleepsUntil = next;
			await this.clock.sleep(Math.max(0, next - this.clock.now()), this.alarm.signal);
			this.sleepsUntil = undefined;
		}
		this.running = false;
	}

	/** Does what there is to do; false when there is nothing yet. */
	private async write(): Promise<boolean> {
		const now = this.clock.now();
		const looking = this.takeLooking(now);
		const groups = this.groups.filter((group) => this.looksAt(group) <= now);
		const toNote = looking.length + groups.length > 0 || this.beatAt() <= now;
		// First of all earlier claims are looked at: a write of ours might bring back what others have written over.
		if (toNote) await this.note(looking, groups);
		const toRemove = this.removalAt() <= this.clock.now();
		if (toRemove) await this.remove();
		return toNote || toRemove;
	}

	private mayWriteAt(): number {
		if (this.protestsAtOnce || this.presence.isAlone) return 0;
		return this.groups.length > 0 || this.presence.inCompany ? this.quietUntil : 0;
	}

	/** When to look whether a note of claims stands. */
	private looksAt({ at }: Group): number {
		return this.presence.isAlone ? at : Math.max(at, this.quietUntil);
	}

	/**
	 * When new keys are noted, at the earliest. Who may write while others wait to be looked at notes them together with
	 * that look, unless there are many.
	 */
	private claimsAt(): number {
		const next = this.groups.filter(({ late, failures }) => !late && failures === 0).map(({ at }) => at);
		const isGathering = this.presence.isAlone && next.length > 0 && this.looking.length < MANY;
		return isGathering ? Math.max(this.restsUntil, Math.min(...next)) : this.restsUntil;
	}

	/** Looks at the time that a write took, and keeps still for a while. Gives whether it was late. */
	private wrote(began: number): boolean {
		const now = this.clock.now();
		const { quiet, random, late } = this.presence.manners;
		this.quietUntil = now + quiet + this.random() * random;
		if (now - began <= late) return false;
		if (!this.company.met) this.restsUntil = now + REST_MS;
		for (const group of this.groups) {
			group.late = true;
			group.at = now + PROTEST_MS;
		}
		return true;
	}

	private takeLooking(now: number): Looking[] {
		if (now < this.claimsAt()) return [];
		const room = this.room();
		const due = this.looking
			.filter(({ at }) => at <= now)
			.filter(({ since, openSince }, n) => n < room || openSince !== undefined || now - since >= CROWDED_MS)
			.slice(0, MOST_TOGETHER);
		const taken = new Set(due);
		this.looking = this.looking.filter((each) => !taken.has(each));
		return due;
	}

	/** How many keys may be noted now. Those that are under way must not push each other out of the row. */
	private room(): number {
		const mostKeys = Math.min(...this.looking.map(({ wish }) => wish.mostKeys));
		return Math.max(0, Math.min(MOST_TOGETHER, mostKeys - this.underWay()));
	}

	/** How many keys are noted whose end is not; one that was found open is, and somebody waits for its end. */
	private underWay(): number {
		const open = this.looking.filter(({ openSince }) => openSince !== undefined).length;
		return this.groups.reduce(
			(sum, { looking }) => sum + looking.length,
			this.having.size + this.settled.size + open,
		);
	}

	/** When there is something to write and it may be written; Infinity when there is nothing to do. */
	private nextWrite(): number {
		const hasRoom = this.room() > 0;
		const claimsAt = this.claimsAt();
		const looks = this.looking.map(({ at, since, openSince }) =>
			Math.max(claimsAt, at, hasRoom || openSince !== undefined ? 0 : since + CROWDED_MS),
		);
		const again = this.groups.map((group) => this.looksAt(group));
		return Math.max(this.mayWriteAt(), Math.min(this.removalAt(), this.beatAt(), ...looks, ...again));
	}

	/** When to look whether the notes of those who have keys still stand. */
	private beatAt(): number {
		if (this.witness === undefined) return Infinity;
		if (this.isWrittenOver) return this.notedAt;
		return this.having.size + this.recent.length > 0 ? this.notedAt + BEAT_MS : Infinity;
	}

	/** When marks are to be taken away; Infinity when there is nothing to do. */
	private removalAt(): number {
		const { settled, urgent, removal } = this;
		if (urgent.length > 0) return removal.notBefore;
		const [oldest] = settled.values();
		if (oldest !== undefined) {
			const isInTheWay = this.looking.length > 0 && this.room() === 0;
			const atOnce = this.hurry || settled.size >= MANY || isInTheWay;
			return Math.max(removal.notBefore, atOnce ? 0 : oldest.since + LATEST_NOTE_MS);
		}
		const [protest] = this.protests;
		if (protest !== undefined && this.isQuiet()) return Math.max(removal.notBefore, protest.at);
		return this.isQuiet() && (this.litter.length > 0 || this.witness !== undefined)
			? removal.notBefore
			: Infinity;
	}

	private isQuiet(): boolean {
		return this.looking.length + this.groups.length + this.having.size + this.recent.length === 0;
	}

	/** Notes new wishes, looks whether earlier notes stand, and makes those anew that do not. */
	private async note(looking: Looking[], groups: readonly Group[]): Promise<void> {
		this.last = (looking.at(-1) ?? groups[0]?.looking[0])?.wish ?? this.last;
		const { last, witness, isWrittenOver } = this;
		if (last === undefined) return;
		const began = this.clock.now();
		this.notedAt = began;
		const own = new OwnNote();
		const earlier = new Set([...looking.flatMap(({ notes }) => notes), ...groups.map(({ note }) => note)]);
		const sought = new Map([...earlier].map((note) => [note, note.next]));
		const nextWitness = ownMark();
		const late = groups
			.filter((group) => group.late)
			.flatMap(({ looking: those }) => those.flatMap(protestsFor));
		const recent = this.recent.map(({ marks }) => marks);
		const again = isWrittenOver || this.company.met ? recent : [];
		const kept = isWrittenOver ? [...this.having.values()] : [];
		const protests = isWrittenOver ? [...kept, ...again].flatMap(({ taken }) => taken) : [];
		// Those that are known stand first: the oldest are dropped first, and an open one must not be taken for sent. For
		// the same reason an earlier note is not made again without need, but looked for by its own mark.
		const marks = [
			...[...again, ...kept].map(({ known }) => known),
			...looking.map(({ wish }) => wish.marks.known),
			...kept.map(({ open }) => open),
			...looking.map(({ wish }) => wish.marks.open),
			...protests,
			...(looking.length === 0 ? [] : own.marks),
			nextWitness,
			this.trace,
			...this.presence.signs(began),
			...[...sought.values()].filter((mark) => mark !== undefined),
			...late,
			...(witness === undefined ? [] : [witness]),
		];
		for (const note of earlier) note.used();
		let stood: ReadonlySet<string>;
		try {
			stood = await last.store.record([...new Set(marks)], this.mostMarks(looking, marks.length));
		} catch (error) {
			this.protestsAtOnce = false;
			// They may stand all the same.
			this.isTraceGone = false;
			this.litter.push(nextWitness);
			this.noteFailed(error, looking, groups);
			this.wrote(began);
			return;
		}
		const now = this.clock.now();
		if (witness !== undefined) this.litter.push(witness);
		this.witness = nextWitness;
		this.urgent.push(...again.map(({ open }) => open));
		this.protests.push(...protests.map((mark) => ({ mark, at: now + PROTEST_STANDS_MS })));
		this.isWrittenOver = witness !== undefined && !stood.has(witness);
		// At once the first time only: those who have met leave each other room.
		this.protestsAtOnce = this.isWrittenOver && !this.company.met;
		if (this.isWrittenOver) this.company.met = true;
		if (this.isTraceGone && stood.has(this.trace)) {
			this.company.met = true;
			// Keys whose message was sent look open again.
			this.urgent.push(...recent.map(({ open }) => open));
		}
		this.isTraceGone = false;
		// What was written over is still to be noted anew.
		const isWatched = this.protestsAtOnce ? RECENT_WRITTEN_OVER_MS : RECENT_MS;
		this.recent = this.recent.filter(({ at }) => began - at < isWatched);
		this.litter.push(...this.presence.read(stood, began, marks.length, last.mostKeys));

		const standing = (note: OwnNote): boolean => {
			const mark = sought.get(note);
			return mark !== undefined && stood.has(mark);
		};
		for (const group of groups) this.judge(group, standing(group.note), stood, now);
		const back = new Map<OwnNote, Looking[]>();
		const mine = looking.filter((each) => {
			const note = each.notes.find(standing);
			if (note === undefined) return this.isNew(each, stood, now);
			// It has come back, and may have been written over others: they can protest, as after a late one.
			back.set(note, [...(back.get(note) ?? []), each]);
			return false;
		});
		for (const [note, found] of back) {
			this.groups.push({
				looking: found,
				note,
				failures: 0,
				at: now + PROTEST_MS,
				late: true,
			});
		}
		const isLate = this.wrote(began);
		if (mine.length === 0) this.litter.push(...(looking.length === 0 ? [] : own.marks));
		else {
			own.serve(mine.length);
			const at = isLate ? this.clock.now() + PROTEST_MS : this.quietUntil;
			this.groups.push({ looking: mine, note: own, failures: 0, at, late: isLate });
		}
	}

	/** Tells what has been found of a key. */
	private tell(each: Looking, what: Found): void {
		this.forget(each);
		this.listener.found(each.wish, what);
	}

	/** The marks by which notes of a key were recognized are not needed any more. */
	private forget({ notes }: Looking): void {
		for (const note of notes) {
			if (note.release()) this.litter.push(...note.marks);
		}
	}

	/** Tells those of a group whether they have their keys, or has them look again. */
	private judge(group: Group, isStanding: boolean, stood: ReadonlySet<string>, now: number): void {
		this.groups = this.groups.filter((other) => other !== group);
		if (!isStanding) this.company.met = true;
		for (const each of group.looking) {
			const { wish } = each;
			const notes = each.notes.includes(group.note) ? each.notes : [...each.notes, group.note];
			const protests = protestsFor(each);
			if (group.late) each.protestsSought += 1;
			const isTaken = group.late && protests.every((mark) => stood.has(mark));
			if (group.late && !isTaken) this.urgent.push(...protests);
			if (isStanding && !isTaken) {
				this.presence.stands();
				this.having.set(wish.marks.known, wish.marks);
				this.tell({ ...each, notes }, 'mine');
			} else {
				// Another worker has written over it. It may have taken the key, and sent the message by now.
				this.looking.push({
					...each,
					notes: isTaken ? each.notes.filter((note) => note !== group.note) : notes,
					at: now,
				});
				if (isTaken && group.note.release()) this.litter.push(...group.note.marks);
			}
		}
	}

	/** Whether nobody has the key; who finds it sent or open is told, or looks again. */
	private isNew(each: Looking, stood: ReadonlySet<string>, now: number): boolean {
		const { wish } = each;
		const { known, open } = wish.marks;
		const found = readMarks(wish.marks, stood);
		if (found === 'new') {
			// It was sent a moment ago, and that has been written over.
			if (!this.isWrittenOver || !this.recent.some(({ marks }) => marks.known === known)) return true;
			this.urgent.push(open);
			this.tell(each, 'sent');
			return false;
		}
		if (found === 'sent') {
			// Nobody here had it while it was open.
			if (each.openSince !== undefined) this.company.met = true;
			this.urgent.push(open);
			this.tell(each, 'sent');
			return false;
		}
		// It was pushed out of the row while it was under way, and must not stand there alone.
		if (!stood.has(known)) this.urgent.push(known);
		each.openSince ??= now;
		if (this.listener.isUndecided(known) || now - each.openSince >= PATIENCE_MS) {
			this.having.set(known, wish.marks);
			this.tell(each, 'open');
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
			if (pause === undefined) this.tell(each, notNoted(error));
			else this.looking.push({ ...each, at: now + pause });
		}
		for (const group of groups) {
			const pause = AFTER_FAILURE_MS[group.failures++];
			group.at = now + (pause ?? 0);
			if (pause !== undefined) continue;
			// The note stays behind: whether it is theirs can't be seen. Later it counts as open.
			this.groups = this.groups.filter((other) => other !== group);
			for (const each of group.looking) {
				this.tell({ ...each, notes: [...new Set([...each.notes, group.note])] }, notNoted(error));
			}
		}
	}

	/** Notes the ends that are known, and takes litter away. */
	private async remove(): Promise<void> {
		if (this.isQuiet() && this.witness !== undefined) {
			this.litter.push(this.witness, ...this.presence.leave());
			this.witness = undefined;
		}
		const now = this.clock.now();
		const ends = [...this.settled.values()];
		const { urgent, litter } = this;
		const protests = this.protests.filter(({ at }) => at <= now);
		const store = ends.at(-1)?.store ?? this.last?.store;
		if (store === undefined) return;
		const marks = ends.flatMap(({ marks: { known, open }, how }) =>
			how === 'sent' ? [open] : [known, open],
		);
		for (const end of ends) end.beingWritten = true;
		this.hurry = false;
		try {
			const passing = [...urgent, ...litter, ...protests.map(({ mark }) => mark), this.trace];
			await store.remove([...new Set([...marks, ...passing])]);
		} catch {
			this.removeFailed(ends);
			this.wrote(now);
			return;
		}
		this.wrote(now);
		this.isTraceGone = true;
		this.presence.removed(this.clock.now());
		this.removal = { failures: 0, notBefore: 0 };
		this.urgent = this.urgent.slice(urgent.length);
		this.litter = this.litter.slice(litter.length);
		this.protests = this.protests.filter((protest) => !protests.includes(protest));
		for (const end of ends) {
			this.settled.delete(end.marks.known);
			end.noted(true);
		}
	}

	private removeFailed(ends: readonly Settled[]): void {
		const pause = AFTER_FAILURE_MS[this.removal.failures++];
		for (const end of ends) {
			end.beingWritten = false;
			// The marks may be gone all the same, and others in their place: who takes those away has a message sent twice.
			if (pause !== undefined && end.how === 'sent') continue;
			this.settled.delete(end.marks.known);
			end.noted(false);
		}
		if (pause !== undefined) {
			this.removal.notBefore = this.clock.now() + pause;
			this.hurry = this.settled.size > 0;
			return;
		}
		this.removal = { failures: 0, notBefore: 0 };
		this.urgent = [];
		this.litter = [];
		this.protests = [];
		this.recent = [];
		this.witness = undefined;
		this.presence.leave();
	}

	/** How many marks may stand: those of the keys that are remembered, and those that stand for a while only. */
	private mostMarks(looking: readonly Looking[], noted: number): number {
		const underWay = this.underWay();
		const keys = Math.max(
			this.last?.mostKeys ?? 1,
			...looking.map(({ wish }) => wish.mostKeys),
			underWay + looking.length,
		);
		const own = this.groups.reduce((sum, group) => sum + group.note.marks.length, 0);
		const passing = this.litter.length + this.urgent.length + this.protests.length;
		// Of what is noted now, the keys themselves count among those that are remembered.
		return keys + underWay + own + passing + noted - looking.length;
	}
}

/** The marks of a protest to look for: each time others, because looking for them leaves them there. */
function protestsFor({ wish, protestsSought }: Looking): string[] {
	const { taken } = wish.marks;
	return [0, 1].map((n) => taken[(2 * protestsSought + n) % taken.length] ?? '');
}
