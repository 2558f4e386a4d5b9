import { adviceOnStatus, FOREIGN_ADVICE, mayHaveHappened, wordsOnTransport } from './advice';
import { cut } from '../shared/text';
import { type ApiCall, readsOnly } from './api-call';
import { type Cause, type Failure, failureBy } from './endings';
import { fieldMessagesOf, fieldText } from './field-messages';
import { problemOf, reasonOf, retryAfterMs } from './problem';
import { isWebPage, type Reply } from './reply';
import { DEEPEST } from './secrets';
import type { Stage, TransportFailure } from './transport';

/** Classifies failures in the terms of `endings.ts`. What to do about them is decided elsewhere. */

/**
 * The failure for a status outside 2xx.
 *
 * @param nameOf the name by which the user knows a field of the request
 */
export function failureOfReply(
	reply: Reply,
	call: ApiCall,
	nameOf: (path: string) => string = (path) => path,
): Failure {
	const cause = causeOf(reply, call);
	const about = fieldText(fieldMessagesOf(reply.body), nameOf);
	const advice = adviceOnStatus(reply, call, about !== '');
	const parts = [cause === 'doubtful' ? mayHaveHappened(call) : '', about, advice];
	const failure = failureBy(
		cause,
		{ message: reasonOf(reply), description: parts.filter(Boolean).join(' ') },
		{ statusCode: reply.status, problem: problemOf(reply) },
	);
	const waitMs = cause === 'throttled' ? retryAfterMs(reply) : undefined;
	return waitMs === undefined ? failure : { ...failure, waitMs };
}

/** "Proxy Authentication Required". */
const PROXY_LOGIN = 407;

function causeOf(reply: Reply, call: ApiCall): Cause {
	if (isThrottled(reply)) return 'throttled';
	// Only a proxy between n8n and the service sends this.
	if (reply.status === PROXY_LOGIN) return 'withheld';
	// A service answers "See Other" after it has processed the request: RFC 9110, 15.4.4.
	const isDone = reply.status === 303 && !readsOnly(call);
	return reply.status < 500 && !isDone ? 'refused' : 'doubtful';
}

/** Whether the service turned the call away unprocessed and asks to come back later. */
function isThrottled({ status, headers }: Reply): boolean {
	return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

/** The failure of a read whose answer is unreadable. */
export function failureOfUnreadable({ status }: Reply): Failure {
	return failureBy(
		'refused',
		{
			message: 'The answer of the service is unreadable',
			description: `It is nested more than ${DEEPEST} levels deep. Tell the operator of the service.`,
		},
		{ statusCode: status },
	);
}

/** Network errors of requests that could not be made or were not allowed to leave. */
const KEPT_BACK: ReadonlySet<string> = new Set([
	'BLOCKED',
	'ERR_INVALID_URL',
	'ERR_INVALID_CHAR',
	'ERR_CANCELED',
]);

/**
 * The failure of a request without a complete answer.
 *
 * @param ifSlow what to do about a service that is always slow
 */
export function failureOfTransport(found: TransportFailure, call: ApiCall, ifSlow?: string): Failure {
	const { code, stage } = found;
	const { message, advice } = wordsOnTransport(found, ifSlow);
	// Only the code: n8n's own text ("You can retry the request immediately") may be wrong here.
	const withCode = (text: string): string => (code === '' ? text : `${text} (${code})`);
	if (stage !== 'underWay') {
		const cause = KEPT_BACK.has(code) ? 'withheld' : 'neverLeft';
		return failureBy(cause, { message, description: withCode(advice) });
	}
	return failureBy(code === 'ERR_CANCELED' ? 'cutOff' : 'doubtful', {
		message,
		description: withCode(`${mayHaveHappened(call)} ${advice}`.trim()),
	});
}

/**
 * The failure of a request that ran out of time before its complete answer arrived; see `failureOfTransport`.
 *
 * @param stage how far it had got
 */
export function timeUp(stage: Stage, call: ApiCall, ifSlow?: string): Failure {
	return failureOfTransport({ code: 'ECONNABORTED', stage }, call, ifSlow);
}

/** The failure of a request in flight when the execution was stopped. */
export function cutOff(call: ApiCall): Failure {
	return failureOfTransport({ code: 'ERR_CANCELED', stage: 'underWay' }, call);
}

/**
 * The failure of a 2xx that is a web page, or has a type that the interface does not offer: another program answers at
 * this address.
 */
export function failureOfForeignReply({ status, headers, body }: Reply, call: ApiCall): Failure {
	const type = headers['content-type'] ?? 'no content type';
	const message =
		/html/i.test(type) || isWebPage(body)
			? 'A web page came back instead of the answer of a messaging service'
			: 'Something came back that is not the answer of a messaging service';
	const advice = `${FOREIGN_ADVICE} (Status ${status}, ${cut(type, 60)})`;
	return readsOnly(call)
		? failureBy('refused', { message, description: advice }, { statusCode: status })
		: failureBy(
				'doubtful',
				{ message, description: `${mayHaveHappened(call)} ${advice}` },
				{ statusCode: status },
			);
}
