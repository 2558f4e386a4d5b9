import { cut, named } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import type { Cause } from './endings';
import { isByGateway } from './proof';
import type { Reply } from './reply';
import { type TransportFailure, UNTRUSTED_CERTIFICATE } from './transport';

/** What went wrong, and what to do about it. */
export type Words = readonly [message: string, advice: string];

/**
 * What to do about each kind of failure. The same texts show in menus and in the credential test, which have no options.
 * So no option is named, but the Query Parameters of lists.
 */
const ADVICE = {
	noConnection:
		'Check the Base URL in the credential, its port included, and that the service is running. If n8n uses a proxy (HTTPS_PROXY or HTTP_PROXY), check its address, too.',
	localhost:
		"In Docker, localhost is n8n's own container: in the Base URL, enter the name of the service's container, or host.docker.internal for the machine that Docker runs on.",
	notAllowed:
		'Ask the administrator of n8n to allow the host of the Base URL: with N8N_SSRF_PROTECTION_ENABLED, in N8N_SSRF_ALLOWED_HOSTNAMES. If the credential limits its domains, add the host there.',
	proxy:
		'Check the Base URL in the credential, and that the service is running. If both are right, ask the administrator of the proxy to let n8n connect to the host and port of the Base URL; a login (407) belongs into the address of the proxy, in the environment variable HTTPS_PROXY or HTTP_PROXY of n8n.',
	noTls:
		'Check the Base URL in the credential, its port included. If it has never worked, and the service speaks http, as it may in your own network, begin the Base URL with http:// in place of https://.',
	certificate:
		'It has expired, belongs to another host, or comes from an authority that n8n does not know. For an authority of your own, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the path of its certificate, and restart n8n.',
	tls: 'Check host and port of the Base URL in the credential, and tell the operator of the service what TLS says.',
	slow: 'Check the network between the n8n server and the service.',
	broken:
		'If no call succeeds, check the Base URL in the credential: its port, and whether it has to begin with http:// or https://. Otherwise tell the operator of the service.',
	401: 'Check the API Key in the credential; for one that was revoked or lost, the operator of the service has to make a new one. If a gateway in front of the service asks for a key of its own, enter that in the credential under Add Custom Header.',
	403: 'This key may have no right to do that: one that begins with "acc_" has access to its own account only. If every call fails like this, check the Base URL in the credential.',
	404: 'If every call fails like this, check the Base URL in the credential. Otherwise check the IDs: a key that begins with "acc_" finds only what belongs to its own account.',
	413: 'The request is too large. Shorten its text, or split it up.',
	429: 'Only so many requests may come at a time. Send fewer at a time, or ask the operator of the service for a higher limit.',
	failing: 'If that goes on, tell the operator of the service what it said.',
	other: 'Correct what the service names. If that is nothing of this item, ask the operator of the service.',
	/** A list that is not whole. */
	cut: 'Ask for larger pages: add the parameter for their size, as the service names it, under Query Parameters ("queryParameters").',
	/** An answer that can't come from a messaging service. */
	foreign: 'Check the Base URL in the credential: it does not seem to lead to the messaging service.',
} as const;

export const { cut: CUT_ADVICE, failing: FAILING_ADVICE, foreign: FOREIGN_ADVICE } = ADVICE;

/** As FOREIGN_ADVICE, where it may also be the page of a gateway whose service is down. */
export const ELSEWHERE_ADVICE = `${FOREIGN_ADVICE} If it has worked before, the service may be down.`;

