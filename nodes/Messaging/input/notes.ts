import { nothingFound, textsIn } from './expressions';
import type { Reading } from './reading';
import { isOptional } from './paths';
import { withoutQuotes } from '../shared/text';

/** A line break as JSON writes it, of data that was escaped twice: "Hello,\nyour order." */
const ESCAPED = /[\p{L}\p{N}.!?,:;)]\\n/u;
/** A field in the braces of another template language, such as that of the service. */
const PLACEHOLDER = /\{\{\s*[\p{L}_][\p{L}\p{N}_. -]*\}\}/u;

/** What a note says of a text in which an expression finds nothing. */
export const LACKS_PART = 'is sent without a part of it';

/** The first sentence of a note, without what differs from item to item. */
export function kindOfNote(note: string): string {
	const [{ length }] = /^.*?(?=[.!?](?:\s|$))/s.exec(withoutQuotes(note)) ?? [note];
	const sentence = note.slice(0, length);
	const [, lacking = sentence] = sentence.split(` ${LACKS_PART}: `);
	return lacking.replace(/ (?:for this|as) item(?: \d+)?$/, '');
}

/**
 * What is sent as it is and may not be meant in a message: clauses that follow the field's name.
 *
 * @param wantsAll whether all of them are wanted: n8n takes long to evaluate each expression of a text alone
 */
export function notesOn({ expressions, saved, text }: Reading, wantsAll: boolean): string[] {
	const fixed = textsIn(saved).startsWith('=') ? '' : textsIn(saved);
	const empty = wantsAll ? (expressions?.thatFindNothing() ?? []).filter((code) => !isOptional(code)) : [];
	const notes = [
		expressions !== undefined &&
			empty.length > 0 &&
			`${LACKS_PART}: ${nothingFound(empty, expressions.source)}.`,
		ESCAPED.test(text) &&
			'has \\n as two letters, and they are sent. For a line break, press Enter in the field; in data, write {{ $json.text.replaceAll("\\\\n", "\\n") }}.',
		PLACEHOLDER.test(fixed) &&
			'has {{ }} with a name in it, which is sent as it is, for services that fill it in. For a field of the item, switch to Expression mode and write {{ $json.name }}.',
	];
	return notes.filter((note) => note !== false);
}
