import { textAt } from '../shared/json';
import { cut, named } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { isByGateway, speaksHttps } from './author';
import type { Cause } from './endings';
import { ME } from './plan';
import type { Reply } from './reply';
import { type Stage, type TransportFailure, UNTRUSTED_CERTIFICATE } from './transport';

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

/** The words on a request without a complete answer. */
export function wordsOnTransport({ stage, code, tls, baseUrl = '' }: TransportFailure, call: ApiCall): Words {
	if (tls !== undefined && stage !== 'connecting') return wordsOnTls(stage, tls);
	if (stage === 'securing' && UNTRUSTED_CERTIFICATE.test(code)) return NOT_TRUSTED;
	const words = WORDS_ON_STAGE[stage];
	const found = words[code] ?? (code.startsWith('HPE_') ? words.HPE : undefined) ?? words.other;
	const [message, advice] = found;
	if (code === 'ECONNREFUSED' && LOCAL.test(baseUrl)) return [message, `${IN_DOCKER} ${advice}`];
	// A port that speaks https closes the connection, or answers with the bytes of TLS.
	const isBroken = stage === 'underWay' && (found === words.other || found === words.HPE);
	// Only for reads: the credential test and the menus come first, so a Base URL that sends is right.
	const isMaybeHttps = isBroken && /^http:/i.test(baseUrl) && readsOnly(call);
	if (isMaybeHttps) return [message, `${advice} ${MAYBE_HTTPS}`];
	// A port that speaks http may also end the connection without a word. Only for reads, as above.
	const isMaybeHttp = stage === 'securing' && found === words.other && readsOnly(call);
	return [message, isMaybeHttp ? `${advice} ${MAYBE_HTTP}` : advice];
}

const MAYBE_HTTP =
	'If it has never worked and the service speaks http, as it may in your own network, try http:// in place of https://.';

const MAYBE_HTTPS =
	'If it has never worked, try https:// in place of http:// in the Base URL of the credential.';

/** Addresses that lead to n8n's own machine, or container. */
const LOCAL = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i;

const IN_DOCKER =
	"In Docker, localhost is n8n's own container: in the Base URL, enter the name of the service's container, or host.docker.internal for the machine that Docker runs on.";

/** What TLS says if the other side does not speak it. Everything else it says is no reason to do without it. */
const NO_TLS = ['wrong version number', 'packet length too long', 'unknown protocol', 'http request'];

function wordsOnTls(stage: Stage, says: string): Words {
	const [message] = WORDS_ON_STAGE[stage].other;
	if (stage === 'securing' && NO_TLS.includes(says)) {
		return [
			`${message}: it may speak http only`,
			'Check the Base URL in the credential, its port included. If the service speaks http, as it may in your own network, try http:// in place of https://.',
		];
	}
	return [
		`${message}: "${says}"`,
		'These are the words of TLS: its versions, its ciphers or a certificate do not fit. Check host and port of the Base URL in the credential, and tell them to the operator of the service, which must not ask for a certificate of n8n.',
	];
}

/** The words on a proxy that answered with this status instead of opening a tunnel to the service. */
export function wordsOnTunnel(status: number): Words {
	return [
		`The proxy in front of n8n refused the connection (${status})`,
		'Check the Base URL in the credential, and that the service is running. If both are right, ask the administrator of the proxy to allow the host and port of the Base URL. A login (407) belongs into the address of the proxy: the environment variable HTTPS_PROXY of n8n. Hosts in NO_PROXY are reached without it.',
	];
}

const CHECK_NETWORK = 'Check the network between the n8n server and the service.';

/** n8n's error does not show whether it was the proxy that did not answer. */
const OR_PROXY =
	'If n8n uses a proxy (HTTPS_PROXY or HTTP_PROXY), check its address, and that it lets n8n connect to the service.';

/** The code, which is shown too, says which of these it is. */
const NOT_TRUSTED: Words = [
	'The certificate of the service is not trusted',
	'It has expired, belongs to another host, or comes from an authority that n8n does not know. If that is your own certificate authority, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the path of its certificate, and restart n8n. Otherwise check the Base URL in the credential, and tell the operator of the service.',
];

