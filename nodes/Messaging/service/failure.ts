import type { IDataObject } from 'n8n-workflow';

import {
	adviceOnOthers,
	adviceOnReply,
	CUT_ADVICE,
	ELSEWHERE_ADVICE,
	FAILING_ADVICE,
	FOREIGN_ADVICE,
	type Words,
	wordsOnTransport,
} from './advice';
import { defined, isPlainObject } from '../shared/json';
import { asSentence, cut, said } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { type Cause, type Failure, failureBy } from './endings';
import { listNameOf } from './envelope';
import { isByGateway, isLater, isPage, leadsElsewhere, provesNotProcessed, titleOf, waitMsIn } from './proof';
import { hasGatewayMark, type Reply } from './reply';
import type { TransportFailure } from './transport';

/** Classifies failures in the terms of `endings.ts`. What to do about them is decided elsewhere. */

function failureOf(cause: Cause, [message, description]: Words, more: Partial<Failure>): Failure {
	return failureBy(cause, { message, description }, more);
}

/** Statuses of refusals that are about the key or the address, not about what the item holds. */
const NOT_OF_THE_ITEM: readonly number[] = [301, 308, 401];

/** The failure for a refusal: a status outside 2xx, or a 2xx that says no. */
export function failureOfReply(reply: Reply, call: ApiCall): Failure {
	const cause = causeOf(reply);
	const isLate = cause === 'throttled';
	const fields = fieldText(reply.body);
	const reason = reasonOf(reply);
	const advice = [fields, adviceOnOthers(`${reason} ${fields}`, call), adviceOnReply(reply, call, cause)];
	const more = defined<Partial<Failure>>({
		...foundIn(reply),
		problem: isPlainObject(reply.body) ? (reply.body as IDataObject) : null,
		fields: fields || undefined,
		waitMs: isLate || cause === 'doubtful' ? waitMsIn(reply, isLate) : undefined,
		byGateway: isByGateway(reply) || undefined,
		isElsewhere: leadsElsewhere(reply) || undefined,
	});
	const failure = failureOf(cause, [reason, advice.filter(Boolean).join(' ')], more);
	return NOT_OF_THE_ITEM.includes(reply.status) ? { ...failure, retryable: true } : failure;
}

function causeOf(reply: Reply): Cause {
	// "Proxy Authentication Required": only a proxy between n8n and the service sends this.
	if (reply.status === 407) return 'withheld';
	if (!provesNotProcessed(reply)) return 'doubtful';
	return isLater(reply) ? 'throttled' : 'refused';
}

/** Headers with the ID under which the operator of a service or gateway finds a request; the best first. */
const REQUEST_IDS =
	'x-request-id request-id x-correlation-id x-kong-request-id cf-ray x-amzn-requestid x-ms-request-id x-azure-ref'.split(
		' ',
	);

/** The status of an answer, and the ID of its request, secrets masked. */
function foundIn({ headers, status }: Reply): Pick<Failure, 'statusCode' | 'requestId'> {
	const found = REQUEST_IDS.map((name) => headers[name]?.replace(/[^\x21-\x7e…]/g, '') ?? '').find(Boolean);
	return { statusCode: status, requestId: found === undefined ? null : cut(found, 200) };
}

/** What happened, in the words of whoever answered. A page or a long text has only its title. */
function reasonOf(reply: Reply): string {
	const answered = `${isByGateway(reply) ? 'A gateway' : 'The service'} answered with status ${reply.status}`;
	const [first = '', second] = isPage(reply) ? [titleOf(reply)] : reasonsIn(reply.body);
	if (first === '') return `${answered} and gave no reason`;
	if (isPage(reply)) return said(`${answered}: ${first}`);
	return said(second === undefined ? first : `${cut(first, 200).replace(/[.:]$/, '')}: ${second}`);
}

/** The longest text that is a reason as a whole. */
const LONGEST_REASON = 300;

/** The reasons in a body, each once and the best first. */
function reasonsIn(body: unknown): string[] {
	const isReason = typeof body === 'string' && body.length <= LONGEST_REASON;
	const given = isPlainObject(body)
		? [body.title, body.detail, body.message, body.error]
		: [isReason && body];
	const texts = given.map((text) => (typeof text === 'string' ? text.trim() : ''));
	return [...new Set(texts.filter(Boolean))];
}

/** How many fields an error lists, and how many characters of each path and message are shown. */
const MOST_FIELDS = 10;
const LONGEST_TEXT = 200;

