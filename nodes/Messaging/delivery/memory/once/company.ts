import { ASKED_MARK, HERE_MARKS } from './marks';

/** What a process knows of others that use the same store: n8n's workers, in queue mode. */
export interface Company {
	/** Whether another process has ever been seen to write over a note, or to leave one; then ends are noted twice, too. */
	met: boolean;
}

/** How a writer keeps out of the way of others, in milliseconds. */
export interface Manners {
	/** Whether a claim stands is seen when this process has not written for so long, and up to so much more at random. */
	readonly quiet: number;
	readonly random: number;
	/** A write that takes longer is late: others may have been sure of a claim that it wrote over. */
	readonly late: number;
}

/**
 * Claims are made with Fischer's algorithm: write, keep quiet, look whether the note still stands. Somebody who has read
 * the row before the note was there may write over it later; if that is not late, it happens before the look, where one's
 * quiet is longer than the other's late. If it is late, the other claims nothing new and waits for a protest. So, of one
 * who looks and one who writes over its note, in whatever order they have read:
 *
 * | quiet, at least   | who writes is new (80) | in company (80) | alone (240)                          |
 * | ----------------- | ---------------------- | --------------- | ------------------------------------ |
 * | looks: new (85)   | seen                   | seen            | finds its sign, and is in company    |
 * | alone (85)        | seen                   | seen            | never two in one row, see `Presence` |
 * | in company (250)  | seen                   | seen            | seen                                 |
 *
 * A process that is alone is slow by its own work only, and would wait for nothing.
 */
const NEW: Manners = { quiet: 85, random: 5, late: 80 };
const ALONE: Manners = { quiet: 85, random: 5, late: 240 };
const IN_COMPANY: Manners = { quiet: 250, random: 250, late: 80 };

/** After so long, whoever is at work has written its sign again. */
const CHALLENGE_MS = 2000;

const SIGNS: readonly string[] = [...HERE_MARKS, ASKED_MARK];

/**
 * What a process knows of others in one row, from its first note there to the moment when it has nothing left to do.
 *
 * All who are at work there leave a sign in the row with each note, and one who comes looks for it with its first note:
 * whoever finds it is in company from the start. Who does not is new, and alone as soon as a claim of its own has been
 * seen to stand: another who came in the same moment has been written over by then, and sees that, or was late, and
 * stays new until the first one has seen it. So two that are alone do not share a row: unless that remembers so few keys
 * (some hundred, where 10,000 are usual) that a single note of them may push the sign out before it is written again.
 *
 * A process that died leaves its sign behind. Who finds one takes it away, therefore, leaves another for those who come
 * meanwhile, and looks some time later: whoever lives has written it again. Until then it is a little slower, no more.
 */
export class Presence {
	private state: 'away' | 'new' | 'alone' | 'asking' = 'away';

	/** When the sign of another was taken away. */
	private askedAt = Infinity;

	/** Which of its two signs this process leaves: the other one before the row is so full that this one is dropped. */
	private turn = 0;

	/** How many marks have been noted behind it. */
	private behind = 0;

	/** Whether the other sign is to be left from now on. */
	private changes = false;

	/** Whether one of them is still to be taken away. */
	private isBeingRemoved = false;

	constructor(private readonly company: Company) {}

	/** Whether others are taken to be there. */
	get inCompany(): boolean {
		return this.company.met || this.state === 'asking';
	}

	/**
	 * Whether this process has the row for itself. Then it need not be quiet while its claims wait to be looked at:
	 * whoever has read before a claim may wipe that out, and what is written here next wipes out the other's note in
	 * turn, which that one sees. Among three it would not be: what was wiped out might be brought back.
	 */
	get isAlone(): boolean {
		return this.state === 'alone' && !this.company.met;
	}

	/** How to write now. */
	get manners(): Manners {
		if (this.inCompany) return IN_COMPANY;
		return this.state === 'alone' ? ALONE : NEW;
	}

	/** The signs that a note leaves in the row, or looks for. */
	signs(now: number): readonly string[] {
		if (this.state === 'away' || this.company.met) return SIGNS;
		if (this.state === 'asking') return this.isAnswerDue(now) ? SIGNS : [ASKED_MARK];
		return this.changes ? HERE_MARKS : [this.own];
	}

	/**
	 * Reads the signs that a note has found.
	 *
	 * @param began when the note began, in milliseconds
	 * @param noted how many marks it left
	 * @param mostKeys how many keys the row remembers
	 * @returns signs that are to be taken away
	 */
	read(stood: ReadonlySet<string>, began: number, noted: number, mostKeys: number): readonly string[] {
		const isFirst = this.state === 'away';
		if (this.company.met) {
			if (isFirst) this.state = 'new';
			return [];
		}
		if (this.state === 'asking' && !this.isAnswerDue(began)) return [];
		if (!isFirst && this.state !== 'asking') return this.change(noted, mostKeys);
		if (isFirst && SIGNS.some((sign) => stood.has(sign))) {
			this.state = 'asking';
			return HERE_MARKS;
		}
		if (HERE_MARKS.some((sign) => stood.has(sign))) {
			this.company.met = true;
			return [];
		}
		this.state = 'new';
		this.askedAt = Infinity;
		this.behind = noted;
		this.isBeingRemoved = true;
		return SIGNS.filter((sign) => sign !== this.own);
	}

	/** Notes that the signs that were to be taken away have been. */
	removed(now: number): void {
		this.isBeingRemoved = false;
		if (this.state === 'asking' && this.askedAt === Infinity) this.askedAt = now;
	}

	/** Notes that a claim was seen to stand; a late one, after others could have protested. */
	stands(): void {
		if (this.state === 'new') this.state = 'alone';
	}

	/** Notes that there is nothing left to do here. Gives the signs that are to be taken away. */
	leave(): readonly string[] {
		const left = this.state === 'asking' ? [ASKED_MARK] : HERE_MARKS;
		this.state = 'away';
		this.askedAt = Infinity;
		this.changes = false;
		return this.company.met ? [] : left;
	}

	private get own(): string {
		return HERE_MARKS[this.turn] ?? '';
	}

	private isAnswerDue(now: number): boolean {
		return now - this.askedAt >= CHALLENGE_MS;
	}

	private change(noted: number, mostKeys: number): readonly string[] {
		this.behind += noted;
		if (!this.changes) {
			this.changes = this.behind >= mostKeys / 2 && !this.isBeingRemoved;
			return [];
		}
		const before = this.own;
		this.turn = (this.turn + 1) % HERE_MARKS.length;
		this.behind = noted;
		this.changes = false;
		this.isBeingRemoved = true;
		return [before];
	}
}
