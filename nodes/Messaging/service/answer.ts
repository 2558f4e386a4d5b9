import { FOREIGN_ADVICE } from './advice';
import { type ApiCall, readsOnly } from './api-call';
import { type Failure, failureBy, isFailure } from './endings';
import { failureOfBrokenList, failureOfForeignReply, failureOfReply, failureOfSize } from './failure';
import { contentOf, cutIn, listNameOf } from './envelope';
import { isForeign } from './proof';
import { MOST_RECORDS } from './receive';
import { isRefusal, type Reply } from './reply';

/**
 * What a reply means. This is the one place that decides it, in this order: did the service write it, is it a refusal
 * (also inside a 2xx), what in it is the record or the list that the call asked for, is that list whole.
 *
 * @param isProven whether JSON has come from this address: some gateways answer with an empty 2xx where nothing is
 * @returns the reply with that record or list as its body, or why the call failed
 */
export function answerIn(reply: Reply, call: ApiCall, isProven: boolean): Reply | Failure {
	if (isForeign(reply)) return failureOfForeignReply(reply, call);
	if (isRefusal(reply)) return failureOfReply(reply, call);
	if (reply.body === undefined && !isProven && !readsOnly(call)) return failureOfForeignReply(reply, call);
	if (listNameOf(call) !== undefined && readsOnly(call) && isBroken(reply))
		return failureOfBrokenList(reply, call);
	const body = contentOf(reply.body, call);
	if (Array.isArray(body) && body.length > MOST_RECORDS) return failureOfSize(call);
	const cut = cutIn(reply, body, call);
	return { ...reply, body, ...(cut !== undefined && { cut }) };
}

/**
 * The list in an answer, for those who can use nothing else.
 *
 * @param ifCut what to do if the list says that it is not whole; without it, a part of it will do
 * @param mayBeEmpty whether an empty body counts as an empty list
 */
export function listIn(
	answer: Reply | Failure,
	ifCut?: string,
	mayBeEmpty = true,
): readonly unknown[] | Failure {
	if (isFailure(answer)) return answer;
	const { body, cut, status: statusCode } = answer;
	if (cut !== undefined && ifCut !== undefined) {
		return failureBy('refused', { message: cut, description: ifCut }, { statusCode });
	}
	const list = body ?? (mayBeEmpty ? [] : undefined);
	if (Array.isArray(list)) return list;
	const message = 'The service answered with something other than a list';
	return failureBy('refused', { message, description: FOREIGN_ADVICE }, { statusCode });
}

/** Whether a body begins like JSON, but could not be parsed. A single wrong sign in one record is enough. */
function isBroken({ body }: Reply): boolean {
	return typeof body === 'string' && /^\s*[[{]/.test(body);
}
