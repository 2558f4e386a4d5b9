import type { JsonObject } from '../json/plain-object';
import type { Turns } from '../time/turns';
import { parseExactly } from './exact-json';

/** How many characters of JSON are parsed at once; what has twice as many is long. */
const PORTION = 64 * 1024;

/** How deeply a body may be nested: n8n copies and saves what it gets, one level within the other. */
export const DEEPEST = 500;

/** The most fields of one object: whoever lists their names, as n8n does, does that in one go. */
export const MOST_FIELDS = 30_000;

/**
 * What JSON text of any length holds; `undefined` when it is no JSON, `tooMuch` when it is long and nobody can read it:
 * it is nested too deeply, or one of its objects has too many fields. A long text is parsed portion by portion, and the
 * event loop turns in between: `JSON.parse` would do all of it in one go. Whole numbers that would be rounded are text.
 *
 * @param portion how many characters to parse at once; tests have few
 */
export async function parseLongJson(
	text: string,
	turns: Turns,
	portion = PORTION,
): Promise<{ value: unknown } | 'tooMuch' | undefined> {
	const reading = new Reading(text, turns, portion);
	try {
		return text.length <= 2 * portion ? { value: parseExactly(text) } : await reading.whole();
	} catch {
		return reading.isTooMuch ? 'tooMuch' : undefined;
	}
}

/** A list or an object of which not everything has been passed yet. */
interface Level {
	/** Where its bracket stands. */
	readonly at: number;
	/** Where the last comma between its members stands; where its bracket does before the first. */
	comma: number;
}

/** One that is filled portion by portion. */
interface Opened extends Level {
	readonly value: unknown[] | JsonObject;
	/** Up to where it has been parsed. */
	from: number;
	/** What has to come there. */
	expects: 'membersOrEnd' | 'members' | 'commaOrEnd';
	/** How many fields it has got. */
	fields: number;
}

/** What is no space to JSON. */
const NO_SPACE = /[^ \t\n\r]/;

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const LIST = '['.charCodeAt(0);
const LIST_END = ']'.charCodeAt(0);
const OBJECT = '{'.charCodeAt(0);
const OBJECT_END = '}'.charCodeAt(0);

/**
 * One way through a text. It tells apart strings, brackets and commas, and cuts the text between members; whether what is
 * between two cuts is JSON, `JSON.parse` finds out in the end. All of it throws when the text is no JSON.
 */
class Reading {
	/** Whether it was given up because nobody can read the text. */
	isTooMuch = false;

	/** Those that are filled portion by portion, each within the one before. */
	private readonly opened: Opened[] = [];

	/** Those within the last of them that have begun and not ended. */
	private readonly inner: Level[] = [];

	constructor(
		private readonly text: string,
		private readonly turns: Turns,
		private readonly portion: number,
	) {}

	async whole(): Promise<{ value: unknown }> {
		const { text, turns, opened } = this;
		const begin = text.search(NO_SPACE);
		const first = text.charCodeAt(begin);
		if (first === QUOTE) return { value: await this.longString(begin, endOf(text)) };
		if (first !== LIST && first !== OBJECT) return { value: parseExactly(text) };
		let stringAt: number | undefined;
		for (let at = begin; at < text.length; at++) {
			if (turns.overAfter(1)) await turns.next();
			if (stringAt !== undefined) {
				const quote = text.indexOf('"', at);
				if (quote < 0) throw new SyntaxError('A string has no end');
				const isEnd = !endsInEscape(text, at, quote);
				at = quote;
				if (isEnd && quote - stringAt > this.portion) await this.addLongString(stringAt, quote + 1);
				if (isEnd) stringAt = undefined;
				continue;
			}
			switch (text.charCodeAt(at)) {
				case QUOTE:
					stringAt = at;
					break;
				case LIST:
				case OBJECT:
					this.begin(at);
					break;
				case COMMA:
					this.comma(at);
					break;
				case LIST_END:
				case OBJECT_END: {
					const ended = this.end(at);
					if (ended === undefined || opened.length > 0) break;
					// Of what comes behind the whole, anything but space is one thing too many.
					blank(text.slice(at + 1));
					return { value: ended };
				}
			}
		}
		throw new SyntaxError('A bracket is missing');
	}

	private begin(at: number): void {
		if (this.opened.length + this.inner.length >= DEEPEST) this.giveUp();
		if (this.opened.length === 0) this.open(at, at);
		else this.inner.push({ at, comma: at });
	}

	private comma(at: number): void {
		const here = this.here();
		const level = this.inner.at(-1);
		if (level === undefined && here.expects === 'commaOrEnd') {
			blank(this.text.slice(here.from, at));
			here.from = at + 1;
			here.expects = 'members';
		}
		(level ?? here).comma = at;
		if (at - here.from <= this.portion) return;
		this.takeWhole();
		while (this.inner.length > 0 && at - this.here().from > this.portion) this.openNext();
	}

	/** What has ended here, if it is one that is filled portion by portion. */
	private end(at: number): unknown {
		if (this.inner.pop() !== undefined) return undefined;
		const here = this.here();
		if (Array.isArray(here.value) !== (this.text.charCodeAt(at) === LIST_END)) {
			throw new SyntaxError('The wrong bracket');
		}
		const rest = this.text.slice(here.from, at);
		if (here.expects === 'commaOrEnd') blank(rest);
		else if (here.expects === 'members' || NO_SPACE.test(rest)) this.take(here, at);
		this.opened.pop();
		this.passed(at + 1);
		return here.value;
	}

