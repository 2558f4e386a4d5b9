import { withoutDirections } from './readable';

/** Text to compare and to search: never to send, and never to tell keys apart. */

/** Text in which nothing but ASCII is. */
const PLAIN = /^[\0-\x7f]*$/;

/**
 * Marks that people leave out when they type a name to find it: accents of Latin, Greek and Cyrillic letters, vowel
 * points of Hebrew, vowel signs and the stretching stroke of Arabic, and what makes an emoji of a sign. The Greek iota that stands below
 * its letter is one of its own in capitals, and stays.
 */
const LEFT_OUT =
	/[\u0300-\u0344\u0346-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\ufe0f]/g;

/** Text in which upper and lower case are the same, in every script, and so are two ways to write one letter. */
export function sameCase(text: string): string {
	if (PLAIN.test(text)) return text.toLowerCase();
	// By way of the upper case: ß and ss, the dotless i and i, and the two small sigmas are the same there. The dot that
	// the Turkish capital leaves over its small letter is in it already.
	const lower = text.normalize('NFC').toUpperCase().toLowerCase();
	return lower
		.replace(/i\u0307/g, 'i')
		.replaceAll('ς', 'σ')
		.normalize('NFC');
}

/** Text in which a search finds what somebody types on another keyboard: without accents, in plain letters and digits. */
export function searchable(text: string): string {
	if (PLAIN.test(text)) return text.toLowerCase();
	return sameCase(withoutDirections(text).normalize('NFKD').replace(LEFT_OUT, '')).normalize('NFKD');
}
