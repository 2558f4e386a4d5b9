import { hasGatewayMark, isOffered, isSuccess, type Reply } from './reply';

/** Who wrote an answer, for the words of an error. What an answer proves is decided in `proof.ts`. */

/** How much of a text is looked through: pages of gateways are short. */
const MOST_LOOKED_AT = 20_000;

function beginningOf({ body }: Reply): string {
	return typeof body === 'string' ? body.slice(0, MOST_LOOKED_AT) : '';
}

/** The beginning of a page of HTML, which may follow comments. Its declared type does not matter: gateways send any. */
const HTML_PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** Whether a 2xx comes from another program. An empty one says nothing about that, unless a gateway has marked it. */
export function isForeign(reply: Reply): boolean {
	if (!isSuccess(reply)) return false;
	if (reply.body === undefined) return hasGatewayMark(reply);
	return (
		hasGatewayMark(reply) || !isOffered(reply.headers['content-type']) || HTML_PAGE.test(beginningOf(reply))
	);
}

/** Whether it was not the service that answered: neither key nor field is to blame. */
export function isByGateway(reply: Reply): boolean {
	if (hasGatewayMark(reply)) return true;
	// A page with 500 may be that of the service itself.
	return isPage(reply) && reply.status !== 500;
}

/** Whether an answer is a web page. */
export function isPage(reply: Reply): boolean {
	return /^\s*</.test(beginningOf(reply));
}

/** The title of a web page, or its first heading; '' without one. */
export function titleOf(reply: Reply): string {
	const text = beginningOf(reply);
	const found = [/<title[^<>]{0,200}>([^<]{1,500})/i, /<h[1-3][^<>]{0,200}>([^<]{1,500})/i].map(
		(pattern) => pattern.exec(text)?.[1]?.replace(/\s+/g, ' ').trim() ?? '',
	);
	return found.find(Boolean) ?? '';
}
