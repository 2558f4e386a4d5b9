import type { IDataObject } from 'n8n-workflow';

import type { ApiCall } from './api-call';
import { fieldMessagesOf, fieldText } from './field-messages';
import { ME } from './plan';
import { problemOf, wordsOf } from './problem';
import type { Reply } from './reply';
import { retryAfterMs } from './retry-after';
import type { TransportFailure } from './transport';

/**
 * What a user acts on: `rejected` the service said no; `unsent` it never reached the service; `unknown` it may
 * have been processed.
 */
export type Outcome = 'rejected' | 'unsent' | 'unknown';

/**
 * Whether the same call may be made again:
 * `later` the service asks to come back, `harmless` it can't have been processed, `doubtful` it may have been,
 * `pointless` it would fail again.
 */
export type Again = 'later' | 'harmless' | 'doubtful' | 'pointless';

/** Why a call failed. All but `again` and `waitMs` leaves the node under `error`. */
export interface Failure {
	/** What happened, in the service's own words where it has any. */
	message: string;
	/** How to get unstuck. */
	description: string;
	/** HTTP status, `null` when there was no answer. */
	statusCode: number | null;
	outcome: Outcome;
	/** The problem-details body as received, `null` when there is none. */
	problem: IDataObject | null;
	again: Again;
	/** How long the service asks to wait, in milliseconds; only with `later`, and only where it says so. */
	waitMs?: number;
}

/** A failure that never reached the service. */
export function unsent(message: string, description: string, again: Again = 'pointless'): Failure {
	return { message, description, statusCode: null, outcome: 'unsent', problem: null, again };
}

/**
 * The failure that a status outside 2xx means.
 *
 * @param nameOf what the user knows a field of the request by
 */
export function failureOfReply(
	reply: Reply,
	call: ApiCall,
	nameOf: (path: string) => string = (path) => path,
): Failure {
	const asksToWait = isLater(reply);
	const outcome: Outcome = reply.status < 500 || asksToWait ? 'rejected' : 'unknown';
	const waitMs = asksToWait ? retryAfterMs(reply) : undefined;
	const about = fieldText(fieldMessagesOf(reply.body), nameOf);
	const parts = [
		outcome === 'unknown' ? mayHaveHappened(call) : '',
		about,
		adviceOn(reply, call, about !== ''),
	];
	return {
		message: wordsOf(reply),
		description: parts.filter(Boolean).join(' '),
		statusCode: reply.status,
		outcome,
		problem: problemOf(reply),
		again: asksToWait ? 'later' : DOUBTFUL_STATUS.has(reply.status) ? 'doubtful' : 'pointless',
		...(waitMs === undefined ? {} : { waitMs }),
	};
}

