/**
 * Text of users and of the service as sentences and menus show it. For reading only: nothing here ever goes to the
 * service, or into an output field that is data.
 */

/** Text of at most so many characters (code points): what is too much at its end is left out, and "…" stands for it. */
export function cut(text: string, most: number): string {
	if (text.length <= most) return text;
	// A character has two code units at most: a long text is not read whole.
	const characters = Array.from(text.slice(0, 2 * most + 2));
	return characters.length <= most
		? text
		: `${characters
				.slice(0, most - 1)
				.join('')
				.trimEnd()}…`;
}

/**
 * What can't be seen, or turns the text around it: controls, marks of direction, halves of characters. The two joiners
 * and the selectors of emoji are parts of letters and signs.
 */
const INVISIBLE =
	/[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
	return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A value as a sentence may name it: short, on one line, and with what can't be seen written out, because that may be
 * what is wrong with it.
 */
export function named(text: string, most = 60): string {
	return cut(text, most).replace(INVISIBLE, escaped);
}

/** The same in quotation marks. */
export function quoted(text: string, most?: number): string {
	return `"${named(text, most)}"`;
}

/** Words of the service or of n8n as a message may give them: not without end, and with what can't be seen written out. */
export function said(text: string, most = 500): string {
	return cut(text, most).replace(INVISIBLE, (character) =>
		character in ESCAPES ? character : escaped(character),
	);
}

/** Text with a full stop at its end, unless it ends as a sentence does. */
export function asSentence(text: string): string {
	return /[\p{Sentence_Terminal}…]["'”’»)\]]*$/u.test(text) ? text : `${text}.`;
}

/** The accents of Latin, Greek and Cyrillic letters. Signs of other scripts are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Text to compare and to search: without case and accents, in plain letters and digits. */
export function fold(text: string): string {
	return text.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
}
