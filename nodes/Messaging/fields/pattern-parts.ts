import { allBut, ANY, type Characters, CLASSES, NO_LINE_END } from './characters';

/** A part of a pattern, as far as it says which characters may follow each other. */
export type Part =
	| { kind: 'one'; characters: Characters }
	| { kind: 'row' | 'choice'; parts: readonly Part[] }
	| { kind: 'repeat'; part: Part; least: number; most: number };

/** One of the alternatives that a pattern consists of. */
export interface Alternative {
	/** Whether it begins at the beginning of the text. */
	anchored: boolean;
	part: Part;
}

/**
 * The parts of a regular expression (ECMAScript, flag u) that is valid; `undefined` when it has something that is not
 * known here: looking around, references back, ^ and $ within, names of groups.
 *
 * Sets of characters may come out larger than they are, never smaller.
 */
export function parsePattern(pattern: string): Alternative[] | undefined {
	try {
		return new Parser([...pattern]).pattern();
	} catch {
		return undefined;
	}
}

/** Thrown where something is not known here. */
class Unknown extends Error {}

const ESCAPED_CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

class Parser {
	private at = 0;

	constructor(private readonly text: readonly string[]) {}

	pattern(): Alternative[] {
		const alternatives: Alternative[] = [];
		do {
			const anchored = this.takes('^');
			const part = this.row();
			this.takes('$');
			alternatives.push({ anchored, part });
		} while (this.takes('|'));
		if (this.at < this.text.length) throw new Unknown();
		return alternatives;
	}

	private row(): Part {
		const parts: Part[] = [];
		while (!['|', ')', '$', undefined].includes(this.text[this.at])) parts.push(this.repeated());
		return { kind: 'row', parts };
	}

	private repeated(): Part {
		const part = this.single();
		const times = this.times();
		if (times === undefined) return part;
		// Whether as much or as little as possible is tried first makes no difference.
		this.takes('?');
		const [least, most] = times;
		return least === 1 && most === 1 ? part : { kind: 'repeat', part, least, most };
	}

	private times(): [least: number, most: number] | undefined {
		if (this.takes('*')) return [0, Infinity];
		if (this.takes('+')) return [1, Infinity];
		if (this.takes('?')) return [0, 1];
		if (!this.takes('{')) return undefined;
		const least = this.number();
		const most = !this.takes(',') ? least : this.text[this.at] === '}' ? Infinity : this.number();
		this.needs('}');
		return [least, most];
	}

	private number(): number {
		let digits = '';
		while (/^\d$/.test(this.text[this.at] ?? '')) digits += this.take();
		if (digits === '') throw new Unknown();
		return Number(digits);
	}

	private single(): Part {
		const character = this.take();
		if (character === '.') return { kind: 'one', characters: NO_LINE_END };
		if (character === '[') return { kind: 'one', characters: this.set() };
		if (character === '\\') return { kind: 'one', characters: this.escape(false) };
		if (character === '(') return this.group();
		if ('^$*+?{}])|'.includes(character)) throw new Unknown();
		return { kind: 'one', characters: only(character) };
	}

	private group(): Part {
		if (this.takes('?')) this.needs(':');
		const parts: Part[] = [];
		do {
			parts.push(this.row());
		} while (this.takes('|'));
		this.needs(')');
		return { kind: 'choice', parts };
	}

	private set(): Characters {
		const inverted = this.takes('^');
		const ranges: Array<readonly [number, number]> = [];
		while (!this.takes(']')) {
			const from = this.member();
			if (this.text[this.at] === '-' && this.text[this.at + 1] !== ']') {
				this.take();
				const to = this.member();
				const [first, last] = [from[0]?.[0], to[0]?.[1]];
				if (first === undefined || last === undefined) throw new Unknown();
				ranges.push([first, last]);
			} else ranges.push(...from);
		}
		return inverted ? allBut(ranges) : ranges;
	}

	private member(): Characters {
		const character = this.take();
		return character === '\\' ? this.escape(true) : only(character);
	}

	private escape(inSet: boolean): Characters {
		const character = this.take();
		const known = CLASSES[character];
		if (known !== undefined) return known;
		const control = ESCAPED_CONTROLS[character];
		if (control !== undefined) return [[control, control]];
		// \- is for sets alone; the others mean themselves everywhere.
		if ('^$\\.*+?()[]{}|/'.includes(character) || (inSet && character === '-')) return only(character);
		if (!inSet && (character === 'p' || character === 'P')) return this.property();
		throw new Unknown();
	}

	/** A property such as \p{Letter}: not looked up, so it may be any character. */
	private property(): Characters {
		this.needs('{');
		while (!this.takes('}')) this.take();
		return ANY;
	}

	private take(): string {
		const character = this.text[this.at];
		if (character === undefined) throw new Unknown();
		this.at += 1;
		return character;
	}

	private takes(character: string): boolean {
		if (this.text[this.at] !== character) return false;
		this.at += 1;
		return true;
	}

	private needs(character: string): void {
		if (!this.takes(character)) throw new Unknown();
	}
}

function only(character: string): Characters {
	const code = character.codePointAt(0) ?? 0;
	return [[code, code]];
}
