import { ANY, type Characters, overlap } from './characters';
import { parsePattern, type Part } from './pattern-parts';

/** The longest text that is matched against a pattern; longer text is left to the service. */
const LONGEST_TEXT = 10_000;
/** The longest pattern that is looked at, and how many places it may have once groups are written out. */
const LONGEST_PATTERN = 500;
const MOST_PLACES = 200;
/** The most parts that are looked at, and the most pairs of places that are compared, before a pattern is given up. */
const MOST_PARTS = 2_000;
const MOST_PAIRS = 5_000;
/** The most characters that a pattern may take which is looked for anywhere in the text. */
const LONGEST_LOOSE_MATCH = 50;
/** How many patterns are remembered. */
const MOST_KNOWN = 200;

const known = new Map<string, RegExp | undefined>();

/**
 * Whether text has the form of a pattern; `undefined` for a pattern whose check could take more than a time that grows
 * with the length of the text, for one that is none, and for very long text.
 */
export function matches(pattern: string, text: string): boolean | undefined {
	if (pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT) return undefined;
	if (!known.has(pattern)) {
		if (known.size >= MOST_KNOWN) known.clear();
		known.set(pattern, isLinear(pattern) ? asExpression(pattern) : undefined);
	}
	return known.get(pattern)?.test(text);
}

function asExpression(pattern: string): RegExp | undefined {
	try {
		return new RegExp(pattern, 'u');
	} catch {
		return undefined;
	}
}

/**
 * Whether matching provably takes a time that grows with the length of the text only.
 *
 * It does where the next character always leaves one way to go on: after every place of the pattern, the sets of
 * characters that may come next have nothing in common, each next place is reached in one way, and whatever may be
 * empty is empty in one way. A matcher that tries all ways then finds a single one, and gives up each other at its
 * first character. (Such expressions are called strongly one-unambiguous: Brüggemann-Klein and Wood, "One-unambiguous
 * regular languages", 1998.) It must begin with ^ too, or every place of the text would be a new beginning; only what
 * matches few characters may stand anywhere.
 */
export function isLinear(pattern: string): boolean {
	const parsed = parsePattern(pattern);
	if (parsed === undefined) return false;
	const ways = new Ways();
	return (
		parsed.every(({ anchored, part }) => {
			const shape = ways.add(part);
			return shape !== undefined && (anchored || shape.longest <= LONGEST_LOOSE_MATCH);
		}) && ways.areClear()
	);
}

/** What a part of a pattern looks like from outside; places are numbers, named as often as there are ways to them. */
interface Shape {
	mayBeEmpty: boolean;
	first: readonly number[];
	last: readonly number[];
	/** How many characters it takes at most. */
	longest: number;
}

const EMPTY: Shape = { mayBeEmpty: true, first: [], last: [], longest: 0 };

/** Which places of a pattern may come after which. */
class Ways {
	private readonly characters: Characters[] = [];

	/** For each place, what may come next; and the places that a text may begin with, of each alternative. */
	private readonly next: number[][] = [];

	private readonly beginnings: number[][] = [];

	private parts = 0;

	/** Adds an alternative of the whole pattern; `undefined` when it can't be shown to be linear. */
	add(part: Part): Shape | undefined {
		const shape = this.shapeOf(part);
		if (shape !== undefined) this.beginnings.push([...shape.first]);
		return shape;
	}

	/** Whether the next character always tells where to go on. */
	areClear(): boolean {
		let pairs = 0;
		return [...this.beginnings, ...this.next].every((places) =>
			places.every((place, index) =>
				places.slice(index + 1).every((other) => {
					pairs += 1;
					return pairs <= MOST_PAIRS && !this.overlap(place, other);
				}),
			),
		);
	}

