/** How messages and menus show text of users and of the service. Never used for what is sent or returned. */

/** Text of at most this many characters (code points). Longer text ends with "…". */
export function cut(text: string, most: number): string {
	// A character has at most two code units, so there is no need to split up the whole of a long text.
	const characters = Array.from(text.slice(0, 2 * most + 2));
	if (characters.length <= most) return text;
	const start = characters.slice(0, most - 1).join('');
	return `${start.trimEnd()}…`;
}

/**
 * Marks that are invisible or change the direction of the text around them, in a character class. The zero-width joiners
 * and variation selectors are left out, because letters and emoji need them.
 */
export const MARKS = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;

/** The same with controls and unpaired surrogates. */
const INVISIBLE = new RegExp(String.raw`(?![\n\r\t])[\p{Cc}\p{Cs}${MARKS}]`, 'gu');

/** A character as a code such as \u200b. */
export function codeOf(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Text from the service or n8n as a message may show it: of limited length, with invisible characters escaped. */
export function said(text: string, most = 500): string {
	return cut(text, most).replace(INVISIBLE, codeOf);
}

/** A value as a sentence may quote it: short and on one line. What is invisible may be what is wrong with it. */
export function named(text: string, most = 60): string {
	return said(text, most).replace(/[\n\r\t]/g, (space) => JSON.stringify(space).slice(1, -1));
}

/** The same in quotation marks. */
export function quoted(text: string): string {
	return `"${named(text)}"`;
}

/** Text as HTML, for use between tags and in quoted attributes. */
export function asHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The message of an error, in a form that may be shown. */
export function errorText(error: unknown): string {
	return said(error instanceof Error ? error.message : String(error));
}

/** Text with a full stop added, unless it already ends like a sentence. */
export function asSentence(text: string): string {
	return /[\p{Sentence_Terminal}…]["'”’»)\]]*$/u.test(text) ? text : `${text}.`;
}

/** Text of the same length, with a filler for what stands in quotes and in the braces of code: no sentence ends there. */
export function withoutQuotes(text: string): string {
	return text.replace(/"[^"]*"|\{\{[^{}]*\}\}/g, ({ length }) => '_'.repeat(length));
}

/** Words with a capital at the beginning, unless they begin with a name such as `channelId`. */
export function capital(text: string): string {
	return text.replace(/^[a-z]+(?![^\s.,:;])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** The accents of Latin, Greek and Cyrillic letters. In other scripts, such marks form different letters. */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Text for comparing and searching: without case and accents, in plain letters and digits. Of a long text, only the
 * beginning counts: putting accents in order takes time with the square of their number.
 */
export function fold(text: string): string {
	return text.slice(0, 1000).normalize('NFKD').replace(ACCENTS, '').toLowerCase();
}

/** A number with thousands separators, such as 12,340. */
export function count(number: number): string {
	return number.toLocaleString('en-US');
}

/** A name in camelCase as a label: "To Name" for `toName`, "Entry IDs" for `entryIds`. */
export function titleCase(name: string): string {
	const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').split(' ');
	return words.map((word) => ABBREVIATIONS[word] ?? word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { Id: 'ID', Ids: 'IDs', api: 'API', json: 'JSON' };
