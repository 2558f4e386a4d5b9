import { isUuid } from '../../nodes/Messaging/shared/uuid.ts';
import { CUT_ADVICE, FOREIGN_ADVICE } from '../../nodes/Messaging/service/advice.ts';
import { adviceOn, isFailure } from '../../nodes/Messaging/service/endings.ts';
import { isCaller, planOf } from '../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../nodes/Messaging/service/reply.ts';
import { isPlainObject, textAt, valueAt } from '../../nodes/Messaging/shared/json.ts';
import { asSentence, said } from '../../nodes/Messaging/shared/text.ts';
import type { Result } from './client.mts';

/** Whether something is as this package needs it, and what that means for people who use the service in n8n. */
export interface Judgement {
	verdict: 'fits' | 'differs' | "can't be told";
	meaning: string;
}

/** Makes judgements. Some words are the service's, perhaps with line breaks. */
const found =
	(verdict: Judgement['verdict']) =>
	(...words: string[]): Judgement => ({ verdict, meaning: said(words.join(' ').replace(/\s+/g, ' '), 400) });
export const [fits, differs, untold] = [found('fits'), found('differs'), found("can't be told")];

const statusOf = (result: Result): number | null => (isFailure(result) ? result.statusCode : result.status);

/** Judges a call that should succeed. */
export function judgeSuccess(result: Result, ifSuccess: (reply: Reply) => Judgement): Judgement {
	if (!isFailure(result)) return ifSuccess(result);
	const judge = result.cause === 'withheld' ? untold : differs;
	return judge(asSentence(result.message), adviceOn(result));
}

/** A redirect, an unknown key, or an answer that has nothing to do with the IDs in the request. */
const NOT_ABOUT_IDS = /^(?:3..|401|405|406|411|415)$/;

/** Judges a call about something that does not exist. */
export function judgeRefusal(result: Result): Judgement {
	const status = String(statusOf(result));
	const asFailure = judgeSuccess(result, () =>
		differs(`Answered ${status} for an ID that does not exist: the node would take this for done.`),
	);
	if (isFailure(result) && result.isElsewhere === true && /^4/.test(status)) {
		return differs(
			`Refused with ${status}, but not with JSON: gateways answer so in the place of a service that fails, so the node takes it for an outage.`,
		);
	}
	if (!isFailure(result) || result.cause !== 'refused' || NOT_ABOUT_IDS.test(status)) return asFailure;
	if (result.byGateway === true || result.description.includes(FOREIGN_ADVICE)) return asFailure;
	const words = `Refused with ${status}: ${asSentence(result.message)}`;
	if (status === '403') return untold(words, 'Check with a key that may do this.');
	return /g[ai]ves? no reason$/.test(result.message)
		? differs(words, 'Nobody sees in n8n what is wrong, or whether the service has this path.')
		: fits(words);
}

/** Judges a request with a key that does not exist. */
export function judgeWrongKey(result: Result): Judgement {
	if (statusOf(result) === null) return judgeSuccess(result, () => fits());
	return isFailure(result) && result.statusCode === 401
		? fits(`Refused with 401: ${asSentence(result.message)}`)
		: differs(`Answered ${statusOf(result)}, not 401: nobody sees in n8n that a key is wrong.`);
}

/** Judges the answer of /Me, which tests credentials and ends outages. */
export function judgeMe(result: Result): Judgement {
	if (isFailure(result)) return { ...judgeSuccess(result, () => fits()), verdict: 'differs' };
	return isCaller(result.body)
		? fits('The service accepts the key and describes it.')
		: differs(
				'GET /Me must answer with JSON, an object that describes the key: it shows that the Base URL is right. Without it, an empty answer to a send stays in doubt.',
			);
}

/** Judges the plan in the answer of /Me. */
export function judgePlan({ body }: Reply): Judgement {
	const plan = planOf(body);
	if (plan !== undefined) {
		return fits(`${plan.limit} requests in ${plan.windowMs / 1000} seconds: the node keeps to it.`);
	}
	const meaning = 'The node sends as fast as it can, until the service answers 429.';
	return isPlainObject(valueAt(body, 'resourcePlan') ?? valueAt(body, 'apiKey.resourcePlan'))
		? differs('resourcePlan needs limit and seconds as whole numbers above 0.', meaning)
		: untold('GET /Me has no resourcePlan.', meaning);
}

/** Usual sizes of a page: a list of this length may be the first of several pages. */
const PAGES: ReadonlySet<number> = new Set([20, 25, 50, 100, 200, 250, 500, 1000]);

/** Judges whether a list is whole. */
export function judgeWhole({ body, cut }: Reply): Judgement {
	if (!Array.isArray(body)) return differs('The answer is not a list.');
	if (cut !== undefined) return differs(asSentence(cut), CUT_ADVICE);
	return PAGES.has(body.length)
		? untold(`${body.length} came, a usual size of a page. If there are more, n8n does not see them.`)
		: fits(`${body.length} came, and nothing says that there are more.`);
}

/**
 * Judges the IDs and the fields of the records in a list.
 *
 * @param problemsOf what the schema of the interface says about them
 */
export function judgeRecords(
	{ body }: Reply,
	id: string,
	problemsOf: (list: unknown) => string[],
): Judgement {
	if (!Array.isArray(body) || body.length === 0) return untold('There are none.');
	const nameless = body.filter((record) => !isUuid(valueAt(record, id))).length;
	if (nameless > 0)
		return differs(`${nameless} of ${body.length} have no UUID as ${id}: no menu shows them.`);
	const problems = [...new Set(problemsOf(body).map((problem) => problem.replace(/^\d+\./, '')))];
	return problems.length === 0
		? fits('As in api/openapi.yaml.')
		: differs(`Not as in api/openapi.yaml, and workflows may fail: ${problems.slice(0, 5).join('; ')}.`);
}

/** Judges the second try of a message that was sent. The interface leaves open what a service does with it. */
export function judgeSecond(first: Reply, second: Result): Judgement {
	if (isFailure(second)) return judgeRefusal(second);
	const [sent, again] = [first, second].map(
		({ body }) => textAt(body, 'messageId') || textAt(body, 'content.messageId'),
	);
	if (!sent || !again) return untold('Accepted again: look whether one message arrived or two.');
	return sent === again
		? fits('Answered with the message that was sent first.')
		: fits('Sent twice, which the interface allows. After no answer, look before you send again.');
}
