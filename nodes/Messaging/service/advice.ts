import { cut } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { ME } from './plan';
import type { Reply } from './reply';
import type { TransportFailure } from './transport';

/** What to do about each kind of failure. Node options are not mentioned: the trigger and the editor have none. */

/** Whether a call without a clear answer may have changed something. */
export function mayHaveHappened(call: ApiCall): string {
	return readsOnly(call)
		? 'Nothing was changed by this call.'
		: 'The service may have processed this call: check there before you repeat it.';
}

/** What to do about an answer that can't come from a messaging service. */
export const FOREIGN_ADVICE =
	'Check the Base URL in the credential: it does not seem to lead to the messaging service.';

/**
 * What happened to a request without a complete answer, and what to do.
 *
 * @param ifSlow what to do about a service that is always slow
 */
export function wordsOnTransport(
	{ code, stage }: TransportFailure,
	ifSlow?: string,
): { message: string; advice: string } {
	const [message, advice] =
		stage === 'underWay'
			? // If the code is a status, the answer had begun and broke off.
				(BROKEN_OFF[/^\d{3}$/.test(code) ? 'BODY' : code] ?? LOST)
			: (NEVER_LEFT[stage === 'securing' && code === 'ECONNABORTED' ? '' : code] ??
				(stage === 'securing' ? NO_TLS : NO_CONNECTION));
	return { message, advice: code === 'ECONNABORTED' && stage === 'underWay' ? (ifSlow ?? advice) : advice };
}

/** What went wrong, and what to check. */
type Words = readonly [message: string, advice: string];

const CHECK_NETWORK = 'Check the network between the n8n server and the service.';

const NO_CONNECTION: Words = [
	'The service could not be reached: no connection could be made',
	`Check the Base URL in the credential. ${CHECK_NETWORK} If n8n uses a proxy, check that it lets n8n connect to the service.`,
];

const LOST: Words = ['The connection to the service failed before the answer arrived', CHECK_NETWORK];

const NO_TLS: Words = [
	'No secure connection to the service could be made',
	"Check the Base URL in the credential (https or http, host and port) and the service's certificate.",
];

const UNKNOWN_AUTHORITY: Words = [
	'The certificate of the service is not trusted',
	"If your own certificate authority issued it, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the path of that authority's certificate, and restart n8n. Otherwise check the Base URL in the credential, and tell the operator of the service.",
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
	ERR_CANCELED: ['The execution was stopped before a connection was made', 'Nothing was sent for this item.'],
	BLOCKED: [
		'This n8n is not allowed to connect to the address of the service',
		'Ask the administrator of n8n to allow the host of the Base URL.',
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
		'The API Key in the credential contains characters that no key can have',
		'Copy the key from the service again and paste it into the credential.',
	],
};

const BROKEN_OFF: Readonly<Record<string, Words>> = {
	ECONNABORTED: ['The service did not answer in time', CHECK_NETWORK],
	ETIMEDOUT: ['The service did not answer in time', CHECK_NETWORK],
	ECONNRESET: ['The connection broke before the answer arrived', CHECK_NETWORK],
	EPIPE: ['The connection broke while the request was sent', CHECK_NETWORK],
	ERR_CANCELED: ['The execution was stopped while the request was on its way', ''],
	BODY: ['The answer of the service broke off half-way', CHECK_NETWORK],
};

/**
 * What to do about a status outside 2xx.
 *
 * @param namesFields whether the service names the fields that it rejects
 */
export function adviceOnStatus({ status, headers }: Reply, call: ApiCall, namesFields: boolean): string {
	if (status >= 300 && status < 400) {
		const target = addressIn(headers.location ?? '');
		return `The service redirects to another address${target === '' ? '' : ` (${target})`}. This node does not follow redirects, because that would send the API key to another address. If you trust the new address, enter it as the Base URL in the credential.`;
	}
	if (status >= 500) {
		return 'The service failed while it worked on the request. If that goes on, tell its operator.';
	}
	if (namesFields && (status === 400 || status === 422)) return 'Correct these fields.';
	// This call has no IDs that could be unknown to the service, so the address is wrong.
	if (status === 404 && call.path === ME.path) {
		return 'Check the Base URL in the credential: this address has no /api/v1/Me.';
	}
	return (
		ADVICE_ON_STATUS[status] ??
		'The service refused the request. Check the fields of this item; if they are right, ask its operator.'
	);
}

/**
 * A redirect's target in a form that may be shown, without query, fragment and the login before the host: these often
 * contain secrets, and do not belong in a Base URL.
 */
function addressIn(location: string): string {
	return cut(location.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//'), 200);
}

const REFUSED =
	'The service refuses the value of a field. Check the fields of this item, first the IDs and addresses.';

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	400: REFUSED,
	401: "Check the API Key in the credential. A revoked key never works again, and the service can't show a lost key again. In both cases, create a new one.",
	403: 'This key has no right to do that. A key that begins with "acc_" has access to its own account only, one with "org_" to all accounts of its organization.',
	404: 'Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. If every call fails like this, check the Base URL in the credential.',
	405: 'Check the Base URL in the credential: another program seems to answer there.',
	407: 'A proxy between the n8n server and the service asks for a login: correct the proxy settings of n8n.',
	408: 'The service did not get the whole request in time. Check the network between the n8n server and the service.',
	409: 'The entry is not in a state that allows this. Check its state in the service.',
	413: 'The message is too large for the service. Shorten it or split it up.',
	415: 'Check the Base URL in the credential: another program seems to answer there.',
	422: REFUSED,
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
