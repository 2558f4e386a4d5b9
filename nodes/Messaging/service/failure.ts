import type { IDataObject } from 'n8n-workflow';

import type { ApiCall } from './api-call';
import { problemOf, wordsOf } from './problem';
import type { Reply } from './reply';
import { retryAfterMs } from './retry-after';

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

/** The failure that a status outside 2xx means. */
export function failureOfReply(reply: Reply, call: ApiCall): Failure {
	const asksToWait = isLater(reply);
	const outcome: Outcome = reply.status < 500 || asksToWait ? 'rejected' : 'unknown';
	const waitMs = asksToWait ? retryAfterMs(reply) : undefined;
	return {
		message: wordsOf(reply),
		description: outcome === 'unknown' ? `${adviceOn(reply)} ${mayHaveHappened(call)}` : adviceOn(reply),
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

/**
 * The failure of a request that got no whole answer.
 *
 * @param code the code of the network failure, such as ECONNREFUSED; '' when none is known
 * @param detail the failure in the words of the network layer, without any secret
 */
export function failureOfTransport(code: string, detail: string, call: ApiCall): Failure {
	const known = NEVER_SENT[code];
	if (known !== undefined) {
		return unsent(known[0], `${known[1]} (${code})`, HOPELESS.has(code) ? 'pointless' : 'harmless');
	}
	if (/CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code)) {
		return unsent(
			'No secure connection to the service could be made',
			`Check the Base URL in the credential (https or http) and the service's certificate. (${code}: ${detail})`,
			'harmless',
		);
	}
	// A status as code means that the answer had begun and broke off.
	const [message, advice] = BROKEN_OFF[/^\d{3}$/.test(code) ? 'BODY' : code] ?? [
		'The connection to the service failed',
		'Try again later.',
	];
	return {
		message,
		description: `${advice} ${mayHaveHappened(call)} (${[code, detail].filter(Boolean).join(': ')})`,
		statusCode: null,
		outcome: 'unknown',
		problem: null,
		again: code === 'ERR_CANCELED' ? 'pointless' : 'doubtful',
	};
}

/** Network failures that no repetition mends. */
const HOPELESS: ReadonlySet<string> = new Set(['BLOCKED', 'ERR_INVALID_URL']);

function mayHaveHappened(call: ApiCall): string {
	return call.method === 'GET'
		? 'Nothing was changed by this call, so it can be repeated.'
		: 'The service may have processed this call: check there before you repeat it.';
}

const NEVER_SENT: Readonly<Record<string, readonly [message: string, advice: string]>> = {
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
		'The name server did not answer. Check the network of the n8n server and try again.',
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
};

const BROKEN_OFF: Readonly<Record<string, readonly [message: string, advice: string]>> = {
	ECONNABORTED: ['The service did not answer in time', 'Raise the option Timeout, or try again later.'],
	ETIMEDOUT: ['The service did not answer in time', 'Raise the option Timeout, or try again later.'],
	ECONNRESET: ['The connection broke before the answer was there', 'Try again later.'],
	EPIPE: ['The connection broke while the request was sent', 'Try again later.'],
	ERR_CANCELED: ['The execution was stopped while the request was on its way', 'Run the workflow again.'],
	BODY: ['The answer of the service broke off half-way', 'Try again later.'],
};

function adviceOn(reply: Reply): string {
	const { status, headers } = reply;
	if (status >= 300 && status < 400) {
		return `The service redirects to another address${headers.location ? ` (${headers.location})` : ''}. Redirects are not followed, so that the API key stays where it belongs: put the final address into the Base URL of the credential.`;
	}
	if (status >= 500) {
		return 'The service failed while it worked on the request. Try again later, and tell its operator if it goes on.';
	}
	return (
		ADVICE_ON_STATUS[status] ??
		'The service refused the request. Change what its message names, then run it again.'
	);
}

const ADVICE_ON_STATUS: Readonly<Record<number, string>> = {
	400: 'Correct the fields that the message names, then run it again.',
	401: 'Check the API Key in the credential. A revoked key never works again, and a lost one can not be shown again: create a new one.',
	403: 'This key may not do that. A key that begins with "acc_" reaches only its own account, one with "org_" all accounts of its organization.',
	404: 'Check the IDs: a key that begins with "acc_" finds only what belongs to its own account. If every call fails like this, check the Base URL in the credential.',
	405: 'Check the Base URL in the credential: another program seems to answer there.',
	409: 'The entry is not in a state that allows this. Look at it in the service, then decide.',
	413: 'The message is too large for the service. Shorten it or split it up.',
	415: 'Check the Base URL in the credential: another program seems to answer there.',
	422: 'Correct the fields that the message names, then run it again.',
	429: 'The key has used up its plan for now. Wait, send fewer items at a time, or ask for a larger resource plan.',
};
