import { cut } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { ME } from './plan';
import type { Reply } from './reply';
import type { TransportFailure } from './transport';

/** How to get unstuck, by what happened. No option of the node is named here: not everybody who asks has options. */

/** Whether a call that got no clear answer may have changed something. */
export function mayHaveHappened(call: ApiCall): string {
	return readsOnly(call)
		? 'Nothing was changed by this call.'
		: 'The service may have processed this call: check there before you repeat it.';
}

/** What to do about an answer that no messaging service gives. */
export const FOREIGN_ADVICE =
	'Check the Base URL in the credential: what answers there does not seem to be the messaging service.';

/**
 * What happened to a request that got no whole answer, and what to do.
 *
 * @param ifSlow what to do about a service that always takes too long
 */
export function wordsOnTransport(
	{ code, stage }: TransportFailure,
	ifSlow?: string,
): { message: string; advice: string } {
	const [message, advice] =
		stage === 'underWay'
			? // A status as code means that the answer had begun and broke off.
				(BROKEN_OFF[/^\d{3}$/.test(code) ? 'BODY' : code] ?? LOST)
			: (NEVER_LEFT[stage === 'securing' && code === 'ECONNABORTED' ? '' : code] ??
				(stage === 'securing' ? NO_TLS : NO_CONNECTION));
	return { message, advice: code === 'ECONNABORTED' && stage === 'underWay' ? (ifSlow ?? advice) : advice };
}

/** What went wrong, and what to look at. */
type Words = readonly [message: string, advice: string];

const CHECK_NETWORK = 'Check the network between the n8n server and the service.';

const NO_CONNECTION: Words = [
	'The service could not be reached: no connection could be made',
	`Check the Base URL in the credential. ${CHECK_NETWORK} If n8n uses a proxy, check that it lets n8n connect to the service.`,
];

const LOST: Words = ['The connection to the service failed before the answer was there', CHECK_NETWORK];

const NO_TLS: Words = [
	'No secure connection to the service could be made',
	"Check the Base URL in the credential (https or http, host and port) and the service's certificate.",
];

const UNKNOWN_AUTHORITY: Words = [
	'The certificate of the service is not trusted',
	"If an authority of your own issued it, put the path of that authority's certificate into the environment variable NODE_EXTRA_CA_CERTS of n8n, and restart n8n. Otherwise check the Base URL in the credential, and tell the operator of the service.",
];

const NEVER_LEFT: Readonly<Record<string, Words>> = {
	ECONNREFUSED: [
		'The service could not be reached: nothing answers at its address',
		'Check the Base URL in the credential, its port included, and that the service is running.',
	],
	ENOTFOUND: [
		'The service could not be reached: its host name is unknown',
		'Check the Base URL in the credential for a typo.',
	],
	EAI_AGAIN: [
		'The service could not be reached: its host name could not be looked up',
		'The name server did not answer. Check the network of the n8n server.',
	],
	ETIMEDOUT: [
		'The service could not be reached: its host does not answer',
		'Check the Base URL in the credential, and the firewall between the n8n server and the service.',
	],
	ECONNABORTED: [
		'The service could not be reached: no connection was made in time',
		'Check the Base URL in the credential, the name server of the n8n server, and the firewall between the n8n server and the service.',
	],
	ERR_CANCELED: ['The execution was stopped before there was a connection', 'Nothing of the item has left.'],
	EHOSTUNREACH: [
		'The service could not be reached: there is no route to its host',
		'Check the network and the firewall between the n8n server and the service.',
	],
	ENETUNREACH: [
		'The service could not be reached: there is no route to its network',
		'Check the network and the firewall between the n8n server and the service.',
	],
	EADDRNOTAVAIL: [
		'The service could not be reached: its address is not available',
		'Check the Base URL in the credential.',
	],
	BLOCKED: [
		'n8n is set up not to reach the address of the service',
		'Ask the administrator of this n8n to allow the host of the Base URL.',
	],
	ERR_INVALID_URL: [
		'The service could not be reached: its address is not valid',
		'Check the Base URL in the credential.',
	],
	DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
	SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
	CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
	ERR_INVALID_CHAR: [
		'The API Key in the credential holds characters that no key can have',
		'Copy the key from the service once more, and paste it into the credential.',
	],
};

const BROKEN_OFF: Readonly<Record<string, Words>> = {
	ECONNABORTED: ['The service did not answer in time', CHECK_NETWORK],
	ETIMEDOUT: ['The service did not answer in time', CHECK_NETWORK],
	ECONNRESET: ['The connection broke before the answer was there', CHECK_NETWORK],
	EPIPE: ['The connection broke while the request was sent', CHECK_NETWORK],
	ERR_CANCELED: ['The execution was stopped while the request was on its way', ''],
	BODY: ['The answer of the service broke off half-way', CHECK_NETWORK],
};

/**
 * What to do about a status outside 2xx.
 *
 * @param namesFields whether the service says which fields it refuses
 */
export function adviceOnStatus({ status, headers }: Reply, call: ApiCall, namesFields: boolean): string {
	if (status >= 300 && status < 400) {
		const target = addressIn(headers.location ?? '');
		return `The service redirects to another address${target === '' ? '' : ` (${target})`}. Redirects are not followed, so that the API key stays where it belongs: put the final address into the Base URL of the credential.`;
	}
	if (status >= 500) {
		return 'The service failed while it worked on the request. If that goes on, tell its operator.';
	}
	if (namesFields && (status === 400 || status === 422)) return 'Correct these fields.';
	// There is nothing in this call that could be unknown: it is the address that is wrong.
	if (status === 404 && call.path === ME.path) {
		return 'Check the Base URL in the credential: below it, there is no /api/v1/Me.';
	}
	return (
		ADVICE_ON_STATUS[status] ??
		'The service refused the request. Check the fields of this item; if they are right, ask its operator.'
	);
}

/**
 * Where a redirect leads, as it may be shown. What stands behind the path of such a link, or before its host, is often
 * what lets somebody in, and belongs into no Base URL.
 */
function addressIn(location: string): string {
	return cut(location.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//'), 200);
}

const REFUSED =
	'The service refuses what a field holds. Check the fields of this item, IDs and addresses first.';

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	400: REFUSED,
	401: "Check the API Key in the credential. A revoked key never works again, and a lost one can't be shown again: create a new one.",
	403: 'This key may not do that. A key that begins with "acc_" reaches only its own account, one with "org_" all accounts of its organization.',
	404: 'Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. If every call fails like this, check the Base URL in the credential.',
	405: 'Check the Base URL in the credential: another program seems to answer there.',
	407: 'A proxy between the n8n server and the service asks for a login: correct the proxy settings of n8n.',
	408: 'The service did not get the whole request in time. Check the network between the n8n server and the service.',
	409: 'The entry is not in a state that allows this. Look at it in the service, then decide.',
	413: 'The message is too large for the service. Shorten it or split it up.',
	415: 'Check the Base URL in the credential: another program seems to answer there.',
	422: REFUSED,
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
