import { randomBytes } from 'node:crypto';

import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
	WAIT_INDEFINITELY,
} from 'n8n-workflow';

import { isReviewer, isTool } from '../agent/caller';
import type { Question } from './question';
import { defined, isPlainObject, without } from '../shared/json';

/** A question that went out, as its page finds it, and its item. */
export interface AskedQuestion {
	readonly question: Question;
	readonly item: number;
	/** The execution, the node that asked it, and its run. Of all questions of a run, the first answer counts. */
	readonly run: string;
}

/** What is kept in the execution's data, and saved while the execution waits. */
interface AskedRecord {
	/** The execution, and the run of the node in it. A question of another run can't be answered in this one. */
	execution: string;
	run: number;
	/** The words in the links, by the keys of the items. Whoever knows the word of a question can answer it. */
	words: { [key: string]: string };
	/** The questions as JSON, by the word in their links. */
	questions: { [word: string]: string };
}

const CONTEXT_KEY = 'unifiedMessagingQuestions';

/**
 * The questions asked by this run of the node. They are kept in the node's context, which n8n saves with the waiting
 * execution, so that the page shows what was asked even if expressions now give something else.
 */
export class Asked {
	/** The questions of this run of the node, earlier tries included. */
	private readonly record: AskedRecord;
	/** The address at which n8n resumes the execution. A newer n8n puts a token into it, and requires that. */
	private readonly resumeUrl: string;

	constructor(private readonly context: IExecuteFunctions) {
		const place = context.getContext('node');
		const execution = context.getExecutionId() ?? '';
		const { $execution, $runIndex } = context.getWorkflowDataProxy(0) as unknown as Expressions;
		this.resumeUrl = $execution.resumeUrl;
		// Only this node writes it.
		const found = place[CONTEXT_KEY] as AskedRecord | undefined;
		const isOurs = found?.execution === execution && found.run === $runIndex;
		this.record = isOurs ? found : { execution, run: $runIndex, words: {}, questions: {} };
		place[CONTEXT_KEY] = this.record;
	}

	/**
	 * The link to an item's question. n8n looks at its token alone, so a proxy may strip a part of the path, and a mail
	 * program add parameters. The word comes last, because some take a full stop behind a link for a part of it.
	 */
	linkTo(key: string): string {
		const { resumeUrl } = this;
		const node = encodeURIComponent(this.context.getNode().id);
		return `${resumeUrl}/${node}${resumeUrl.includes('?') ? '&' : '?'}question=${this.wordOf(key)}`;
	}

	/** Records that the question of an item has gone out, or may have. */
	note(key: string, question: Question, item: number): void {
		const { execution, run } = this.record;
		const asked: AskedQuestion = { question, item, run: `${execution} ${this.context.getNode().id} ${run}` };
		this.record.questions[this.wordOf(key)] = JSON.stringify(asked);
	}

	has(key: string): boolean {
		return Object.hasOwn(this.record.questions, this.wordOf(key));
	}

	get any(): boolean {
		return Object.keys(this.record.questions).length > 0;
	}