const STOPPED_BEFORE: Words = [
	'The run was stopped before a connection was made',
	'Nothing was sent for this item.',
];

const NO_SUCH_HOST: Words = [
	'The service could not be reached: its host name was not found',
	`Check the Base URL in the credential for a typo, and the name server of the n8n server. ${OR_PROXY}`,
];

const NOT_IN_TIME: Words = [
	'The service could not be reached: no connection was made in time',
	`Check the Base URL in the credential, the name server of the n8n server, and the firewall between the n8n server and the service. ${OR_PROXY}`,
];

const NO_ANSWER: Words = ['The service did not answer in time', CHECK_NETWORK];

const TELL_OPERATOR =
	'Tell that to the operator of the service, or of the gateway in front of it. If no call succeeds, check the port of the Base URL in the credential.';

/** By stage and code; `HPE` for other codes that begin like that, and `other` for all the rest. */
const WORDS_ON_STAGE: Readonly<Record<Stage, Readonly<Record<string, Words>> & { other: Words }>> = {
	connecting: {
		ECONNREFUSED: [
			'The service could not be reached: nothing answers at its address',
			`Check the Base URL in the credential, its port included, and that the service is running. ${OR_PROXY}`,
		],
		ENOTFOUND: NO_SUCH_HOST,
		EAI_AGAIN: NO_SUCH_HOST,
		ETIMEDOUT: NOT_IN_TIME,
		ECONNABORTED: NOT_IN_TIME,
		ERR_CANCELED: STOPPED_BEFORE,
		BLOCKED: [
			'Connections to the address of the service are not allowed',
			'Ask the administrator of n8n to allow the host of the Base URL: with N8N_SSRF_PROTECTION_ENABLED, in N8N_SSRF_ALLOWED_HOSTNAMES, or its address in N8N_SSRF_ALLOWED_IP_RANGES. If the credential limits its domains, add the host there.',
		],
		other: [
			'The service could not be reached: no connection could be made',
			`Check the Base URL in the credential. ${CHECK_NETWORK} ${OR_PROXY}`,
		],
	},
	securing: {
		ERR_CANCELED: STOPPED_BEFORE,
		other: [
			'No secure connection to the service could be made',
			"Check the Base URL in the credential, its port included, and the service's certificate.",
		],
	},
	underWay: {
		ECONNABORTED: NO_ANSWER,
		ETIMEDOUT: NO_ANSWER,
		ERR_CANCELED: ['The run was stopped while the request was on its way', ''],
		HPE: ['The answer is not valid HTTP', TELL_OPERATOR],
		HPE_HEADER_OVERFLOW: ['The headers of the answer are larger than n8n accepts', TELL_OPERATOR],
		other: ['The connection broke before the answer arrived', CHECK_NETWORK],
	},
};

/**
 * What to do about an answer that says no, or proves nothing.
 *
 * @param namesFields whether it names the fields that it is about
 */
export function adviceOnStatus(reply: Reply, call: ApiCall, cause: Cause, namesFields: boolean): string {
	// A 403 that asks to come back later means what a 429 means.
	const status = cause === 'throttled' && reply.status === 403 ? 429 : reply.status;
	if (status === 301 || status === 308) return adviceOnMove(reply);
	if (speaksHttps(reply))
		return 'This port speaks https: try https:// in place of http:// in the Base URL of the credential.';
	const isByOther = isByGateway(reply);
	const who = isByOther ? 'A gateway in front of the service answered, not the service. ' : '';
	if (status === 405 && !['GET', 'POST'].includes(call.method)) {
		return `${who}If ${call.method} never works, the service or a server in front of it does not allow it: tell its operator (IIS: remove WebDAV).`;
	}
	if (cause === 'doubtful' && status < 500) {
		const isRedirect = status < 400;
		const target = isRedirect
			? `It redirects to another address${targetOf(reply)}, which this node does not follow. `
			: '';
		return who + target + (readsOnly(call) ? ELSEWHERE_ADVICE : REPLACED);
	}
	if (cause === 'doubtful' && status === 503) return who + SAYS_503;
	if (isByOther) return who + (ADVICE_ON_GATEWAY[status] ?? TELL_WHAT_IT_SAID);
	if (status >= 500) {
		return 'The service has failed, or is overloaded or being restarted. If that goes on, tell its operator.';
	}
	if (namesFields && (status === 400 || status === 422 || status < 300)) return 'Correct these fields.';
	// GET /Me has no ID in its path, so a 404 means that the address is wrong.
	if (status === 404 && call.path === ME.path) {
		return 'Check the Base URL in the credential: this address has no /api/v1/Me.';
	}
	if (status < 300) return `Its status says success (${status}), but its answer says no. ${ASK_OPERATOR}`;
	const again = status === 403 || status === 404 ? chooseAgain(call) : '';
	return `${ADVICE_ON_STATUS[status] ?? ASK_OPERATOR}${again}`;
}

