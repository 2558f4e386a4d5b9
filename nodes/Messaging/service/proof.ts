import { isPlainObject } from '../shared/json';
import { hasGatewayMark, isProblem, isRefusal, isSuccess, type Reply } from './reply';

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