	/**
	 * Makes n8n wait for an answer until the last question's time limit. Warns if nobody else can open the links. If n8n has
	 * kept an answer of earlier in the input, there is no limit, because n8n would pass it on as if it were one to this question.
	 *
	 * @param hint called with each warning
	 * @returns what the node gives back meanwhile: its input, with which n8n answers the caller of a webhook
	 */
	async wait(hint: (warning: string) => void): Promise<INodeExecutionData[]> {
		const { context } = this;
		// Also in the log, because nobody looks at the output of a published workflow.
		const warn = (message: string): void => {
			hint(message);
			if (context.getMode() !== 'manual') context.logger.warn(`Unified Messaging: ${message}`);
		};
		const { hostname, origin } = new URL(this.resumeUrl);
		if (isLocal(hostname)) {
			warn(
				`Only this machine can open the link: it begins with ${origin}. To let others answer, set the environment variable N8N_WEBHOOK_URL of n8n to the address at which they reach n8n (WEBHOOK_URL in an older n8n), restart n8n, and ask again.`,
			);
		}
		const ends = Object.values(this.record.questions).map((text) => questionIn(text).question.until);
		const last = ends.reduce<number>((latest, end) => Math.max(latest, end ?? Infinity), 0);
		if (isTool(context)) answerForNobody(context);
		else this.forgetAnswers();
		const input = context.getExecuteData().data.main?.[0] ?? [];
		const isAnswered = input.some(({ json }) => 'approved' in json || withoutAnswer(json).data !== json.data);
		if (isAnswered) warn(STILL_ANSWERED);
		const hasLimit = last !== Infinity && !isAnswered;
		await context.putExecutionToWait(hasLimit ? new Date(last) : WAIT_INDEFINITELY);
		// n8n would repeat the node if an item had an error.
		return input.map(({ binary, json }, item) => ({
			...defined<Pick<INodeExecutionData, 'binary'>>({ binary }),
			json: without(json, 'error'),
			pairedItem: { item },
		}));
	}

	private wordOf(key: string): string {
		return (this.record.words[key] ??= randomBytes(16).toString('hex'));
	}

	/**
	 * Prepares what comes out if nobody answers: n8n then passes the input on. An answer of earlier in it would pass for
	 * one to this question. It is taken out of this node's input alone: the node before shows the same items.
	 */
	private forgetAnswers(): void {
		const { main } = this.context.getExecuteData().data;
		const items = main?.[0]?.map((item) => ({ ...item, json: withoutAnswer(item.json) }));
		if (main !== undefined && items !== undefined) main[0] = items;
	}
}

const STILL_ANSWERED =
	'The input has the answer to an earlier question, and this version of n8n would pass it on as an answer to this one. So the execution waits without a time limit. Put an Edit Fields node before this one that drops approved and data, and look for a newer version of this package.';

/**
 * Prepares what comes out of a tool if nobody answers: n8n then passes the input on, in which an agent would read its own
 * question. Calls that are made at once share the `data` of the agent's input, and n8n passes on the input of all but the
 * first.
 */
function answerForNobody(context: IExecuteFunctions): void {
	const isReview = isReviewer(context);
	for (const item of context.getInputData()) {
		const { data } = item.json;
		item.json = isReview ? { chatInput: NOBODY } : { note: NOBODY };
		if (isReview && isPlainObject(data)) delete data.approved;
	}
}

const NOBODY = 'Nobody answered in time. Do not ask again; tell a person.';

/** An item without what an answer to a question leaves in it, this node's or another one's. */
function withoutAnswer(json: IDataObject): IDataObject {
	const { data } = json;
	const isAnswer = isPlainObject(data) && ('approved' in data || 'respondedAt' in data);
	return isAnswer ? without(json, 'approved', 'data') : without(json, 'approved');
}

/** Whether only the machine itself knows an address. */
function isLocal(host: string): boolean {
	return /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/i.test(host);
}

/** What expressions can use. */
interface Expressions {
	readonly $execution: { readonly resumeUrl: string };
	readonly $runIndex: number;
}

/** A question for its page; `undefined` if this run of the node has not asked it. */
export function askedQuestion(context: IWebhookFunctions, word: string): AskedQuestion | undefined {
	// n8n does not give webhooks the node's context, but expressions can read it.
	const node = inExpression(context.getNode().name);
	const place = `{{ $node[${node}].context[${inExpression(CONTEXT_KEY)}].questions[${inExpression(word)}] }}`;
	const text = context.evaluateExpression(place);
	return typeof text === 'string' ? questionIn(text) : undefined;
}

function questionIn(text: string): AskedQuestion {
	return JSON.parse(text) as AskedQuestion;
}

/** Text as a string in an expression, escaped so that it can't end the expression or become part of it. */
function inExpression(text: string): string {
	return `"${text.replace(/\W/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
