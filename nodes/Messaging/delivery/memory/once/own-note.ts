import { ownMark } from './marks';

/** How often a note can be looked for. */
const LOOKS = 8;

/**
 * Marks of its own that a note leaves in the row, by which it is recognized as long as it stands. Whoever looks for a
 * mark leaves it there as well, so that each serves for one look only.
 */
export class OwnNote {
	readonly marks: readonly string[] = Array.from({ length: LOOKS }, ownMark);

	private looks = 0;

	/** How many of the keys that were noted with it still need it. */
	private users = 0;

	/** The mark to look for next; `undefined` when all have been used. */
	get next(): string | undefined {
		return this.marks[this.looks];
	}

	/** Notes that the next mark has been looked for. */
	used(): void {
		this.looks += 1;
	}

	/** Notes how many keys it stands for. */
	serve(users: number): void {
		this.users = users;
	}

	/** Notes that one of its keys does not need it any more; true when that was the last one. */
	release(): boolean {
		this.users -= 1;
		return this.users === 0;
	}
}