/** A channel that was chosen with another key stays chosen. '' for a call that has no channel. */
function chooseAgain({ body, path }: ApiCall): string {
	const channel = textAt(body, 'channelId') || (/\/channel\/([^/]+)/i.exec(path)?.[1] ?? '');
	return (
		channel &&
		` If the credential has changed, choose the channel again: its key may not reach ${named(channel)}.`
	);
}

const TELL_WHAT_IT_SAID = 'If that goes on, tell the operator of the service what it said.';

/** Such an answer to a call that changes something. An earlier GET /Me has shown that the address is right. */
const REPLACED =
	'Gateways put such an answer in the place of one that came too late or broke off. If that goes on, tell the operator of the service.';

/** nginx writes the same page for its limit, which passes nothing on, and in the place of an answer that broke off. */
const SAYS_503 =
	'The service is overloaded, failing or being restarted, or a gateway limits how many calls may come. If that goes on, tell its operator; a limit should answer with 429 (nginx: limit_req_status 429), which shows that nothing was processed.';

const ADVICE_ON_GATEWAY: Readonly<Record<number, string>> = {
	401: 'It asks for a login of its own. Ask the operator of the service which header it wants, and enter that in the credential under Add Custom Header.',
	403: BLOCKED_ADVICE,
	413: 'The message is too large for it. Shorten it or split it up.',
	429: 'It limits how many requests may come. Wait, or send fewer items at a time.',
};

function adviceOnMove(reply: Reply): string {
	return `The service has moved to another address${targetOf(reply)}. This node does not follow redirects, because that would send the API key to another address. Check the Base URL in the credential. If you trust the new address, enter it there.`;
}

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

const NOT_ACCEPTED =
	'The service, or a proxy in front of it, does not accept "application/json; v=1.0", or dropped the body of the request. Tell its operator.';

const ASK_OPERATOR =
	'The service refused the request. Check the fields of this item; if they are right, ask its operator.';

const REFUSED =
	'The service refuses the value of a field. Check the fields of this item, first the IDs and addresses.';

const IF_EVERY_CALL_FAILS = 'If every call fails like this, check the Base URL in the credential.';

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	400: REFUSED,
	401: "Check the API Key in the credential. A revoked key never works again, and the service can't show a lost key again. In both cases, ask the operator of the service for a new one. If the message is that of a gateway, it asks for a key of its own: enter that in the credential under Add Custom Header.",
	403: `This key has no right to do that. A key that begins with "acc_" has access to its own account only, one with "org_" to all accounts of its organization. ${IF_EVERY_CALL_FAILS}`,
	404: `Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. ${IF_EVERY_CALL_FAILS}`,
	405: FOREIGN_ADVICE,
	406: NOT_ACCEPTED,
	407: 'A proxy between the n8n server and the service asks for a login: correct the proxy settings of n8n.',
	408: 'The service did not get the whole request in time. Check the network between the n8n server and the service.',
	409: 'What is there does not allow this: perhaps it exists already, or is in another state. Check that in the service. If exactly this is there already, there is nothing to do.',
	413: 'The message is too large for the service. Shorten it or split it up.',
	415: NOT_ACCEPTED,
	422: REFUSED,
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
