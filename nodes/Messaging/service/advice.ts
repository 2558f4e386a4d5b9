import { cut } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { isByGateway } from './author';
import type { Cause } from './endings';
import type { Reply } from './reply';
import type { Stage, TransportFailure } from './transport';

/**
 * What to do about each kind of failure. The same texts show in menus and in the credential test, which have no options.
 * So no option is named, but the Query Parameters of lists.
 */

/** What to do about an answer that can't come from a messaging service. */
export const FOREIGN_ADVICE =
	'Check the Base URL in the credential: it does not seem to lead to the messaging service.';

/** The same where it may also be the page of a gateway whose service is down. */
export const ELSEWHERE_ADVICE = `${FOREIGN_ADVICE} If it has worked before, the service may be down.`;

/** What to do about a gateway that does not let a call through. */
export const BLOCKED_ADVICE =
	'It may block the address of this n8n server, or a text that looks to it like an attack. Tell the operator of the service what it said.';

/** What to do about a list that is not whole. */
export const CUT_ADVICE =
	'Ask for larger pages: add the parameter for their size, as the service names it, under Query Parameters.';

/** What went wrong, and what to do about it. */
export type Words = readonly [message: string, advice: string];

/** The words on a request without a complete answer. The code, which is shown too, says the rest. */
export function wordsOnTransport({ stage, code, tls, baseUrl = '' }: TransportFailure): Words {
	if (code === 'ERR_CANCELED') return STOPPED[stage];
	if (code === 'BLOCKED') return NOT_ALLOWED;
	if (stage === 'underWay')
		return ['ECONNABORTED', 'ETIMEDOUT'].includes(code)
			? ['The service did not answer in time', CHECK_NETWORK]
			: ['The connection broke before the answer arrived', CHECK_NETWORK];
	const [why, advice] = ON_CONNECTING[code] ?? [];
	const says =
		tls ??
		why ??
		(stage === 'securing' ? 'no secure connection could be made' : 'no connection could be made');
	const inDocker = code === 'ECONNREFUSED' && LOCAL.test(baseUrl) ? ` ${IN_DOCKER}` : '';
	return [
		`The service could not be reached: ${says}`,
		`Check the Base URL in the credential, its port included, and whether it begins with http:// or https:// as the service needs it. ${advice ?? OR_PROXY}${inDocker}`,
	];
}

/** Addresses that lead to n8n's own machine, or container. */
const LOCAL = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i;

const IN_DOCKER =
	"In Docker, localhost is n8n's own container: in the Base URL, enter the name of the service's container, or host.docker.internal for the machine that Docker runs on.";

const OR_PROXY =
	'If n8n uses a proxy (HTTPS_PROXY or HTTP_PROXY), check its address, and that it lets n8n connect to the service.';

/** What the most frequent codes mean. Certificates have many codes. */
const ON_CONNECTING: Readonly<Record<string, readonly [why: string, advice?: string]>> = {
	ECONNREFUSED: ['nothing answers at its address'],
	ENOTFOUND: ['its host name was not found'],
	EAI_AGAIN: ['its host name was not found'],
	ETIMEDOUT: ['no connection was made in time'],
	ECONNABORTED: ['no connection was made in time'],
};

const STOPPED: Readonly<Record<Stage, Words>> = {
	connecting: ['The run was stopped before a connection was made', 'Nothing was sent for this item.'],
	securing: ['The run was stopped before a connection was made', 'Nothing was sent for this item.'],
	underWay: ['The run was stopped while the request was on its way', ''],
};

const NOT_ALLOWED: Words = [
	'Connections to the address of the service are not allowed',
	'Ask the administrator of n8n to allow the host of the Base URL: with N8N_SSRF_PROTECTION_ENABLED, in N8N_SSRF_ALLOWED_HOSTNAMES. If the credential limits its domains, add the host there.',
];

/** The words on a proxy that answered with this status instead of opening a tunnel to the service. */
export function wordsOnTunnel(status: number): Words {
	return [
		`The proxy in front of n8n refused the connection (${status})`,
		'Check the Base URL in the credential, and that the service is running. If both are right, ask the administrator of the proxy to allow the host and port of the Base URL. A login (407) belongs into the address of the proxy: the environment variable HTTPS_PROXY of n8n. Hosts in NO_PROXY are reached without it.',
	];
}

const CHECK_NETWORK = 'Check the network between the n8n server and the service.';

/**
 * What to do about an answer that says no, or proves nothing.
 *
 * @param namesFields whether it names the fields that it is about
 */
export function adviceOnStatus(reply: Reply, call: ApiCall, cause: Cause, namesFields: boolean): string {
	// A 403 that asks to come back later means what a 429 means.
	const status = cause === 'throttled' && reply.status === 403 ? 429 : reply.status;
	if (status === 301 || status === 308)
		return `It redirects to another address${targetOf(reply)}, which this node does not follow, because that would send the API key there. ${FOREIGN_ADVICE}`;
	const who = isByGateway(reply) ? 'A gateway in front of the service answered, not the service. ' : '';
	if (cause === 'doubtful' && status < 500) return who + (readsOnly(call) ? ELSEWHERE_ADVICE : TELL_OPERATOR);
	if (who !== '' || status >= 500) return who + TELL_OPERATOR;
	if (namesFields) return 'Correct these fields.';
	return (
		ADVICE_ON_STATUS[status] ??
		'The service refused the request. Check the fields of this item, first the IDs and addresses; if they are right, ask its operator.'
	);
}

const TELL_OPERATOR = 'If that goes on, tell the operator of the service what it said.';

/**
 * The target of a redirect in brackets, without what belongs in no Base URL: the path of the interface, and query, fragment
 * and the login before the host, which often contain secrets. '' if there is none.
 */
function targetOf({ headers: { location = '' } }: Reply): string {
	const target = location
		.replace(/[?#].*$/s, '')
		.replace(/\/\/[^/]*@/, '//')
		.replace(/\/api\/v1\/.*$/is, '');
	return target === '' ? '' : ` (${cut(target, 200)})`;
}

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	401: "Check the API Key in the credential. A revoked key never works again, and the service can't show a lost key again. In both cases, ask the operator of the service for a new one. If the message is that of a gateway, it asks for a key of its own: enter that in the credential under Add Custom Header.",
	403: 'This key has no right to do that: one that begins with "acc_" has access to its own account only. If every call fails like this, check the Base URL in the credential.',
	404: 'Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. If every call fails like this, check the Base URL in the credential.',
	413: 'The message is too large. Shorten it or split it up.',
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