	/** Adds a long string: all that it stands in is filled portion by portion from now on. */
	private async addLongString(from: number, to: number): Promise<void> {
		this.takeWhole();
		while (this.inner.length > 0) this.openNext();
		const name = this.nameBefore(from);
		this.add(this.here(), name, await this.longString(from, to));
		this.passed(to);
	}

	/** A string literal, in pieces that end between two characters. */
	private async longString(from: number, to: number): Promise<string> {
		const { text, turns, portion } = this;
		if (text.charCodeAt(to - 1) !== QUOTE) throw new SyntaxError('A string has no end');
		const pieces: string[] = [];
		for (let at = from + 1, end = at; at < to - 1; at = end) {
			end = Math.min(at + portion, to - 1);
			if (end < to - 1) end = beforeEscape(text, at, end);
			pieces.push(JSON.parse(`"${text.slice(at, end)}"`) as string);
			if (turns.over) await turns.next();
		}
		return pieces.join('');
	}

	/** Parses the members of the innermost opened one that have ended. */
	private takeWhole(): void {
		const here = this.here();
		if (here.comma < here.from) return;
		this.take(here, here.comma);
		here.from = here.comma + 1;
		here.expects = 'members';
	}

	private take(here: Opened, to: number): void {
		if (here.expects === 'commaOrEnd') throw new SyntaxError('A comma is missing');
		const portion = this.text.slice(here.from, to);
		if (!NO_SPACE.test(portion)) throw new SyntaxError('A member is missing');
		if (Array.isArray(here.value)) {
			for (const member of parseExactly(`[${portion}]`) as unknown[]) here.value.push(member);
			return;
		}
		const members = parseExactly(`{${portion}}`) as JsonObject;
		for (const name of Object.keys(members)) this.add(here, name, members[name]);
	}

	/** Fills the outermost of those that are not yet so portion by portion as well. */
	private openNext(): void {
		const level = this.inner.shift();
		if (level === undefined) return;
		const here = this.here();
		const opened = this.open(level.at, level.comma, this.nameBefore(level.at));
		this.add(here, opened.name, opened.value);
		this.takeWhole();
	}

	private open(at: number, comma: number, name = ''): Pick<Opened, 'value'> & { name: string } {
		const value = this.text.charCodeAt(at) === LIST ? [] : {};
		this.opened.push({ at, comma, value, from: at + 1, expects: 'membersOrEnd', fields: 0 });
		return { value, name };
	}

	/** The name of the member of the innermost opened one that begins there; '' in a list. */
	private nameBefore(at: number): string {
		const here = this.here();
		if (here.expects === 'commaOrEnd') throw new SyntaxError('A comma is missing');
		const before = this.text.slice(here.from, at);
		if (Array.isArray(here.value)) {
			blank(before);
			return '';
		}
		// What is long and has no name before it is one itself.
		if (!NO_SPACE.test(before)) this.giveUp();
		const [name, ...more] = Object.keys(JSON.parse(`{${before}0}`) as JsonObject);
		if (name === undefined || more.length > 0) throw new SyntaxError('Not one name');
		return name;
	}

	private add(here: Opened, name: string, value: unknown): void {
		if (Array.isArray(here.value)) {
			here.value.push(value);
			return;
		}
		here.fields += 1;
		if (here.fields > MOST_FIELDS) this.giveUp();
		// An assignment would take a field of this name for the object's prototype.
		if (name !== '__proto__') here.value[name] = value;
		else
			Object.defineProperty(here.value, name, {
				value,
				writable: true,
				enumerable: true,
				configurable: true,
			});
	}

	/** Notes that the innermost opened one has been parsed up to here, a whole member at last. */
	private passed(to: number): void {
		const here = this.opened.at(-1);
		if (here === undefined) return;
		here.from = to;
		here.expects = 'commaOrEnd';
	}

	private giveUp(): never {
		this.isTooMuch = true;
		throw new Error('Too much');
	}

	private here(): Opened {
		const here = this.opened.at(-1);
		if (here === undefined) throw new SyntaxError('Neither list nor object');
		return here;
	}
}

/** Whether what stands at the end is escaped: behind an odd number of backslashes. */
function endsInEscape(text: string, from: number, end: number): boolean {
	let at = end;
	while (at > from && text[at - 1] === '\\') at -= 1;
	return (end - at) % 2 === 1;
}

/** The last place up to the end that does not stand amid an escape, of which `\u0041` is the longest. */
function beforeEscape(text: string, from: number, end: number): number {
	for (let at = end; at > end - 6; at--) {
		if (endsInEscape(text, from, at)) return at - 1;
	}
	return end;
}

function blank(text: string): void {
	if (NO_SPACE.test(text)) throw new SyntaxError('Something is too many');
}

/** Where the text ends but for space. */
function endOf(text: string): number {
	let end = text.length;
	while (!NO_SPACE.test(text.charAt(end - 1))) end -= 1;
	return end;
}
