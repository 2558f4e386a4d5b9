import type { Turns } from '../time/turns';
import { parseLongJson } from './long-json';
import { isJson } from './media-type';

/** An answer of the service, whatever its status. */
export interface Reply {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** Parsed JSON, text, or `undefined` for an empty body and one that nobody can read. */
	body: unknown;
	/** There is a body, but nobody can read it: it is nested too deeply, or an object in it has too many fields. */
	isUnreadable?: true;
}

/**
 * Reads the body of an answer. JSON is parsed where the answer says that it is JSON, or where text holds an
 * object or a list (the interface offers `text/plain; v=1.0` for its JSON too); any other text stays text. The event
 * loop turns while it is long.
 *
 * @param text the body as it arrived
 * @param contentType the answer's content type, `undefined` when it names none
 * @throws RangeError when it is long and nobody can read it
 */
export async function parseBody(
	text: string,
	contentType: string | undefined,
	turns: Turns,
): Promise<unknown> {
	if (text.trim() === '') return undefined;
	const saysJson = isJson(contentType ?? '');
	if (!saysJson && !/^\s*[[{]/.test(text)) return text;
	// Some servers put a mark of the byte order in front, which is no JSON.
	const parsed = await parseLongJson(text.replace(/^\ufeff/, ''), turns);
	if (parsed === 'tooMuch') throw new RangeError('Nobody can read this');
	// A success is a success whatever its body: what can't be parsed is kept as it is.
	return parsed === undefined ? text : parsed.value;
}
