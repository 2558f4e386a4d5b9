import type { IDataObject } from 'n8n-workflow';

import {
	adviceOnStatus,
	BLOCKED_ADVICE,
	CUT_ADVICE,
	ELSEWHERE_ADVICE,
	FOREIGN_ADVICE,
	type Words,
	wordsOnTransport,
} from './advice';
import { defined, isPlainObject } from '../shared/json';
import { cut, said } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { isByGateway, isPage, titleOf } from './author';
import { type Cause, type Failure, failureBy } from './endings';
import { listNameOf } from './envelope';
import { fieldText } from './field-messages';
import { isLater, waitMsIn } from './later';
import { leadsElsewhere, provesNotProcessed } from './proof';
import { hasGatewayMark, type Reply } from './reply';
import type { TransportFailure } from './transport';

/** Classifies failures in the terms of `endings.ts`. What to do about them is decided elsewhere. */

function failureOf(cause: Cause, [message, description]: Words, more: Partial<Failure>): Failure {
	return failureBy(cause, { message, description }, more);
}

/** The failure for a refusal: a status outside 2xx, or a 2xx that says no. */
export function failureOfReply(reply: Reply, call: ApiCall): Failure {
	const cause = causeOf(reply);
	const isLate = cause === 'throttled';
	const byGateway = isByGateway(reply) || undefined;
	const fields = fieldText(reply.body);
	const advice = `${fields} ${adviceOnStatus(reply, call, cause, fields !== '')}`.trim();
	const more = defined<Partial<Failure>>({
		...foundIn(reply),
		problem: isPlainObject(reply.body) ? (reply.body as IDataObject) : null,
		fields: fields || undefined,
		waitMs: isLate || cause === 'doubtful' ? waitMsIn(reply, isLate) : undefined,
		byGateway,
		isElsewhere: leadsElsewhere(reply) || undefined,
	});
	return failureOf(cause, [reasonOf(reply), advice], more);
}

function causeOf(reply: Reply): Cause {
	// "Proxy Authentication Required": only a proxy between n8n and the service sends this.
	if (reply.status === 407) return 'withheld';
	if (!provesNotProcessed(reply)) return 'doubtful';
	return isLater(reply) ? 'throttled' : 'refused';
}

/** Headers with the ID under which the operator of a service or gateway finds a request; the best first. */
const REQUEST_IDS = [
	'x-request-id',
	'request-id',
	'x-correlation-id',
	'x-kong-request-id',
	'cf-ray',
	'x-amzn-requestid',
	'x-ms-request-id',
	'x-azure-ref',
];

/** The status of an answer, and the ID of its request, secrets masked. */
function foundIn({ headers, status }: Reply): Pick<Failure, 'statusCode' | 'requestId'> {
	const found = REQUEST_IDS.map((name) => headers[name]?.replace(/[^\x21-\x7e…]/g, '') ?? '').find(Boolean);
	return { statusCode: status, requestId: found === undefined ? null : cut(found, 200) };
}

/** What happened, in the words of whoever answered. A page or a long text has only its title. */
function reasonOf(reply: Reply): string {
	const { body, status } = reply;
	const isText = typeof body === 'string' && body.length <= 300 && !isPage(reply);
	const texts = isPlainObject(body)
		? [body.title, body.detail, body.message, body.error]
		: [isText ? body : titleOf(reply)];
	const [first, second] = new Set(
		texts.filter((text): text is string => typeof text === 'string' && text.trim() !== ''),
	);
	const who = isByGateway(reply) ? 'A gateway' : 'The service';
	if (first === undefined) return `${who} answered with status ${status} and gave no reason`;
	if (isPage(reply)) return said(`${who} answered with status ${status}: ${first}`);
	return said(
		second === undefined ? first.trim() : `${cut(first.trim(), 200).replace(/[.:]$/, '')}: ${second.trim()}`,
	);
}

/** The failure of a request without a complete answer. */
export function failureOfTransport(found: TransportFailure, ifSlow?: string): Failure {
	const { code, stage } = found;
	const [message, advice] = wordsOnTransport(found);
	const isStopped = code === 'ERR_CANCELED';
	// Only the code: n8n's own text ("You can retry the request immediately") may be wrong here.
	const more = code === '' || code === 'BLOCKED' ? {} : { code };
	if (stage !== 'underWay') {
		const cause = isStopped || code === 'BLOCKED' ? 'withheld' : 'neverLeft';
		return failureOf(cause, [message, advice], more);
	}
	const ifTimedOut = code === 'ECONNABORTED' ? ifSlow : undefined;
	return failureOf(isStopped ? 'cutOff' : 'doubtful', [message, ifTimedOut ?? advice], more);
}

/** How many megabytes of an answer are read, unpacked. Otherwise one could fill the memory. */
export function mostMegabytes(call: ApiCall): number {
	return listNameOf(call) !== undefined ? 64 : 16;
}

/** The failure of an answer that is too large to be read, or to be used. */
export function failureOfSize(call: ApiCall): Failure {
	const advice = listNameOf(call) !== undefined ? CUT_ADVICE : 'Tell the operator of the service.';
	const message = `The answer is larger than ${mostMegabytes(call)} MB, or has more than a million records`;
	const words = [message, advice] as const;
	if (!readsOnly(call)) return failureOf('doubtful', words, {});
	return failureOf('refused', words, {});
}

/** The failure of a request in flight when the execution was stopped. */
export function cutOff(): Failure {
	return failureOfTransport({ code: 'ERR_CANCELED', stage: 'underWay' });
}

/** The failure of a 2xx that can't be the service's: a web page, a gateway's, another type, no JSON from GET /Me. */
export function failureOfForeignReply(reply: Reply, call: ApiCall): Failure {
	const { status, headers } = reply;
	const type = headers['content-type'] ?? 'no content type';
	const isWebPage = /html/i.test(type) || isPage(reply);
	let message = 'Something came back that is not the answer of a messaging service';
	if (isWebPage) message = 'A web page came back instead of the answer of a messaging service';
	if (reply.body === undefined)
		message = 'An empty answer came back, without the JSON that describes the key';
	const byGateway = hasGatewayMark(reply) || undefined;
	if (byGateway) message = 'A gateway in front of the service answered, not the service';
	const advice = byGateway ? BLOCKED_ADVICE : FOREIGN_ADVICE;
	const words = [message, `${advice} (Status ${status}, ${cut(type, 60)})`] as const;
	const more = defined<Partial<Failure>>({ ...foundIn(reply), byGateway });
	return readsOnly(call) ? failureOf('refused', words, more) : failureOf('doubtful', words, more);
}

/**
 * The failure of an empty 2xx from an address that has never answered with JSON in this process. Caddy and nginx can
 * answer so where they have nothing.
 */
export function failureOfEmptyReply(reply: Reply): Failure {
	const words = [
		'An empty answer came back, and nothing shows that a messaging service is at this address',
		`${ELSEWHERE_ADVICE} (Status ${reply.status})`,
	] as const;
	return failureOf('doubtful', words, { ...foundIn(reply), isElsewhere: true });
}

/** The failure of a list that could not be parsed: not a record of it can be used. */
export function failureOfList(reply: Reply): Failure {
	const words = [
		'The list of the service can not be read: it is no valid JSON',
		'Tell the operator of the service.',
	] as const;
	return failureOf('refused', words, foundIn(reply));
}
