import { isPlainObject, type JsonObject } from '../shared/json';
import { FOREIGN_ADVICE } from './advice';
import { type ApiCall, readsOnly } from './api-call';
import { authorOf } from './author';
import { type Failure, failureBy } from './endings';
import { failureOfForeignReply, failureOfList, failureOfReply } from './failure';
import { contentOf, cutIn, listNameOf } from './envelope';
import { type Reply, typeIn } from './reply';

/**
 * What a reply means. This is the one place that decides it, in this order: who wrote it (`author.ts`), is it a refusal
 * (also inside a 2xx), what in it is the record or the list that the call asked for, is that list whole.
 *
 * @returns the reply with that record or list as its body, or why the call failed
 */
export function answerIn(reply: Reply, call: ApiCall, nameOf?: (path: string) => string): Reply | Failure {
	if (isSuccess(reply) && authorOf(reply, call).writer !== 'service')
		return failureOfForeignReply(reply, call);
	if (isRefusal(reply)) return failureOfReply(reply, call, nameOf);
	if (listNameOf(call) !== undefined && readsOnly(call) && isBroken(reply)) return failureOfList(reply, call);
	const body = contentOf(reply.body, call);
	const cut = cutIn(reply, body, call);
	return { ...reply, body, ...(cut !== undefined && { cut }) };
}

/**
 * The list in a reply, for those who can use nothing else.
 *
 * @param mayBeEmpty whether an empty body counts as an empty list
 */
export function listIn({ body, status }: Reply, mayBeEmpty = true): readonly unknown[] | Failure {
	const list = body ?? (mayBeEmpty ? [] : undefined);
	if (Array.isArray(list)) return list;
	const message = 'The service answered with something other than a list';
	return failureBy('refused', { message, description: FOREIGN_ADVICE }, { statusCode: status });
}

function isSuccess({ status }: Reply): boolean {
	return status >= 200 && status < 300;
}

/** Whether a body begins like JSON, but could not be parsed. A single wrong sign in one record is enough. */
function isBroken({ body }: Reply): boolean {
	return typeof body === 'string' && /^\s*[[{]/.test(body);
}

/** Members that say in a 2xx whether the call was successful, in lower case. */
const VERDICTS: readonly string[] = ['success', 'succeeded', 'successful', 'issuccess', 'ok'];

/** Whether a reply says that the call has failed. Words elsewhere in a 2xx may mean anything, so they don't count. */
export function isRefusal(reply: Reply): boolean {
	if (!isSuccess(reply)) return true;
	const { body, headers } = reply;
	if (body === undefined) return false;
	if (body === false || typeIn(headers['content-type']) === 'application/problem+json') return true;
	if (!isPlainObject(body)) return false;
	const isVerdict = ([name, value]: [string, unknown]): boolean =>
		value === false && VERDICTS.includes(name.toLowerCase());
	return isProblem(body) || Object.entries(body).some(isVerdict);
}

/** Whether a body has the form of problem details: RFC 9457. */
function isProblem({ status, title, detail }: JsonObject): boolean {
	return typeof status === 'number' && status >= 400 && [title, detail].some(Boolean);
}
