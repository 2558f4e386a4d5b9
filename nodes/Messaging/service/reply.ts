import { isEmpty, isPlainObject, valueAt } from '../shared/json';

/** An answer of the service, with any status. */
export interface Reply {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** Parsed JSON, or text. `undefined` for an empty body. */
	body: unknown;
	/** How many characters the body had. */
	size?: number;
	/** Set for a list that says that it is not whole: what the service sent of it, such as "50 of 120 channels". */
	cut?: string;
}

/** Whether the status says that the call was done. */
export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
	return status >= 200 && status < 300;
}

/** Members that say in a 2xx whether the call was successful, in lower case. */
const VERDICTS: readonly string[] = ['success', 'succeeded', 'successful', 'issuccess', 'ok'];

/** Whether a reply says that the call has failed. Words elsewhere in a 2xx may mean anything, so they don't count. */
export function isRefusal(reply: Reply): boolean {
	if (!isSuccess(reply) || reply.body === false || isProblem(reply)) return true;
	const { body } = reply;
	if (!isPlainObject(body)) return false;
	return Object.keys(body).some((name) => body[name] === false && VERDICTS.includes(name.toLowerCase()));
}

/** Whether a body is problem details, by its type or by its form: RFC 9457. */
export function isProblem({ body, headers }: Reply): boolean {
	if (body === undefined) return false;
	if (typeIn(headers['content-type']) === 'application/problem+json') return true;
	if (!isPlainObject(body)) return false;
	const { status, title, detail } = body;
	return typeof status === 'number' && status >= 400 && [title, detail].some(Boolean);
}

/**
 * Whether an answer carries a gateway's own mark. Cloudflare's errors can be JSON; AWS WAF asks for a browser with an empty
 * 202 (challenge) or 405 (captcha).
 */
export function hasGatewayMark({ body, headers }: Reply): boolean {
	return valueAt(body, 'cloudflare_error') === true || headers['x-amzn-waf-action'] !== undefined;
}

/** The media type of requests and of the answers they ask for, with the interface's version. */
export const MEDIA_TYPE = 'application/json; v=1.0';

/** Whether an answer's content type is one that the interface offers: JSON, plain text, or none at all. */
export function isOffered(contentType: string | undefined): boolean {
	const type = typeIn(contentType);
	return type === '' || type === 'text/plain' || isJsonType(type);
}

/** The media type in a content type, without its parameters. */
function typeIn(contentType = ''): string {
	return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJsonType(type: string): boolean {
	return /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type);
}

/**
 * Reads the body of an answer. It is parsed if its type is JSON, if it begins like an object or a list, or if it is
 * `false` (the interface also offers `text/plain; v=1.0` for its JSON). Text that can't be parsed stays text: a success
 * is a success whatever its body.
 */
export function parseBody(text: string, contentType: string | undefined): unknown {
	if (isEmpty(text)) return undefined;
	if (!isJsonType(typeIn(contentType)) && !/^\s*(?:[[{]|false\s*$)/.test(text)) return text;
	try {
		// Some servers send a byte order mark first, which JSON does not allow.
		return parseExactly(text.replace(/^\ufeff/, ''));
	} catch {
		return text;
	}
}

/** The text may contain a whole number that is too large for JavaScript. */
const LONG_NUMBER = /\d{16}/;

/** A JSON string, to be skipped, or a number. It recurses only for each escape in a string, not for each character. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d[\d.eE+-]*/g;
const WHOLE_NUMBER = /^-?\d{16,}$/;

/**
 * Parses JSON. A whole number that would be rounded becomes a text with all its digits, because it is an ID and rounding
 * would change it. Beside a string with millions of escapes, which are too many for the pattern, it stays rounded.
 *
 * @throws SyntaxError when it is not JSON
 */
export function parseExactly(text: string): unknown {
	// Parsed first, because the pattern below needs valid JSON.
	const value: unknown = JSON.parse(text);
	if (!LONG_NUMBER.test(text)) return value;
	try {
		const exact = text.replace(TEXT_OR_NUMBER, (found) =>
			WHOLE_NUMBER.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
		);
		return exact === text ? value : JSON.parse(exact);
	} catch {
		return value;
	}
}
