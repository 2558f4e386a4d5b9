/** The media type that requests are sent with and answers are asked for in, version included. */
export const MEDIA_TYPE = 'application/json; v=1.0';

/**
 * Whether an answer is declared as something that the interface offers: JSON, `text/json`, `+json`, `text/plain`, or
 * nothing. A web page, for one, is not.
 *
 * @param contentType the answer's content type, `undefined` when it names none
 */
export function isOffered(contentType: string | undefined): boolean {
	const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
	return type === '' || type === 'text/plain' || isJson(type);
}

/** Whether a media type, parameters included or not, says JSON. */
export function isJson(contentType: string): boolean {
	return /^(?:application|text)\/(?:[\w.-]+\+)?json$/i.test(contentType.split(';', 1)[0]?.trim() ?? '');
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
