/**
 * How messages and menus show text of users and of the service. Text that is sent to the service, or put out as data,
 * never passes through here.
 */

/** Text of at most so many characters (code points). A longer one ends with "…". */
export function cut(text: string, most: number): string {
	if (text.length <= most) return text;
	// A character has at most two code units, so there is no need to split up the whole of a long text.
	const characters = Array.from(text.slice(0, 2 * most + 2));
	return characters.length <= most
		? text
		: `${characters
				.slice(0, most - 1)
				.join('')
				.trimEnd()}…`;
}

/**
 * Characters that are invisible or change the direction of the text around them: controls, direction marks, unpaired
 * surrogates. The zero-width joiners and variation selectors are left out, because letters and emoji need them.
 */
const INVISIBLE =
	/[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
	return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A value as a sentence may quote it: short and on one line. Invisible characters are written as escapes, because they
 * may be what is wrong with the value.
 */
export function named(text: string, most = 60): string {
	return cut(text, most).replace(INVISIBLE, escaped);
}

/** The same in quotation marks. */
export function quoted(text: string, most?: number): string {
	return `"${named(text, most)}"`;
}

/** Words of the service or of n8n as a message may show them: of limited length, with invisible characters escaped. */
export function said(text: string, most = 500): string {
	return cut(text, most).replace(INVISIBLE, (character) =>
		character in ESCAPES ? character : escaped(character),
	);
}

/** What an error says, in the form that a message may show. */
export function errorText(error: unknown): string {
	return said(error instanceof Error ? error.message : String(error));
}

/** Text with a full stop at its end, unless it ends as a sentence does. */
export function asSentence(text: string): string {
	return /[\p{Sentence_Terminal}…]["'”’»)\]]*$/u.test(text) ? text : `${text}.`;
}

/** The accents of Latin, Greek and Cyrillic letters. In other scripts, such marks make a different letter. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Text to compare and search by: without case and accents, in plain letters and digits. */
export function fold(text: string): string {
	return text.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
}
