import { isPlainObject } from '../shared/json';
import { hasGatewayMark, isOffered, isProblem, isRefusal, isSuccess, type Reply } from './reply';

/** What an answer proves: whether its call was processed, who wrote it, and whether to come back later. */

/** Statuses that gateways also put in the place of a 502 or 504: with the page of a status that is not there. */
const OF_MISSING_PAGES: readonly number[] = [404, 405, 410];

/**
 * Whether a reply that is no success proves that its call was not processed; without a proof the call is in doubt. Many
 * gateways replace 502 and 504, which come after the call was passed on, by a page, a redirect or an answer of their own.
 * So an answer counts if it is the service's own, or has a status that gateways give before they pass anything on.
 */
export function provesNotProcessed(reply: Reply): boolean {
	const { status, headers } = reply;
	// A 2xx that says no.
	if (isSuccess(reply)) return isRefusal(reply);
	// The address has moved.
	if (status === 301 || status === 308) return true;
	if (status >= 400 && status < 500) return isJson(reply) || !OF_MISSING_PAGES.includes(status);
	// A service that writes problem details and names a time means itself.
	return status === 503 && headers['retry-after'] !== undefined && isProblem(reply) && isJson(reply);
}

/** Whether a reply is JSON, as services write it. */
export function isJson(reply: Reply): boolean {
	return (Array.isArray(reply.body) || isPlainObject(reply.body)) && !hasGatewayMark(reply);
}

/** Whether a reply looks as if its address were not that of the service: a redirect, or a page that is not there. */
export function leadsElsewhere(reply: Reply): boolean {
	const isRedirect = reply.status >= 300 && reply.status < 400;
	return (isRedirect || OF_MISSING_PAGES.includes(reply.status)) && !isJson(reply);
}

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

/**
 * Whether an answer that proves that the call was not processed asks to come back later. Some gateways say with 403 that
 * a quota is used up, and when it begins anew.
 */
export function isLater({ status, headers }: Reply): boolean {
	return status === 429 || status === 503 || (status === 403 && headers['retry-after'] !== undefined);
}

/** Headers that name a time to come back. The interface mentions none of them. */
const TIMES = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset'];

/**
 * How long an answer asks to wait, in milliseconds; `undefined` if it does not say. If several headers name a time, the
 * earliest counts that is not past: coming too early costs one refusal, giving up costs all messages of the run.
 *
 * @param isLate whether the call was turned away. Otherwise only `Retry-After` is about that: some services send the
 * others with every answer
 */
export function waitMsIn({ headers }: Reply, isLate: boolean): number | undefined {
	const answeredAt = Date.parse(headers.date ?? '');
	const now = Number.isNaN(answeredAt) ? Date.now() : answeredAt;
	const waits = (isLate ? TIMES : TIMES.slice(0, 1))
		.map((name) => waitMs(headers[name]?.trim() ?? '', now))
		.filter((ms) => ms >= 0);
	return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * The wait in one header: seconds or an HTTP date (RFC 9110, 10.2.3), or a Unix time in seconds or milliseconds, which
 * are told apart by their digits. Dates are by the clock of the server that answered. NaN if it is none of these.
 */
function waitMs(value: string, now: number): number {
	if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1000;
	if (/^\d{10}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1000 - now;
	if (/^\d{13}$/.test(value)) return Number(value) - now;
	return /^[a-z]{3,9},? /i.test(value) ? Date.parse(value) - now : NaN;
}
