import { isRounded } from '../json/rounded';

/** Where there may be a whole number that JavaScript can't hold, in a text too. */
const LONG_NUMBER = /\d{16}/;

/** The texts of JSON, to pass over them, and its numbers. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const WHOLE_NUMBER = /^-?\d{16,}$/;

/**
 * What JSON text holds. A whole number that would be rounded is kept as text, with all of its digits: it is an id, and
 * rounded it would be another one.
 *
 * @throws SyntaxError when it is no JSON
 */
export function parseExactly(text: string): unknown {
	// First of all: what is no JSON may have texts without an end.
	const value: unknown = JSON.parse(text);
	if (!LONG_NUMBER.test(text)) return value;
	const exact = text.replace(TEXT_OR_NUMBER, (found) =>
		WHOLE_NUMBER.test(found) && isRounded(Number(found)) ? `"${found}"` : found,
	);
	return exact === text ? value : JSON.parse(exact);
}
