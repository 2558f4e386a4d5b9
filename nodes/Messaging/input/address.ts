import { isPlainObject, pathTo, placesIn } from '../shared/json';
import { codeOf, MARKS, named } from '../shared/text';
import { codesIn } from './expressions';
import { InvalidParameter } from './invalid-parameter';
import { isPath } from './paths';

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

/** How many characters an address or a once key has at most. What is longer is not looked at. */
export const LARGEST = 1024;

/** Whether an address, a text or an object, is larger than any real one. */
export function isTooLarge(address: unknown): boolean {
	let places = 0;
	for (const place of placesIn(address)) {
		const isLong = typeof place.value === 'string' && place.value.length > LARGEST;
		if (isLong || ++places > 101 || pathTo(place).length > 5) return true;
	}
	return false;
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}]`;
const ATOM = /[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~]+/u.source;
const LABEL = `${LETTER}+(?:-+${LETTER}+)*`;
/** An address of RFC 5321, with letters of any script as in RFC 6531, without comments and quotes. */
const EMAIL = new RegExp(
	String.raw`^${ATOM}(?:\.${ATOM})*@(?:${LABEL}(?:\.${LABEL})*|\[[\da-fA-Z:.]+\])$`,
	'u',
);

/** Whether a text is one email address. Whether it exists, only its server knows. */
export function isEmail(text: string): boolean {
	return text.length <= LARGEST && EMAIL.test(text);
}

/** How to make an item of each address. */
export const SPLIT_OUT =
	'To send to each of several, put an Edit Fields node before this one, with a field of the type Array: {{ $json.to.split(",") }}. Behind it, Split Out makes an item of each. If the field is a list already, Split Out is enough.';

/**
 * The address in a list of one, as databases give it; any other value as it is.
 *
 * @param saved the field as saved in the workflow
 * @throws InvalidParameter for a longer list, and for a record: it says which of its fields holds an address
 */
export function singleAddress(value: unknown, label: string, saved: unknown): unknown {
	const isList = Array.isArray(value);
	const [first, ...others]: unknown[] = isList ? value : [value];
	if (others.length > 0) throw new InvalidParameter(label, 'needs one address, but it is a list', SPLIT_OUT);
	if (!isPlainObject(first)) return first;
	const names = Object.keys(first);
	const holder = names.find((name) => {
		const text = first[name];
		return typeof text === 'string' && isEmail(text.trim());
	});
	const [code = ''] = codesIn(saved).filter(isPath);
	const path = code === '' ? '' : `${code.trim()}${isList ? '[0]' : ''}`;
	const choice = path !== '' && holder !== undefined ? `: {{ ${path}.${holder} }}` : '';
	const hint = `Choose the field that holds the address${choice}. It has: ${named(names.join(', '), 200)}.`;
	throw new InvalidParameter(label, 'needs a text, but it is a record', hint);
}
