import { isPlainObject } from '../shared/json';
import { hasGatewayMark, isProblem, isRefusal, isSuccess, type Reply } from './reply';

/** What shows that a call was not processed. */
export interface Proof {
	/** For the documentation. */
	readonly what: string;
	readonly isGivenBy: (reply: Reply) => boolean;
}

/** Statuses that gateways also put in the place of a 502 or 504: with the page of a status that is not there. */
const OF_MISSING_PAGES: readonly number[] = [404, 405, 410];

const isRefused = ({ status }: Reply): boolean => status >= 400 && status < 500;

/**
 * What proves that a call was not processed; an answer that fits no row leaves it in doubt. Many gateways replace 502 and
 * 504, which come after the call was passed on, by a page, a redirect or an answer of their own. So an answer counts if
 * it is the service's own, or has a status that gateways give before they pass anything on.
 */
export const PROOFS: readonly Proof[] = [
	{ what: 'A 2xx that says no', isGivenBy: (reply) => isSuccess(reply) && isRefusal(reply) },
	{
		what: 'A status from 400 to 499 with JSON, but not that of Cloudflare',
		isGivenBy: (reply) => isRefused(reply) && isJson(reply),
	},
	{
		what: 'Problem details with the status 503 and `Retry-After`, but not those of Cloudflare',
		isGivenBy: (reply) =>
			reply.status === 503 && reply.headers['retry-after'] !== undefined && isProblem(reply) && isJson(reply),
	},
	{
		what: 'Any other status from 400 to 499 but 404, 405 and 410, also with a page or empty',
		isGivenBy: (reply) => isRefused(reply) && !OF_MISSING_PAGES.includes(reply.status),
	},
	{ what: '301 or 308: the address has moved', isGivenBy: ({ status }) => status === 301 || status === 308 },
];

/** Whether a reply that is no success proves that its call was not processed. */
export function provesNotProcessed(reply: Reply): boolean {
	return PROOFS.some(({ isGivenBy }) => isGivenBy(reply));
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