const DOUBTFUL_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Whether the service turned the call away at the door and asks to come back: it has not been processed. */
function isLater({ status, headers }: Reply): boolean {
	return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

/** The failure of a request that got no whole answer. */
export function failureOfTransport({ code, stage }: TransportFailure, call: ApiCall): Failure {
	// Only the code: what n8n says along with it ("You can retry the request immediately") may be wrong here.
	const named = (advice: string): string => (code === '' ? advice : `${advice} (${code})`);
	if (stage !== 'underWay') {
		const [message, advice] = NEVER_LEFT[code] ?? (stage === 'securing' ? NO_TLS : NO_CONNECTION);
		return unsent(message, named(advice), HOPELESS.has(code) ? 'pointless' : 'harmless');
	}
	// A status as code means that the answer had begun and broke off.
	const [message, advice] = BROKEN_OFF[/^\d{3}$/.test(code) ? 'BODY' : code] ?? [
		'The connection to the service failed before the answer was there',
		CHECK_NETWORK,
	];
	return {
		message,
		description: named(`${mayHaveHappened(call)} ${advice}`.trim()),
		statusCode: null,
		outcome: 'unknown',
		problem: null,
		again: code === 'ERR_CANCELED' ? 'pointless' : 'doubtful',
	};
}

/** The failure of a request whose time was up before its answer was there as a whole. */
export function timeUp(call: ApiCall): Failure {
	return failureOfTransport({ code: 'ECONNABORTED', stage: 'underWay' }, call);
}

/**
 * The failure of a 2xx that is declared as something that the interface does not offer: another program answers at
 * this address.
 */
export function failureOfForeignReply(reply: Reply, call: ApiCall): Failure {
	const type = reply.headers['content-type'] ?? '';
	const isPage = /html/i.test(type);
	const advice = `Check the Base URL in the credential: what answers there does not seem to be the messaging service. (Status ${reply.status}, ${type.slice(0, 60)})`;
	return {
		message: isPage
			? 'A web page came back instead of the answer of a messaging service'
			: 'Something came back that is no answer of a messaging service',
		description: call.method === 'GET' ? advice : `${mayHaveHappened(call)} ${advice}`,
		statusCode: reply.status,
		outcome: call.method === 'GET' ? 'rejected' : 'unknown',
		problem: null,
		again: 'pointless',
	};
}

/** Network failures that no repetition mends. */
const HOPELESS: ReadonlySet<string> = new Set(['BLOCKED', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR']);

function mayHaveHappened(call: ApiCall): string {
	return call.method === 'GET'
		? 'Nothing was changed by this call, so it can be repeated.'
		: 'The service may have processed this call: check there before you repeat it.';
}

/** What went wrong, and what to look at. */
type Words = readonly [message: string, advice: string];

const CHECK_NETWORK = 'Check the network between the n8n server and the service.';

const NO_CONNECTION: Words = [
	'The service could not be reached: no connection could be made',
	`Check the Base URL in the credential. ${CHECK_NETWORK}`,
];

const NO_TLS: Words = [
	'No secure connection to the service could be made',
	"Check the Base URL in the credential (https or http, host and port) and the service's certificate.",
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
	ERR_INVALID_CHAR: [
		'The API Key in the credential holds characters that no key can have',
		'Copy the key from the service once more, and paste it into the credential.',
	],
};

const BROKEN_OFF: Readonly<Record<string, Words>> = {
	ECONNABORTED: ['The service did not answer in time', 'If it is always slow, raise the option Timeout.'],
	ETIMEDOUT: ['The service did not answer in time', CHECK_NETWORK],
	ECONNRESET: ['The connection broke before the answer was there', CHECK_NETWORK],
	EPIPE: ['The connection broke while the request was sent', CHECK_NETWORK],
	ERR_CANCELED: ['The execution was stopped while the request was on its way', ''],
	BODY: ['The answer of the service broke off half-way', CHECK_NETWORK],
};

/**
 * How to get unstuck.
 *
 * @param namesFields whether the service says which fields it refuses
 */
function adviceOn({ status, headers }: Reply, call: ApiCall, namesFields: boolean): string {
	if (status >= 300 && status < 400) {
		return `The service redirects to another address${headers.location ? ` (${headers.location})` : ''}. Redirects are not followed, so that the API key stays where it belongs: put the final address into the Base URL of the credential.`;
	}
	if (status >= 500) {
		return 'The service failed while it worked on the request. If that goes on, tell its operator.';
	}
	if (namesFields && (status === 400 || status === 422)) return 'Correct these fields.';
	// There is nothing in this call that could be unknown: it is the address that is wrong.
	if (status === 404 && call.path === ME.path) {
		return 'Check the Base URL in the credential: it ends before /api/v1.';
	}
	return (
		ADVICE_ON_STATUS[status] ??
		'The service refused the request. Check the fields of this item; if they are right, ask its operator.'
	);
}

const REFUSED =
	'The service refuses what a field holds. Check the fields of this item, IDs and addresses first.';

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	400: REFUSED,
	401: 'Check the API Key in the credential. A revoked key never works again, and a lost one can not be shown again: create a new one.',
	403: 'This key may not do that. A key that begins with "acc_" reaches only its own account, one with "org_" all accounts of its organization.',
	404: 'Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. If every call fails like this, check the Base URL in the credential.',
	405: 'Check the Base URL in the credential: another program seems to answer there.',
	409: 'The entry is not in a state that allows this. Look at it in the service, then decide.',
	413: 'The message is too large for the service. Shorten it or split it up.',
	415: 'Check the Base URL in the credential: another program seems to answer there.',
	422: REFUSED,
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
