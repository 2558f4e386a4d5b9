import {
	type IExecuteFunctions,
	type IWebhookFunctions,
	type NodeExecutionHint,
	WAIT_INDEFINITELY,
} from 'n8n-workflow';

import type { Question } from './question';
import { isPlainObject, parseJson, valueAt } from '../shared/json';

/** A question that went out, and the item that it is about. */
export interface AskedQuestion {
	readonly question: Question;
	readonly item: number;
}

/** What stands in the execution's data, and is saved with an execution that waits. */
interface AskedRecord {
	/** The execution and the run of the node in it: what another one asked, nobody can answer in this one. */
	execution: string;
	run: number;
	/** The questions as JSON, by the word that stands in their links. */
	questions: { [word: string]: string };
}

const PLACE = 'unifiedMessagingQuestions';

/**
 * The questions that this run of the node has asked. They live in the node's context: n8n saves it with the execution
 * that waits, so that the page shows what was asked, whatever has become of expressions meanwhile.
 */
export class Asked {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly record: AskedRecord,
	) {}

	/** What was asked by this run of the node: by an earlier try of it, too. */
	static open(context: IExecuteFunctions): Asked {
		const place = context.getContext('node');
		const execution = context.getExecutionId() ?? '';
		const run = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		const found = place[PLACE];
		const record =
			isRecord(found) && found.execution === execution && found.run === run
				? found
				: { execution, run, questions: {} };
		place[PLACE] = record;
		return new Asked(context, record);
	}

	/**
	 * The link on which a question is answered. n8n signs all of it, and takes it for this execution only.
	 *
	 * @param word names the question in this run of this execution; no secret
	 */
	linkTo(word: string): string {
		return linkTo(this.context, word);
	}

	/** Notes that a question has gone out, or may have. */
	note(word: string, asked: AskedQuestion): void {
		this.record.questions[word] = JSON.stringify(asked);
	}

	/** Whether this question was asked by this run. */
	has(word: string): boolean {
		return Object.hasOwn(this.record.questions, word);
	}

	/** Whether anybody was asked. */
	get any(): boolean {
		return Object.keys(this.record.questions).length > 0;
	}

	/** Has n8n wait for an answer, until the last of the questions has lost its time. A hint says where none can come. */
	async wait(): Promise<void> {
		const { $execution } = this.context.getWorkflowDataProxy(0);
		const hint = pathHint(valueAt($execution, 'resumeUrl'), valueAt($execution, 'resumeFormUrl'));
		if (hint !== undefined) this.context.addExecutionHints(hint);
		const ends = Object.values(this.record.questions).map((text) => read(text)?.question.until ?? null);
		const last = ends.reduce<number | null>(
			(latest, end) => (latest === null || end === null ? null : Math.max(latest, end)),
			0,
		);
		await this.context.putExecutionToWait(last === null ? WAIT_INDEFINITELY : new Date(last));
	}
}

/**
 * A hint where n8n signs another path than it checks. Behind a proxy that strips a path prefix n8n signs links with the
 * prefix, but gets, and checks, them without it: it refuses every answer.
 *
 * @param resumeUrl n8n's address for answers
 * @param formUrl its address for forms: the path that both begin with is the prefix, whatever n8n's own parts are called
 */
export function pathHint(resumeUrl: unknown, formUrl: unknown): NodeExecutionHint | undefined {
	const prefix = sharedPath(resumeUrl, formUrl);
	if (prefix === '') return undefined;
	return {
		type: 'warning',
		location: 'outputPane',
		message: `n8n refuses every answer if a proxy strips ${prefix} from the links: n8n signs them with this path of its address (WEBHOOK_URL), and checks them without it. Have the proxy forward /webhook-waiting/ of the host itself to n8n, and set WEBHOOK_URL to the address without the path.`,
	};
}

/** The folders that the paths of two addresses begin with, such as /n8n; '' for none. */
function sharedPath(one: unknown, other: unknown): string {
	if (!URL.canParse(String(one)) || !URL.canParse(String(other))) return '';
	const [folders, others] = [foldersOf(String(one)), foldersOf(String(other))];
	const end = folders.findIndex((folder, depth) => folder !== others[depth]);
	return folders.slice(0, Math.max(end, 0)).join('/');
}

function foldersOf(url: string): string[] {
	return new URL(url).pathname.split('/');
}

/** A question as the page finds it; undefined when this run of the node has not asked it. */
export function askedQuestion(context: IWebhookFunctions, word: string): AskedQuestion | undefined {
	// Webhooks get no context of the node: n8n gives it to expressions only.
	const node = inExpression(context.getNode().name);
	const place = `{{ $node[${node}].context[${inExpression(PLACE)}].questions[${inExpression(word)}] }}`;
	const text = context.evaluateExpression(place);
	return typeof text === 'string' ? read(text) : undefined;
}

/** Whether n8n signs links, on which alone a question can be answered; an older one does not. */
export function canAsk(context: IExecuteFunctions): boolean {
	const { getSignedResumeUrl }: Partial<Pick<IExecuteFunctions, 'getSignedResumeUrl'>> = context;
	return getSignedResumeUrl !== undefined;
}

/** The link of a question; the same for the webhook that it leads to. */
export function linkTo(
	context: Pick<IExecuteFunctions | IWebhookFunctions, 'getSignedResumeUrl'>,
	word: string,
): string {
	return context.getSignedResumeUrl({ question: word });
}

function read(text: string): AskedQuestion | undefined {
	// What stands there was written above, in this execution.
	const value = parseJson(text)?.value;
	return isPlainObject(value) ? (value as unknown as AskedQuestion) : undefined;
}

function isRecord(found: unknown): found is AskedRecord {
	return isPlainObject(found) && isPlainObject(found.questions);
}

/** Text as an expression writes it: nothing in it can end the expression, or be taken for a part of it. */
function inExpression(text: string): string {
	const units = [...text].flatMap((character) => character.split(''));
	return `"${units.map((unit) => (/\w/.test(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}"`;
}
