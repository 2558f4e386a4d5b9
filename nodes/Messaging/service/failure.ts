import type { IDataObject } from 'n8n-workflow';

import { adviceOnStatus, CUT_ADVICE, FOREIGN_ADVICE, type Words, wordsOnTransport } from './advice';
import { defined, isPlainObject } from '../shared/json';
import { cut, said } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { type Cause, type Failure, failureBy } from './endings';
import { readsList } from './envelope';
import { fieldText, firstMessage, textIn } from './field-messages';
import { isWebPage, type Reply } from './reply';
import type { TransportFailure } from './transport';

/** Classifies failures in the terms of `endings.ts`. What to do about them is decided elsewhere. */

/** A failure with what to do about it. If it is in doubt, that begins with what may have happened. */
function failureOf(
	cause: Cause,
	call: ApiCall,
	[message, description]: Words,
	more: Partial<Failure>,
): Failure {
	const failure = failureBy(cause, { message, description }, more);
	if (failure.outcome !== 'unknown') return failure;
	const doubt = readsOnly(call)
		? 'Nothing was changed by this call.'
		: 'The service may have processed this call.';
	return { ...failure, description: `${doubt} ${description}`.trim() };
}

/** The failure for a refusal: a status outside 2xx, or a 2xx that says no. */
export function failureOfReply(
	reply: Reply,
	call: ApiCall,
	nameOf: (path: string) => string = (path) => path,
): Failure {
	const cause = causeOf(reply, call);
	const fields = fieldText(reply.body, nameOf);
	const advice = `${fields} ${adviceOnStatus(reply, call, fields !== '')}`.trim();
	const more = defined<Partial<Failure>>({
		statusCode: reply.status,
		problem: isPlainObject(reply.body) ? (reply.body as IDataObject) : null,
		fields: fields || undefined,
		waitMs: cause === 'throttled' ? retryAfterMs(reply) : undefined,
	});
	return failureOf(cause, call, [reasonOf(reply), advice], more);
}

function causeOf({ status, headers }: Reply, call: ApiCall): Cause {
	// The service turned the call away unprocessed, and asks to come back later.
	if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) return 'throttled';
	// "Proxy Authentication Required": only a proxy between n8n and the service sends this.
	if (status === 407) return 'withheld';
	// A service answers "See Other" after it has processed the request: RFC 9110, 15.4.4.
	const isDone = status === 303 && !readsOnly(call);
	return status < 500 && !isDone ? 'refused' : 'doubtful';
}

/** Where a reason may be: in problem details, and in what gateways and other services send. The best first. */
const REASONS = ['title', 'detail', 'message', 'error', 'error_description'];

/** What happened, in the service's own words: the first two reasons, a short text, or else the status. */
function reasonOf({ status, body }: Reply): string {
	const isLong = typeof body === 'string' && (body.length > 300 || /^\s*</.test(body));
	const texts = isLong ? [] : REASONS.map((name) => textIn(body, [name]));
	const [first = isLong ? '' : firstMessage(body), second] = new Set(texts.filter(Boolean));
	if (first === '') {
		return status < 300
			? 'The service says that this failed, and gives no reason'
			: `The service answered with status ${status} and gave no reason`;
	}
	if (second === undefined) return said(first);
	return said(`${cut(first, 200).replace(/[.:。：।۔]\s*$/, '')}: ${second}`);
}

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` in seconds, or as a date by the service's own
 * clock. `undefined` if it does not say.
 *
 * Source: RFC 9110, 10.2.3. The interface does not mention this header, but services may send it.
 */
function retryAfterMs({ headers }: Reply): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
	const [until, answeredAt] = [Date.parse(value), Date.parse(headers.date ?? '')];
	if (Number.isNaN(until)) return undefined;
	return Math.max(0, until - (Number.isNaN(answeredAt) ? Date.now() : answeredAt));
}

/** The failure of a request without a complete answer. */
export function failureOfTransport(found: TransportFailure, call: ApiCall, ifSlow?: string): Failure {
	const { code, stage } = found;
	const [message, advice] = wordsOnTransport(found);
	const isStopped = code === 'ERR_CANCELED';
	// Only the code: n8n's own text ("You can retry the request immediately") may be wrong here.
	const more = code === '' || code === 'BLOCKED' ? {} : { code };
	if (stage !== 'underWay') {
		const cause = isStopped || code === 'BLOCKED' ? 'withheld' : 'neverLeft';
		return failureOf(cause, call, [message, advice], more);
	}
	const ifTimedOut = code === 'ECONNABORTED' ? ifSlow : undefined;
	return failureOf(isStopped ? 'cutOff' : 'doubtful', call, [message, ifTimedOut ?? advice], more);
}

/** The failure of an answer that was not read to its end, because it is larger than this many megabytes. */
export function failureOfSize(megabytes: number, call: ApiCall): Failure {
	const advice = readsList(call) ? CUT_ADVICE : 'Tell the operator of the service.';
	const words = [`The answer is larger than ${megabytes} MB`, advice] as const;
	if (!readsOnly(call)) return failureOf('doubtful', call, words, {});
	return failureOf('refused', call, words, { forModel: 'Tell a person.' });
}

/** The failure of a request in flight when the execution was stopped. */
export function cutOff(call: ApiCall): Failure {
	return failureOfTransport({ code: 'ERR_CANCELED', stage: 'underWay' }, call);
}

/** The failure of a 2xx that is a web page, or has a type that is not offered: another program answers here. */
export function failureOfForeignReply({ status, headers, body }: Reply, call: ApiCall): Failure {
	const type = headers['content-type'] ?? 'no content type';
	const message =
		/html/i.test(type) || isWebPage(body)
			? 'A web page came back instead of the answer of a messaging service'
			: 'Something came back that is not the answer of a messaging service';
	const words = [message, `${FOREIGN_ADVICE} (Status ${status}, ${cut(type, 60)})`] as const;
	return readsOnly(call)
		? failureOf('refused', call, words, { statusCode: status, forModel: 'Tell a person.' })
		: failureOf('doubtful', call, words, { statusCode: status });
}
