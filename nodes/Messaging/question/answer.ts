import { timingSafeEqual } from 'node:crypto';

import type {
	IDataObject,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { type AskedQuestion, askedQuestion, linkTo } from './asked';
import { said } from '../shared/text';
import { answerIn, entriesIn } from './entries';
import {
	answeredPage,
	changedLinkPage,
	failedPage,
	LOADS_NOTHING,
	overPage,
	questionPage,
} from './page/pages';

const PAGE = {
	name: 'default',
	path: '={{ $nodeId }}',
	isFullPath: true,
	restartWebhook: true,
	responseMode: 'onReceived',
	responseData: '',
} as const;

/** Where an execution that waits shows the page of its question, and takes the answer. */
export const answerWebhooks: NonNullable<INodeTypeDescription['webhooks']> = [
	{ ...PAGE, httpMethod: 'GET' },
	{ ...PAGE, httpMethod: 'POST' },
];

/** What the editor says while an execution waits. */
export const waitingTooltip =
	'={{ $parameter["operation"] === "sendAndWait" ? "Execution will continue after the user\'s response" : "" }}';

/**
 * Serves the page of a question, and takes the answer. Only what the page's own form sends answers: whoever follows a
 * link, as previews and mail scanners do, gets the page and changes nothing. Never throws: n8n would take that for an
 * answer without fields, and the workflow would go on, whoever had opened the link.
 */
export async function answerQuestion(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return serve(context);
	} catch (error) {
		return showFailure(context, error);
	}
}

/** The execution goes on waiting, even if whoever asked has gone and gets nothing any more. */
function showFailure(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	try {
		const words = error instanceof Error ? error.message : String(error);
		context.logger.error(`Unified Messaging: the page of a question could not be shown: ${said(words)}`);
		return show(context, 500, failedPage());
	} catch {
		return { noWebhookResponse: true };
	}
}

function serve(context: IWebhookFunctions): IWebhookResponseData {
	const query = context.getQueryData() as IDataObject;
	const { question: word } = query;
	// n8n checks the link as well; versions before it did leave it to the node.
	if (typeof word !== 'string' || !isAsSent(query, linkTo(context, word))) {
		return show(context, 403, changedLinkPage());
	}
	const asked = askedQuestion(context, word);
	if (asked === undefined) return show(context, 410, overPage());
	const { question } = asked;
	if (context.getRequestObject().method !== 'POST') return show(context, 200, questionPage(question));

	const entries = entriesIn(context.getBodyData());
	const answer = answerIn(entries, question);
	if ('faults' in answer) {
		return show(context, 422, questionPage(question, { entries, faults: answer.faults }));
	}
	prepare(context);
	// n8n sends the page once the execution is its own to resume: of two answers at once, one gets it.
	return {
		webhookResponse: answeredPage(question, answer.said),
		workflowData: [[itemOfAnswer(asked, answer.data)]],
	};
}

/**
 * The output item of an answer. n8n pairs what a webhook gives by its place, which is the first whoever answers: the
 * number of the item that the answer belongs to goes along.
 */
export function itemOfAnswer(
	{ question, item }: AskedQuestion,
	answer: IDataObject,
): { json: IDataObject; pairedItem: { item: number } } {
	const data = { ...answer, respondedAt: new Date().toISOString() };
	return { json: { data, ...question.beside, item }, pairedItem: { item } };
}

/** Whether every part of a link that n8n signs is as it was sent, the signature included. */
function isAsSent(query: IDataObject, link: string): boolean {
	return [...new URL(link).searchParams].every(([name, expected]) => {
		const given = query[name];
		if (typeof given !== 'string') return false;
		const [one, other] = [Buffer.from(given), Buffer.from(expected)];
		return one.length === other.length && timingSafeEqual(one, other);
	});
}

/** Sends a page that is no answer: the execution goes on waiting. */
function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	prepare(context).status(status).send(page);
	return { noWebhookResponse: true };
}

/** What goes along with every page. */
function prepare(context: IWebhookFunctions): ReturnType<IWebhookFunctions['getResponseObject']> {
	const response = context.getResponseObject();
	response.setHeader('Content-Type', 'text/html; charset=utf-8');
	response.setHeader(
		'Content-Security-Policy',
		`${LOADS_NOTHING}; frame-ancestors 'none'; sandbox allow-forms`,
	);
	response.setHeader('Cache-Control', 'no-store');
	response.setHeader('Referrer-Policy', 'no-referrer');
	response.setHeader('X-Content-Type-Options', 'nosniff');
	response.setHeader('X-Robots-Tag', 'noindex, nofollow');
	return response;
}
