import { placesIn } from '../shared/json';
import { codeOf, MARKS } from '../shared/text';
import { InvalidParameter } from './invalid-parameter';

/** Addresses as people paste them. */

/**
 * Refuses an address that is larger than any real one, before anything else looks at it: it may come from anybody.
 *
 * @param address a text, or an object with fields
 */
export function refuseExcess(address: unknown, label: string): void {
	let places = 0;
	for (const place of placesIn(address)) {
		places += 1;
		const isLong = typeof place.value === 'string' && place.value.length > 1024;
		if (!isLong && places <= 101 && place.path.length <= 5) continue;
		const reason = isLong
			? 'is longer than 1 KB'
			: 'has more than 100 fields, or is nested more than 5 levels deep';
		throw new InvalidParameter(label, reason, 'Check where it comes from: no address is that large.');
	}
}

/** Marks that come along with copy and paste, and that no one sees. No address needs the zero-width joiners. */
const UNSEEN = String.raw`${MARKS}\u200c\u200d`;
const ENDS = new RegExp(`^[\\s${UNSEEN}]+|(?<![\\s${UNSEEN}])[\\s${UNSEEN}]+$`, 'g');
const INSIDE = new RegExp(`[${UNSEEN}]`);

/** An address without white space and invisible marks at both ends. */
export function trimAddress(text: string): string {
	return text.replace(ENDS, '');
}

/** An email address without what may be around it: "mailto:", <> or "", a comma or semicolon at each end. */
export function trimEmail(text: string): string {
	const address = bare(text);
	const [, pointed, quoted] = /^<(.*)>$|^"(.*)"$/s.exec(address) ?? [];
	const inside = pointed ?? quoted;
	return inside === undefined ? address : bare(inside);
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