/** The words on a request without a complete answer. The code, which is shown too, says the rest. */
export function wordsOnTransport({ stage, code, tls, tunnel, baseUrl = '' }: TransportFailure): Words {
	if (tunnel !== undefined)
		return [`The proxy in front of n8n refused the connection (${tunnel})`, ADVICE.proxy];
	const isSlow = code === 'ETIMEDOUT' || code === 'ECONNABORTED';
	if (code === 'BLOCKED')
		return ['Connections to the address of the service are not allowed', ADVICE.notAllowed];
	const isStopped = code === 'ERR_CANCELED';
	if (stage === 'underWay') {
		if (isStopped) return ['The run was stopped while the request was on its way', ''];
		if (isSlow) return ['The service did not answer in time', ADVICE.slow];
		const broke = 'The connection broke before the answer arrived';
		// The credential test does not see how far it had got.
		const [why, advice] = tls === undefined ? [undefined, ADVICE.broken] : wordsOnSecuring(code, tls);
		return [why === undefined ? broke : `${broke}: ${why}`, advice];
	}
	if (isStopped)
		return ['The run was stopped before a connection was made', 'Nothing was sent for this item.'];
	const [why, advice] = isSlow
		? (['no connection was made in time', ADVICE.noConnection] as const)
		: stage === 'securing'
			? wordsOnSecuring(code, tls)
			: wordsOnConnecting(code, baseUrl);
	return [`The service could not be reached: ${why}`, advice];
}

/** Addresses that lead to n8n's own machine, or container. */
const LOCAL = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i;

function wordsOnConnecting(code: string, baseUrl: string): Words {
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return ['its host name was not found', ADVICE.noConnection];
	if (code !== 'ECONNREFUSED') return ['no connection could be made', ADVICE.noConnection];
	const inDocker = LOCAL.test(baseUrl) ? ` ${ADVICE.localhost}` : '';
	return ['nothing answers at its address', ADVICE.noConnection + inDocker];
}

/** What TLS says if the other side does not speak it. Nothing else that it says is a reason to do without it. */
const NO_TLS: readonly unknown[] = [
	'wrong version number',
	'packet length too long',
	'unknown protocol',
	'http request',
];

function wordsOnSecuring(code: string, tls: string | undefined): Words {
	if (UNTRUSTED_CERTIFICATE.test(code)) return ['its certificate is not trusted', ADVICE.certificate];
	// A port that speaks http may also end the connection without a word.
	if (tls === undefined || NO_TLS.includes(tls)) return ['it may speak http only', ADVICE.noTls];
	return [`TLS says "${tls}"`, ADVICE.tls];
}

/** What to do about an answer that says no, or proves nothing. */
export function adviceOnReply(reply: Reply, call: ApiCall, cause: Cause): string {
	const { status } = reply;
	if (status === 407) return ADVICE.proxy;
	const redirects = redirectOf(reply);
	if (status === 301 || status === 308) return redirects + FOREIGN_ADVICE;
	if (status === 413) return ADVICE[413];
	// A 403 that asks to come back later means the same.
	if (status === 429 || (cause === 'throttled' && status === 403)) return ADVICE[429];
	const who = isByGateway(reply) ? 'A gateway in front of the service answered, not the service. ' : '';
	// To a call that changes something, an earlier GET /Me has shown that the address is right.
	if (cause === 'doubtful' && status < 500 && readsOnly(call)) return who + redirects + ELSEWHERE_ADVICE;
	if (who !== '' || cause === 'doubtful' || status >= 500) return who + FAILING_ADVICE;
	return status === 401 || status === 403 || status === 404 ? ADVICE[status] : ADVICE.other;
}

/** Where a name comes from that the service refuses and no field of the node has; '' if it speaks of none. */
export function adviceOnOthers(text: string, { others = [] }: ApiCall): string {
	const words = text.split(/[^\w.]+/).map((word) => word.replace(/\.$/, '').split('.').at(-1));
	const name = others.find((other) => words.includes(other));
	if (name === undefined) return '';
	return `"${named(name)}" comes from Other Content Fields ("otherContent"), or from the JSON of the package.`;
}

/**
 * Where a redirect leads, as a sentence; '' for any other answer. The target is without what belongs in no Base URL: the path
 * of the interface, and query, fragment and the login before the host, which often contain secrets.
 */
function redirectOf({ headers: { location = '' }, status }: Reply): string {
	if (status < 300 || status >= 400) return '';
	const target = location
		.slice(0, 2000)
		.replace(/[?#].*$/s, '')
		.replace(/\/\/[^/]*@/, '//')
		.replace(/\/api\/v1\/.*$/is, '');
	const where = target === '' ? '' : ` (${cut(target, 200)})`;
	return `It redirects to another address${where}, which this node does not follow, because that would send the API key there. `;
}
