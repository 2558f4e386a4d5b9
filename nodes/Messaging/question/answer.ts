import type {
	IDataObject,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { type AskedQuestion, askedQuestion } from './asked';
import { Recent } from '../shared/recent';
import { errorText } from '../shared/text';
import { readAnswer, entriesIn } from './entries';
import {
	ANSWERED_BEFORE_PAGE,
	answeredPage,
	FAILED_PAGE,
	LOADS_NOTHING,
	NO_QUESTION_PAGE,
	questionPage,
	TOO_LONG_PAGE,
} from './page/pages';

const WEBHOOK = {
	name: 'default',
	path: '={{ $nodeId }}',
	isFullPath: true,
	restartWebhook: true,
	responseMode: 'onReceived',
	responseData: '',
} as const;

/** The addresses where a waiting execution shows its question and accepts the answer. */
export const answerWebhooks: NonNullable<INodeTypeDescription['webhooks']> = [
	{ ...WEBHOOK, httpMethod: 'GET' },
	{ ...WEBHOOK, httpMethod: 'POST' },
];

/** The editor's text while an execution waits. */
export const waitingTooltip =
	'={{ $parameter["operation"] === "sendAndWait" ? "Execution will continue after the user\'s response" : "" }}';

/** For how long after an answer n8n may still pass on another one, in milliseconds. After that, it refuses it itself. */
const RESUMING_MS = 5_000;

/** When the runs of this process were answered last. */
const answers = new Recent(1000, () => ({ lastAt: -Infinity }));

/**
 * Serves the page of a question and accepts the answer, if it comes as the page's own form sends it. Opening the link,
 * as previews and mail scanners do, changes nothing. Never throws: n8n would treat an error as an answer without fields,
 * and the workflow would continue.
 */
export async function answerQuestion(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return serve(context);
	} catch (error) {
		try {
			context.logger.error(
				`Unified Messaging: the page of a question could not be shown: ${errorText(error)}`,
			);
			return show(context, 500, FAILED_PAGE);
		} catch {
			// The browser may have closed the connection.
			return { noWebhookResponse: true };
		}
	}
}

function serve(context: IWebhookFunctions): IWebhookResponseData {
	const word = wordIn(context.getQueryData() as IDataObject);
	const asked = word === undefined ? undefined : askedQuestion(context, word);
	if (asked === undefined) return show(context, 410, NO_QUESTION_PAGE);
	const { question, run } = asked;
	const now = Date.now();
	// n8n itself waits until the latest limit of all questions, and up to a minute longer.
	if (question.until !== null && now >= question.until) return show(context, 410, NO_QUESTION_PAGE);
	const answer = answers.use(run);
	if (now - answer.lastAt < RESUMING_MS) return show(context, 409, ANSWERED_BEFORE_PAGE);
	if (context.getRequestObject().method !== 'POST') return show(context, 200, questionPage(question));

	// n8n would take JSON and XML as well.
	if (!/^multipart\/form-data\b/i.test(String(context.getHeaderData()['content-type']))) {
		return show(context, 415, questionPage(question));
	}
	const entries = entriesIn(context.getBodyData());
	if (entries === undefined) return show(context, 413, TOO_LONG_PAGE);
	const read = readAnswer(entries, question);
	if ('faults' in read) {
		return show(context, 422, questionPage(question, { entries, faults: read.faults }));
	}
	answer.lastAt = now;
	responseWithHeaders(context);
	// n8n sends this page only to the answer that resumes the execution, even if two arrive at once.
	return {
		webhookResponse: answeredPage(question, read.said),
		workflowData: [[itemOfAnswer(asked, read.data)]],
	};
}

/**
 * The output item of an answer. It carries the number of its item, because n8n would pair it with the first input item.
 */
export function itemOfAnswer(
	{ question, item }: Pick<AskedQuestion, 'question' | 'item'>,
	answer: IDataObject,
): { json: IDataObject; pairedItem: { item: number } } {
	const data = { ...answer, respondedAt: new Date().toISOString() };
	return { json: { data, ...question.beside, item }, pairedItem: { item } };
}

/** The word in a link. Some mail programs write `&amp;` for the `&` before it, or add what stands behind the link. */
function wordIn(query: IDataObject): string | undefined {
	const given = query.question ?? query['amp;question'];
	return typeof given === 'string' ? /^[\da-f]{32}/.exec(given)?.[0] : undefined;
}

/** Sends a page and keeps the execution waiting. */
function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	responseWithHeaders(context).status(status).send(page);
	return { noWebhookResponse: true };
}

/** With n8n's origin and a referrer: else answers have `Origin: null` and no Lax cookies, and a login refuses them. */
function responseWithHeaders(context: IWebhookFunctions): ReturnType<IWebhookFunctions['getResponseObject']> {
	const response = context.getResponseObject();
	response.setHeader('Content-Type', 'text/html; charset=utf-8');
	response.setHeader(
		'Content-Security-Policy',
		`${LOADS_NOTHING}; frame-ancestors 'none'; sandbox allow-forms allow-same-origin`,
	);
	response.setHeader('Cache-Control', 'no-store');
	response.setHeader('Referrer-Policy', 'same-origin');
	response.setHeader('X-Content-Type-Options', 'nosniff');
	response.setHeader('X-Robots-Tag', 'noindex, nofollow');
	return response;
}
