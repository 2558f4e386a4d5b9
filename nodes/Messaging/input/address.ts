/** Addresses as people paste them. */

/** Marks that come along with copy and paste, and that no one sees, in a character class. */
const MARKS = String.raw`\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff`;
const ENDS = new RegExp(`^[\\s${MARKS}]+|[\\s${MARKS}]+$`, 'g');
const INSIDE = new RegExp(`[${MARKS}]`);

/** An address without white space and invisible marks at both ends. */
export function trimAddress(text: string): string {
	return text.replace(ENDS, '');
}

/** An email address without what may be around it: "mailto:", <> or "", a comma or semicolon at the end. */
export function trimEmail(text: string): string {
	const withoutScheme = (address: string): string =>
		trimAddress(trimAddress(address).replace(/^mailto:/i, ''));
	const address = withoutScheme(text).replace(/[,;]$/, '');
	const inside = /^<(.*)>$|^"(.*)"$/s.exec(trimAddress(address));
	return withoutScheme(inside?.[1] ?? inside?.[2] ?? address);
}

/** The first invisible mark in a text, as a code such as \u200b; `undefined` if it has none. */
export function markIn(text: string): string | undefined {
	const mark = INSIDE.exec(text)?.[0];
	return mark && `\\u${mark.charCodeAt(0).toString(16)}`;
}
