import { cut } from '../shared/text';

/** What would break a line, can't be shown, or turns around the text beside it. */
const UNFIT = /[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu;

/** Text of the service as a label: on one line, of at most so many characters, and never an expression. */
export function labelText(text: string, most: number): string {
	// A text without an end is not read to its end.
	const line = text.slice(0, most * 20).replace(UNFIT, ' ');
	return cut(line.replace(/^[ =]+/, '').trim(), most);
}

/**
 * Text as the value of a parameter. n8n runs a text that begins with "=" as an expression: such a text becomes an
 * expression that gives just this text.
 */
export function literal(text: string): string {
	if (!text.startsWith('=')) return text;
	const escaped = text.replace(/[^A-Za-z0-9 ]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
	return `={{ "${escaped}" }}`;
}
