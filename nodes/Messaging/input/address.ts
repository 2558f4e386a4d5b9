import { codeOf, MARKS } from '../shared/text';

/** Addresses as people paste them. */

/** Marks that come along with copy and paste, and that no one sees. No address needs the zero-width joiners. */
const UNSEEN = String.raw`${MARKS}\u200c\u200d`;
const ENDS = new RegExp(`^[\\s${UNSEEN}]+|[\\s${UNSEEN}]+$`, 'g');
const INSIDE = new RegExp(`[${UNSEEN}]`);

/** An address without white space and invisible marks at both ends. */
export function trimAddress(text: string): string {
	return text.replace(ENDS, '');
}

/** An address with a name before it, as mail programs write it: Ada <ada@example.com>. */
const MAILBOX = /^(?<name>[^<>]*)<(?<address>[^<>]*)>$/;

/** An email address without what may be around it: a name, "mailto:", <> or "", a comma or semicolon at each end. */
export function trimEmail(text: string): string {
	const address = bare(text);
	const { name = '', address: pointed } = MAILBOX.exec(address)?.groups ?? {};
	// Several addresses, of which only the last has a name.
	if (/@[^"]*[,;]/.test(name)) return address;
	const inside = pointed ?? /^"(.*)"$/s.exec(address)?.[1];
	return inside === undefined ? address : bare(inside);
}

/** The name before an email address, without quotes; '' if there is none, or the address once more. */
export function nameIn(text: string): string {
	const name = trimAddress(MAILBOX.exec(bare(text))?.groups?.name ?? '');
	const plain = (/^"(.*)"$/s.exec(name)?.[1] ?? name).replace(/\\(.)/gs, '$1').trim();
	return plain.includes('@') ? '' : plain;
}

/** Without what is around an address, inside a pair of <> or "" as well as outside. */
function bare(text: string): string {
	const withoutCommas = trimAddress(text).replace(/^[,;]|[,;]$/g, '');
	return trimAddress(trimAddress(withoutCommas).replace(/^mailto:/i, ''));
}

/** The first invisible mark in a text, as a code such as \u200b; `undefined` if it has none. */
export function markIn(text: string): string | undefined {
	const mark = INSIDE.exec(text)?.[0];
	return mark && codeOf(mark);
}
