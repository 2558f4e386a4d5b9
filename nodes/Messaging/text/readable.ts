import { cut } from './cut';

/**
 * Text of users and of the service amid the sentences of this node: of a bearable length, and so that text that is
 * written from right to left does not turn around what stands beside it. For reading only: nothing here ever goes to
 * the service, or into an output field that is data.
 */

/**
 * Begin and end text whose direction is its own. By their numbers: the build would put the characters themselves into
 * the published code, where nobody sees them. Source: Unicode Standard Annex 9.
 */
const ISOLATE = String.fromCharCode(0x2068);
const END = String.fromCharCode(0x2069);

/** Letters that are written from right to left, and the invisible characters that turn text around. */
const TURNS =
	/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The characters that begin and end an isolate. */
const ISOLATES = /[\u2066-\u2069]/g;

/** The characters that turn text around and can't be seen. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * What can't be seen, or can't be shown: controls, marks of direction, halves of characters. The two joiners and the
 * selectors of emoji are parts of letters and signs.
 */
const INVISIBLE =
	/[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text that leaves what stands around it in its order, whichever way it is written. */
export function isolated(text: string): string {
	return TURNS.test(text) ? `${ISOLATE}${closed(text)}${END}` : text;
}

/** Text in which every isolate that begins ends, and none ends that has not begun. */
export function closed(text: string): string {
	let open = 0;
	const matched = text.replace(ISOLATES, (character) => {
		if (character !== END) open += 1;
		else if (open === 0) return '';
		else open -= 1;
		return character;
	});
	return matched + END.repeat(open);
}

/** Text without the invisible characters that turn text around. */
export function withoutDirections(text: string): string {
	return text.replace(DIRECTIONS, '');
}

/**
 * A value as a sentence may name it: short, on one line, and with what can't be seen written out, because that may be
 * what is wrong with it.
 */
export function named(text: string, most = 60): string {
	return isolated(cut(text, most).replace(INVISIBLE, escaped));
}

/** The same in quotation marks. */
export function quoted(text: string, most?: number): string {
	return `"${named(text, most)}"`;
}

/** Words of the service or of n8n as a message may give them: as they are, but not without end. */
export function said(text: string, most = 500): string {
	return isolated(cut(text, most));
}

/** Text with a full stop at its end, unless it ends as a sentence does. */
export function asSentence(text: string): string {
	return /[\p{Sentence_Terminal}…]["'”’»)\]\u2069]*$/u.test(text) ? text : `${text}.`;
}

function escaped(character: string): string {
	return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
