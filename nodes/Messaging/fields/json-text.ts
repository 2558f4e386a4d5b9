import { parseJson } from '../json/parse';

/**
 * JSON text as a user writes it, and where it breaks. The place is looked for here: what V8 says of it differs from
 * version to version, names no place for short texts, and quotes the text, which may hold a secret.
 * Source: RFC 8259.
 */

/** What a text holds, or why it holds no JSON: a clause that follows a field's label. */
export type ReadJson = { value: unknown } | { fault: string };

/** Reads JSON text. The fault names line and column, both counted from 1, and quotes nothing. */
export function readJson(text: string): ReadJson {
	const parsed = parseJson(text);
	if (parsed !== undefined) return parsed;
	const at = faultIn(text);
	const lines = text.slice(0, at).split(/\r\n|\r|\n/);
	const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
	return {
		fault:
			at < text.length
				? `holds no valid JSON: something is wrong at ${place}`
				: `holds no valid JSON: it ends too early, at ${place}`,
	};
}

/** What may stand at a place. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more' | 'nothing';

/**
 * The index of the first character that can't stand where it does; the text's length when it is the beginning of
 * something longer. Read with a list of what is open rather than by recursion: nesting may be as deep as it likes.
 */
export function faultIn(text: string): number {
	const open: Array<'}' | ']'> = [];
	let expected: Expected = 'value';
	let at = 0;
	for (;;) {
		while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
		const character = text.charAt(at);
		const closes = character !== '' && character === open.at(-1);
		if (closes && (expected === 'more' || expected === (character === '}' ? 'first name' : 'first value'))) {
			open.pop();
			expected = open.length > 0 ? 'more' : 'nothing';
			at += 1;
		} else if (expected === 'value' || expected === 'first value') {
			if (character === '{' || character === '[') {
				open.push(character === '{' ? '}' : ']');
				expected = character === '{' ? 'first name' : 'first value';
				at += 1;
			} else {
				const { end, whole } = scalarAt(text, at);
				if (!whole) return end;
				expected = open.length > 0 ? 'more' : 'nothing';
				at = end;
			}
		} else if ((expected === 'name' || expected === 'first name') && character === '"') {
			const { end, whole } = stringAt(text, at);
			if (!whole) return end;
			expected = 'colon';
			at = end;
		} else if (expected === 'colon' && character === ':') {
			expected = 'value';
			at += 1;
		} else if (expected === 'more' && character === ',') {
			expected = open.at(-1) === '}' ? 'name' : 'value';
			at += 1;
		} else {
			return at;
		}
	}
}

/** How far a text or a number reaches, and whether it is whole there. */
interface Reach {
	end: number;
	whole: boolean;
}

function scalarAt(text: string, at: number): Reach {
	if (text.charAt(at) === '"') return stringAt(text, at);
	for (const word of ['true', 'false', 'null']) {
		if (text.charAt(at) === word.charAt(0)) return wordAt(text, at, word);
	}
	const begun = lengthOf(/-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+)?)?(?:(?<=\d)[eE][+-]?\d*)?)?/y, text, at);
	const whole = lengthOf(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y, text, at);
	return { end: at + begun, whole: whole > 0 && whole === begun };
}

function wordAt(text: string, at: number, word: string): Reach {
	let length = 0;
	while (length < word.length && text.charAt(at + length) === word.charAt(length)) length += 1;
	return { end: at + length, whole: length === word.length };
}

function stringAt(text: string, at: number): Reach {
	let end = at + 1;
	while (end < text.length) {
		const character = text.charAt(end);
		if (character === '"') return { end: end + 1, whole: true };
		if (character < ' ') return { end, whole: false };
		end += 1;
		if (character !== '\\') continue;
		const escape = text.charAt(end);
		if (escape === '' || !'"\\/bfnrtu'.includes(escape)) return { end, whole: false };
		end += 1;
		if (escape !== 'u') continue;
		const digits = lengthOf(/[\da-fA-F]{0,4}/y, text, end);
		end += digits;
		if (digits < 4) return { end, whole: false };
	}
	return { end, whole: false };
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0].length ?? 0;
}
