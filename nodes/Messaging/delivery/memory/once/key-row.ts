import type { Clock } from '../../../time/clock';
import type { Company } from './company';
import { RowWriter } from './row-writer';
import { type Found, type HeldEnd, remember, type Wish } from './wish';

/**
 * The keys of one node as all executions in this process use them: who has which, and who waits for it. One at a time
 * has a key; what other processes do is seen in the store.
 */
export class KeyRow {
	/** The keys that somebody here has or is about to get, and who waits for each. */
	private readonly held = new Map<string, Wish[]>();

	/** Keys whose end nobody knows: there is nothing to wait for. */
	private readonly undecided = new Set<string>();

	/** Keys that were sent and look open, because the store did not take the note. */
	private readonly sentUnnoted = new Set<string>();

	private readonly writer: RowWriter;

	/** How many runs use it. */
	private users = 0;

	constructor(clock: Clock, random: () => number, company: Company) {
		this.writer = new RowWriter(clock, random, company, {
			found: (wish, what) => this.found(wish, what),
			isUndecided: (id) => this.undecided.has(id),
		});
	}

	/** Whether nobody needs it any more. */
	get isIdle(): boolean {
		return this.users === 0 && this.held.size === 0 && this.writer.isIdle;
	}

	/** Notes that a run uses it. A run that has no key just now may want one later, and must not write beside another row. */
	enter(): void {
		this.users += 1;
	}

	/** Notes that a run does not use it any more. */
	leave(): void {
		this.users -= 1;
	}

	/**
	 * Asks for a key.
	 *
	 * @returns 'waits' when another execution of this process, or an earlier item, has it now
	 */
	claim(wish: Wish): 'asked' | 'waits' {
		const id = wish.marks.known;
		if (this.sentUnnoted.has(id) || this.writer.isSettledAsSent(id)) {
			wish.ended('sent');
			return 'asked';
		}
		const waiting = this.held.get(id);
		if (waiting !== undefined) {
			waiting.push(wish);
			return 'waits';
		}
		this.held.set(id, []);
		// What was to be given back and still stands passes from one to the other.
		if (this.writer.takeBack(wish)) wish.ended('mine');
		else this.writer.look(wish);
		return 'asked';
	}

	/** Gives up a wish that has not got its key yet; one that is being noted ends all the same. */
	withdraw(wish: Wish): void {
		if (!this.leaveQueue(wish)) {
			if (!this.writer.unlook(wish)) return;
			this.passOn(wish);
		}
		wish.ended('withdrawn');
	}

	/** Ends the wait for another execution of this process. */
	stopWaiting(wish: Wish): void {
		if (this.leaveQueue(wish)) wish.ended('busy');
	}

	/**
	 * Takes a key back from somebody who has it.
	 *
	 * @returns whether the end was noted; it is true of one that needs no note
	 */
	async end(wish: Wish, how: HeldEnd): Promise<boolean> {
		const id = wish.marks.known;
		const waiting = this.held.get(id) ?? [];
		const next = how === 'sent' ? undefined : waiting.shift();
		if (next !== undefined) {
			next.ended(how === 'open' ? 'open' : 'mine');
			return true;
		}
		this.held.delete(id);
		if (how === 'open') {
			remember(this.undecided, id);
			this.writer.leaveOpen(id);
			return true;
		}
		this.undecided.delete(id);
		const noted = this.writer.settle(wish, how);
		for (const other of waiting) other.ended('sent');
		if (await noted) return true;
		if (how === 'sent') remember(this.sentUnnoted, id);
		return false;
	}

	/** Has all ends noted that are known by now, without waiting for more. */
	hurryUp(): void {
		this.writer.hurryUp();
	}

	private found(wish: Wish, what: Found): void {
		const id = wish.marks.known;
		if (what === 'mine' || what === 'open') return wish.ended(what);
		const waiting = this.held.get(id) ?? [];
		this.held.delete(id);
		for (const one of [wish, ...waiting]) one.ended(what);
	}

	private leaveQueue(wish: Wish): boolean {
		const waiting = this.held.get(wish.marks.known);
		const at = waiting?.indexOf(wish) ?? -1;
		if (at >= 0) waiting?.splice(at, 1);
		return at >= 0;
	}

	/** The next one who waits for a key tries in place of the one who left. */
	private passOn({ marks }: Wish): void {
		const next = this.held.get(marks.known)?.shift();
		if (next === undefined) this.held.delete(marks.known);
		else this.writer.look(next);
	}
}