/**
 * What an error body says about single fields, as sentences, or ''. The interface describes only title and detail. This
 * reads two common extensions, both under `errors`: a map from fields to messages (ASP.NET), and a list of objects with
 * a field and a message (RFC 9457, JSON:API).
 */
export function fieldText(body: unknown): string {
	const errors = isPlainObject(body) ? body.errors : undefined;
	const entries = isPlainObject(errors) ? Object.entries(errors) : listed(errors);
	const sentences = entries.slice(0, MOST_FIELDS).map(([field, message]) => sentence(field, message));
	return sentences.filter(Boolean).join(' ');
}

/** The field and the message of each entry of a list. */
function listed(errors: unknown): Array<readonly [field: unknown, message: unknown]> {
	return [errors]
		.flat()
		.map((entry: unknown) =>
			isPlainObject(entry)
				? [entry.pointer ?? entry.field, entry.detail ?? entry.message]
				: [undefined, entry],
		);
}

/** A path such as `$.content['to']` or `#/content/to` with dots, and what is said of it; '' if that is no text. */
function sentence(field: unknown, message: unknown): string {
	const text = onOneLine(Array.isArray(message) ? message[0] : message);
	const path = onOneLine(field)
		.split(/[./#[\]$'"]+/)
		.filter(Boolean)
		.join('.');
	if (text === '') return '';
	return asSentence(path === '' ? text : `${path}: ${text}`);
}

function onOneLine(text: unknown): string {
	if (typeof text !== 'string') return '';
	const beginning = text.trim().slice(0, 2 * LONGEST_TEXT);
	return cut(beginning.replace(/\s+/g, ' '), LONGEST_TEXT);
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

/** The failure of a request in flight when the execution was stopped. */
export function cutOff(): Failure {
	return failureOfTransport({ code: 'ERR_CANCELED', stage: 'underWay' });
}

/** How many megabytes of an answer are read, unpacked. Otherwise one could fill the memory. */
export function mostMegabytes(call: ApiCall): number {
	if (listNameOf(call) !== undefined) return 64;
	// Call an Endpoint may answer with anything.
	return readsOnly(call) || call.lists !== undefined ? 16 : 1;
}

/** The failure of a call whose answer can't be used, whatever its status says. What has changed something is in doubt. */
function unusable([message, advice]: Words, call: ApiCall, reply?: Reply, more?: Partial<Failure>): Failure {
	const found = reply === undefined ? {} : foundIn(reply);
	return failureOf(readsOnly(call) ? 'refused' : 'doubtful', [message, advice], { ...found, ...more });
}

/** The failure of an answer that is too large to be read, or to be used. */
export function failureOfSize(call: ApiCall): Failure {
	const advice = listNameOf(call) !== undefined ? CUT_ADVICE : 'Tell the operator of the service.';
	const message = `The answer is larger than ${mostMegabytes(call)} MB, or has more than a million records`;
	return unusable([message, advice], call);
}

/** The failure of a list that could not be parsed: not a record of it can be used. */
export function failureOfBrokenList(reply: Reply, call: ApiCall): Failure {
	const message = 'The list of the service can not be read: it is no valid JSON';
	return unusable([message, 'Tell the operator of the service.'], call, reply);
}

/**
 * The failure of a 2xx that can't be the service's: a web page, a gateway's, another type, no JSON from GET /Me, or an
 * empty one where nothing shows that a service is there. Caddy and nginx can answer so where they have nothing.
 */
export function failureOfForeignReply(reply: Reply, call: ApiCall): Failure {
	const type = reply.headers['content-type'] ?? 'no content type';
	const shown = `(Status ${reply.status}, ${cut(type, 60)})`;
	if (hasGatewayMark(reply)) {
		const message = 'A gateway in front of the service answered, not the service';
		return unusable([message, `${FAILING_ADVICE} ${shown}`], call, reply, { byGateway: true });
	}
	if (reply.body === undefined) {
		const message =
			'An empty answer came back, and nothing shows that a messaging service is at this address';
		return unusable([message, `${ELSEWHERE_ADVICE} ${shown}`], call, reply, { isElsewhere: true });
	}
	const what = /html/i.test(type) || isPage(reply) ? 'A web page' : 'Something else';
	const message = `${what} came back in place of the answer of a messaging service`;
	return unusable([message, `${FOREIGN_ADVICE} ${shown}`], call, reply);
}
