import { pathTo, placesIn } from '../shared/json';
import { codeOf, MARKS } from '../shared/text';

/** Addresses as people paste them. */

/** Marks that come along with copy and paste, and that no one sees. No address needs the zero-width joiners. */
const UNSEEN = String.raw`${MARKS}\u200c\u200d`;
const ENDS = new RegExp(`^[\\s${UNSEEN}]+|(?<![\\s${UNSEEN}])[\\s${UNSEEN}]+$`, 'g');
const INSIDE = new RegExp(`[${UNSEEN}]`);

/** An address without white space and invisible marks at both ends. */
export function trimAddress(text: string): string {
	return text.replace(ENDS, '');
}

/**
 * An email address without what may be around it, "mailto:", <> or "", a comma or semicolon at each end, and the name
 * before it, as in Ada <ada@example.com>. The name is '' if there is none, or the address once more.
 */
export function mailboxIn(text: string): { email: string; name: string } {
	const address = bare(text);
	const [, before = '', pointed, quoted] = /^([^<>]*)<([^<>]*)>$|^"(.*)"$/s.exec(address) ?? [];
	// Several addresses, of which only the last has a name.
	if (/@[^"@,;]*[,;]/.test(before)) return { email: address, name: '' };
	const name = trimAddress(before)
		.replace(/^"(.*)"$/s, '$1')
		.replace(/\\(.)/gs, '$1');
	const inside = pointed ?? quoted;
	return {
		email: inside === undefined ? address : bare(inside),
		name: name.includes('@') ? '' : name.trim(),
	};
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

/** Whether an address, a text or an object, is larger than any real one. */
export function isTooLarge(address: unknown): boolean {
	let places = 0;
	for (const place of placesIn(address)) {
		const isLong = typeof place.value === 'string' && place.value.length > 1024;
		if (isLong || ++places > 101 || pathTo(place).length > 5) return true;
	}
	return false;
}
