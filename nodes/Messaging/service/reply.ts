import type { Turns } from '../shared/turns';

/** An answer of the service, whatever its status. */
export interface Reply {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** Parsed JSON, text, or `undefined` for an empty body and one that is unreadable. */
	body: unknown;
	/** There is a body, but it is nested too deeply to be handed on. */
	isUnreadable?: true;
}

/** The media type that requests are sent with and answers are asked for in, version included. */
export const MEDIA_TYPE = 'application/json; v=1.0';

/**
 * Whether an answer is declared as something that the interface offers: JSON, `text/json`, `+json`, `text/plain`, or
 * nothing. A web page, for one, is not.
 *
 * @param contentType the answer's content type, `undefined` when it names none
 */
export function isOffered(contentType: string | undefined): boolean {
	const type = typeIn(contentType);
	return type === '' || type === 'text/plain' || isJson(type);
}

function typeIn(contentType = ''): string {
	return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(type: string): boolean {
	return /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type);
}

/** How much of a text is looked at for the beginning of a page: comments may stand before it. */
const LONGEST_BEGINNING = 1_000;

/** How a page of HTML begins. */
const PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/**
 * Whether a body is a web page, whatever it is declared as: the login page of a proxy may come under any name.
 *
 * @param body as parsed
 */
export function isWebPage(body: unknown): boolean {
	return typeof body === 'string' && PAGE.test(body.slice(0, LONGEST_BEGINNING));
}

/**
 * Reads the body of an answer. JSON is parsed where the answer says that it is JSON, or where text holds an object or a
 * list (the interface offers `text/plain; v=1.0` for its JSON too); any other text stays text, and so does what can't
 * be parsed: a success is a success whatever its body.
 *
 * @param text the body as it arrived
 * @param contentType the answer's content type, `undefined` when it names none
 */
export async function parseBody(
	text: string,
	contentType: string | undefined,
	turns: Turns,
): Promise<unknown> {
	if (text.trim() === '') return undefined;
	if (!isJson(typeIn(contentType)) && !/^\s*[[{]/.test(text)) return text;
	try {
		// Some servers put a byte order mark in front, which is no JSON.
		return await parseInTurns(text.replace(/^\ufeff/, ''), turns);
	} catch {
		return text;
	}
}

/** How much of a list is parsed at once, in characters: some milliseconds' work. */
const PORTION = 1024 * 1024;

/** How often a portion may end amid a member before the rest is parsed in one go. */
const MOST_MISSES = 20;

/**
 * What JSON text holds. A list of records is parsed in portions, and the event loop turns in between: ten thousand
 * channels are 40 MB.
 *
 * @param portion how many characters to parse at once; tests have few
 * @throws SyntaxError when it is no JSON
 */
export async function parseInTurns(text: string, turns: Turns, portion = PORTION): Promise<unknown> {
	if (!text.startsWith('[') || text.length < 2 * portion) return parseExactly(text);
	const members: unknown[] = [];
	let [from, misses] = [1, 0];
	for (
		let end = text.indexOf('},{', portion);
		end >= 0 && misses < MOST_MISSES;
		end = text.indexOf('},{', Math.max(end + 1, from + portion))
	) {
		try {
			// Cut amid a member or a string, this is no JSON: then a longer portion is tried.
			for (const member of parseExactly(`[${text.slice(from, end + 1)}]`) as unknown[]) members.push(member);
			from = end + '},'.length;
		} catch {
			misses += 1;
		}
		if (turns.over) await turns.next();
	}
	for (const member of parseExactly(`[${text.slice(from)}`) as unknown[]) members.push(member);
	return members;
}

/** Where there may be a whole number that JavaScript can't hold, in a text too. */
const LONG_NUMBER = /\d{16}/;

/** The texts of JSON, to pass over them, and its numbers. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const WHOLE_NUMBER = /^-?\d{16,}$/;

/**
 * What JSON text holds. A whole number that would be rounded is kept as text, with all of its digits: it is an ID, and
 * rounded it would be another one.
 *
 * @throws SyntaxError when it is no JSON
 */
export function parseExactly(text: string): unknown {
	// First of all: what is no JSON may have texts without an end.
	const value: unknown = JSON.parse(text);
	if (!LONG_NUMBER.test(text)) return value;
	const exact = text.replace(TEXT_OR_NUMBER, (found) =>
		WHOLE_NUMBER.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
	);
	return exact === text ? value : JSON.parse(exact);
}