	private shapeOf(part: Part): Shape | undefined {
		this.parts += 1;
		if (this.parts > MOST_PARTS) return undefined;
		switch (part.kind) {
			case 'one':
				return this.place(part.characters, 1, 1);
			case 'row':
				return this.row(part.parts);
			case 'choice':
				return this.choice(part.parts);
			case 'repeat':
				return part.part.kind === 'one'
					? this.place(part.part.characters, part.least, part.most)
					: this.repeat(part.part, part.least, part.most);
		}
	}

	/** One set of characters, a number of times. */
	private place(characters: Characters, least: number, most: number): Shape | undefined {
		if (most === 0) return EMPTY;
		const place = this.characters.length;
		if (place >= MOST_PLACES) return undefined;
		this.characters.push(characters);
		// Once only, or a fixed number of times, it is never open whether to stay or to go on.
		this.next.push(least === most || most === 1 ? [] : [place]);
		return { mayBeEmpty: least === 0, first: [place], last: [place], longest: most };
	}

	private row(parts: readonly Part[]): Shape | undefined {
		let whole = EMPTY;
		for (const part of parts) {
			const shape = this.shapeOf(part);
			if (shape === undefined) return undefined;
			this.follow(whole.last, shape.first);
			whole = {
				mayBeEmpty: whole.mayBeEmpty && shape.mayBeEmpty,
				first: whole.mayBeEmpty ? [...whole.first, ...shape.first] : whole.first,
				last: shape.mayBeEmpty ? [...whole.last, ...shape.last] : shape.last,
				longest: whole.longest + shape.longest,
			};
		}
		return whole;
	}

	private choice(parts: readonly Part[]): Shape | undefined {
		let whole: Shape = { ...EMPTY, mayBeEmpty: false };
		for (const part of parts) {
			const shape = this.shapeOf(part);
			if (shape === undefined || (whole.mayBeEmpty && shape.mayBeEmpty)) return undefined;
			whole = {
				mayBeEmpty: whole.mayBeEmpty || shape.mayBeEmpty,
				first: [...whole.first, ...shape.first],
				last: [...whole.last, ...shape.last],
				longest: Math.max(whole.longest, shape.longest),
			};
		}
		return whole;
	}

	/** A group, a number of times: written out, the last time perhaps for ever. */
	private repeat(part: Part, least: number, most: number): Shape | undefined {
		if (most === 0) return EMPTY;
		if (most === Infinity) return least <= 1 ? this.forEver(part, least) : this.writtenOut(part, least, most);
		if (most > 1) return this.writtenOut(part, least, most);
		const shape = this.shapeOf(part);
		if (shape === undefined || least === 1) return shape;
		return shape.mayBeEmpty ? undefined : { ...shape, mayBeEmpty: true };
	}

	private writtenOut(part: Part, least: number, most: number): Shape | undefined {
		if (least > MOST_PLACES || (most !== Infinity && most > MOST_PLACES)) return undefined;
		const fixed = Array.from({ length: most === Infinity ? least - 1 : least }, () => part);
		if (most === Infinity) return this.row([...fixed, { kind: 'repeat', part, least: 1, most }]);
		// Nested, each further time depends on the one before: x(x(x)?)? rather than xx?x?.
		let further: Part | undefined;
		for (let time = least; time < most; time++) {
			const row: Part = { kind: 'row', parts: further === undefined ? [part] : [part, further] };
			further = { kind: 'repeat', part: row, least: 0, most: 1 };
		}
		return this.row(further === undefined ? fixed : [...fixed, further]);
	}

	private forEver(part: Part, least: number): Shape | undefined {
		const shape = this.shapeOf(part);
		if (shape === undefined || shape.mayBeEmpty) return undefined;
		this.follow(shape.last, shape.first);
		return { ...shape, mayBeEmpty: least === 0, longest: Infinity };
	}

	private follow(from: readonly number[], to: readonly number[]): void {
		for (const place of from) this.next[place]?.push(...to);
	}

	/** Two ways to one place overlap as well. */
	private overlap(one: number, other: number): boolean {
		return overlap(this.characters[one] ?? ANY, this.characters[other] ?? ANY);
	}
}
