import type { Turns } from '../time/turns';

/** How many characters of a text are searched at once. */
const PORTION = 8 * 1024;

/** How many parts are put together at once. */
const MANY = 4096;

/** A text that is made of parts: of millions as well, without a moment at which all are put together. */
export class Parts {
	private readonly whole: string[] = [];

	private parts: string[] = [];

	add(part: string): void {
		this.parts.push(part);
		if (this.parts.length < MANY) return;
		this.whole.push(this.parts.join(''));
		this.parts = [];
	}

	toString(): string {
		return [...this.whole, ...this.parts].join('');
	}
}

/** A search in a text of any length: it goes through the text portion by portion, and the event loop turns in between. */
export class Search {
	/** Where it goes on. */
	from = 0;

	private readonly pattern: RegExp;

	/**
	 * @param pattern what is searched for: global; it may look at one character before and behind what it finds
	 * @param longest the most characters that it finds
	 */
	constructor(
		private readonly text: string,
		pattern: RegExp,
		private readonly longest: number,
		private readonly turns: Turns,
	) {
		// One of its own: where it goes on stands in the expression itself.
		this.pattern = new RegExp(pattern);
	}

	/** The next match, and where it stands in the text; `undefined` when there is no other. */
	async next(): Promise<{ index: number; match: RegExpExecArray } | undefined> {
		const { text, pattern, longest, turns } = this;
		while (this.from < text.length) {
			const { from } = this;
			// What stands before and behind may count.
			const start = Math.max(0, from - 1);
			pattern.lastIndex = from - start;
			const match = pattern.exec(text.slice(start, from + PORTION + longest));
			if (turns.overAfter(match === null ? PORTION / 16 : 8)) await turns.next();
			const index = start + (match?.index ?? 0);
			if (match !== null && index < from + PORTION) {
				this.from = index + match[0].length;
				return { index, match };
			}
			this.from = from + PORTION;
		}
		return undefined;
	}
}
