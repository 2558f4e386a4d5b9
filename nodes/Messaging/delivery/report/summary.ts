import {
	type IExecuteFunctions,
	NodeApiError,
	type NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';

import type { Outcome } from '../../service/endings';
import { defined } from '../../shared/json';
import { quoted } from '../../shared/text';
import type { CallEnvironment } from '../call';
import { type Entry, type Failed, isDone, type Ledger } from '../ledger';

/** How the items of a run ended. The stop error, the hints and the log line are three ways of printing it. */
interface Summary extends Readonly<Record<Outcome | 'done', number>> {
	readonly total: number;
	/** Of those done: how many an earlier try of this execution had sent. */
	readonly inEarlierTry: number;
	/** Of those done: how many had been sent before, under their once key or as the service says. */
	readonly before: number;
	/** Whether a new run would send duplicates of what has gone out, or may have. */
	readonly sendsDuplicates: boolean;
	/** Whether a part of the work is done, or may be, so that the rest has to be sent by itself. */
	readonly isPart: boolean;
	/** Once keys that n8n could not note. */
	readonly unnoted: readonly string[];
}

/** How an item ended. An item whose call never left was not sent. */
function endOf(entry: Entry): Outcome | 'done' {
	return entry.failure?.outcome ?? (isDone(entry) ? 'done' : 'unsent');
}

/** Counts how the items ended. */
function summaryOf({ changes, entries, unnoted, usesKeys }: Ledger): Summary {
	const ends = { done: 0, rejected: 0, unsent: 0, unknown: 0 };
	let [inEarlierTry, before] = [0, 0];
	for (const entry of entries) {
		const end = endOf(entry);
		ends[end] += 1;
		if (end === 'done' && entry.when === 'inEarlierTry') inEarlierTry += 1;
		if (end === 'done' && entry.when === 'before') before += 1;
	}
	const total = entries.length;
	const isPart = changes && total > 1 && ends.done + ends.unknown > 0;
	return { ...ends, total, inEarlierTry, before, isPart, sendsDuplicates: isPart && !usesKeys, unnoted };
}

/**
 * The error that stops a workflow. It has to say everything, because n8n drops hints on a throw: what is known of the
 * failure, how the items ended, what to do next.
 */
export function stopError(
	context: IExecuteFunctions,
	{ failure, items }: Failed,
	ledger: Ledger,
): NodeApiError | NodeOperationError {
	const summary = summaryOf(ledger);
	const [itemIndex] = items;
	const description = [
		outcomeText(failure.outcome, items),
		failure.description,
		errorCounts(summary, ledger, items),
		unnotedText(summary),
		nextText(context, summary, ledger),
	]
		.filter(Boolean)
		.join(' ');
	const options = {
		message: failure.message,
		description,
		...defined<{ itemIndex?: number }>({ itemIndex }),
	};
	const httpCode = failure.statusCode === null ? undefined : String(failure.statusCode);
	const error =
		failure.outcome === 'unsent'
			? new NodeOperationError(context.getNode(), failure.message, options)
			: // Given the message and the code, n8n does not search the problem for them: that takes seconds with a long one.
				new NodeApiError(
					context.getNode(),
					{},
					{ ...options, ...defined<{ httpCode?: string }>({ httpCode }) },
				);
	// n8n replaces a message in which it finds a code such as EPERM, but these are the service's words.
	error.message = failure.message;
	error.description = description;
	error.context.outcome = failure.outcome;
	if (failure.problem !== null) error.context.data = failure.problem;
	return error;
}

/** The outcome as a sentence: the editor shows no field of the error beside it. */
function outcomeText(outcome: Outcome, items: readonly number[]): string {
	if (outcome === 'unknown') return '';
	if (outcome === 'rejected') return 'The service refused it.';
	return items.length === 0 ? 'This run sent nothing.' : 'It was not sent.';
}

/** How the items ended, and which of them the error is about. Of one item, n8n says which one it is. */
function errorCounts(summary: Summary, ledger: Ledger, about: readonly number[]): string {
	if (summary.total === 1 && summary.inEarlierTry === 0) return '';
	const unclear = itemsEnded(ledger, 'unknown');
	const others = unclear.every((item) => about.includes(item)) ? '' : ` (${namedItems(unclear)})`;
	const counts = countsText(summary, ledger, others);
	if (about.length === 0) return counts;
	const named = namedItems(about);
	return `${counts} ${about.length === 1 ? `The first to fail was ${named}` : `This is about ${named}`}.`;
}

/**
 * How the items ended, as a sentence.
 *
 * @param inDoubt names those that may have gone out, where that is wanted
 */
function countsText(summary: Summary, { usesKeys }: Ledger, inDoubt = ''): string {
	const { before, done, inEarlierTry, rejected, total, unknown, unsent } = summary;
	const earlier = listed([
		[inEarlierTry, 'of them in an earlier try'],
		[before, `of them before${usesKeys ? ', under the same key' : ''}`],
	]).join('; ');
	const others = listed([
		[unknown, `may have gone out${inDoubt}`],
		[rejected, rejected === 1 ? 'was refused' : 'were refused'],
		// An item whose turn did not come may have been sent under its key by another execution.
		[unsent, `${unsent === 1 ? 'was' : 'were'} not sent${usesKeys ? ' in this run' : ''}`],
	]);
	const sent = `${count(done)} went out${earlier === '' ? '' : ` (${earlier})`}`;
	return `Of ${count(total)} ${total === 1 ? 'item' : 'items'}, ${[sent, ...others].join(', ')}.`;
}

/** Numbers with what they count, without those that are 0. */
function listed(counts: ReadonlyArray<readonly [number, string]>): string[] {
	return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number)} ${what}`]));
}

/** How to send the rest once something has gone out, or may have: a new run would send all of it again. */
function nextText(context: IExecuteFunctions, summary: Summary, ledger: Ledger): string {
	// A retry starts an agent anew, and the agent knows nothing of this call.
	if (!summary.isPart || ledger.situation.isToolCall) return '';
	// The error is also shown where the sub-workflow was called: "this execution" would be that one.
	const isSubWorkflow = context.getMode() === 'integrated';
	const pick = isSubWorkflow
		? 'open Executions of the sub-workflow in which this failed, pick its execution'
		: 'open Executions, pick this execution';
	const retry = `To send only the rest, ${pick}, and choose "Retry with currently saved workflow". It starts at this node with the same input: correct a wrong value here, in this node's own fields.`;
	if (!summary.sendsDuplicates) return retry;
	return isSubWorkflow
		? `${retry} Don't run it again, and don't retry the workflow that called it: both would send duplicates.`
		: `${retry} Don't run the workflow again: it would send duplicates.`;
}

/**
 * Tells the user of a finished run what its output does not show: failures, repetitions, waiting.
 *
 * @param waits whether the execution waits for an answer: the items that failed have no output then
 */
export function addHints(
	context: IExecuteFunctions,
	env: CallEnvironment,
	ledger: Ledger,
	waits: boolean,
): void {
	const summary = summaryOf(ledger);
	const { before, done, inEarlierTry, total } = summary;
	const isRepeated = inEarlierTry + before > 0;
	const counts = isRepeated
		? `${countsText(summary, ledger)} What had gone out before was not sent again.`
		: countsText(summary, ledger);
	const hints = [
		hint(
			'warning',
			waits ? notAskedText(ledger, summary) : done < total ? counts + careText(context, summary) : '',
		),
		hint('warning', unnotedText(summary)),
		hint('info', isRepeated && (waits || done === total) ? counts : ''),
		// n8n pairs the answer with the first item, whichever it belongs to.
		hint(
			'info',
			waits && total > 1
				? 'The first answer counts. Its field "item" has the number of the item that it belongs to: n8n itself pairs every answer with item 0.'
				: '',
		),
		hint('info', waitedText(env)),
	].filter((each) => each !== undefined);
	if (hints.length > 0) context.addExecutionHints(...hints);
}

/** Where to look for the items that failed, and what not to do. */
function careText(context: IExecuteFunctions, { sendsDuplicates }: Summary): string {
	const isApart = context.getNode().onError === 'continueErrorOutput';
	const where = isApart ? ' See the error output.' : ' See the error field of the items that failed.';
	return sendsDuplicates ? `${where} Don't run the workflow again: it would send duplicates.` : where;
}

/** The items whose question was not asked, when others were. */
function notAskedText(ledger: Ledger, { done, total }: Summary): string {
	const missing = itemsEnded(ledger, 'rejected', 'unsent');
	const doubtful = itemsEnded(ledger, 'unknown');
	if (missing.length + doubtful.length === 0) return '';
	const { first } = ledger;
	return [
		...(missing.length > 0 ? [`Nobody was asked for ${namedItems(missing)}.`] : []),
		...(doubtful.length > 0 ? [`Whether the question of ${namedItems(doubtful)} arrived is not known.`] : []),
		...(first === undefined ? [] : [`The first failure: "${first.failure.message}".`]),
		...(done + doubtful.length < total ? ['The execution waits for an answer of the others.'] : []),
	].join(' ');
}

/** The most keys and items that a sentence names. */
const MOST_NAMED = 20;

/** What to know of keys of which n8n did not note how they ended; '' when there are none. */
function unnotedText({ unnoted }: Summary): string {
	if (unnoted.length === 0) return '';
	const named = unnoted
		.slice(0, MOST_NAMED)
		.map((key) => quoted(key))
		.join(', ');
	const more = unnoted.length > MOST_NAMED ? ` and ${unnoted.length - MOST_NAMED} more` : '';
	return `n8n could not note how these keys ended: ${named}${more}. The output says what became of the items. If they come again they are not sent, and fail as "may have gone out before".`;
}

/** Waiting for less than this, in milliseconds, is no news. */
const NOTICEABLE_MS = 1000;

/** What the run waited for, if it waited long enough to be noticed. */
function waitedText({ gate, stats }: CallEnvironment): string {
	const { outage, pause, plan } = stats.waitedMs;
	if (outage >= NOTICEABLE_MS) {
		return `The service was failing for a while. The run held calls back meanwhile, each for up to ${count(Math.ceil(outage / 1000))} seconds.`;
	}
	if (pause >= NOTICEABLE_MS) {
		return 'The service asked to come back later. The run waited and went on at the pace that the service allows.';
	}
	const { knownPlan } = gate;
	if (plan < NOTICEABLE_MS || knownPlan === undefined) return '';
	return `The run kept to the plan of the API key: ${count(knownPlan.limit)} requests in ${count(knownPlan.windowMs / 1000)} seconds.`;
}

function hint(type: 'info' | 'warning', message: string): NodeExecutionHint | undefined {
	return message === '' ? undefined : { type, message, location: 'outputPane' };
}

function itemsEnded({ entries }: Ledger, ...ends: ReadonlyArray<Outcome | 'done'>): number[] {
	return entries.flatMap((entry, item) => (ends.includes(endOf(entry)) ? [item] : []));
}

/** Items by their numbers, as a part of a sentence: "item 3", "items 0, 4 and 17 more". */
function namedItems(items: readonly number[]): string {
	const more = items.length - MOST_NAMED;
	const listed = items.slice(0, MOST_NAMED).join(', ');
	return `${items.length === 1 ? 'item' : 'items'} ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A number as people read it, such as 12,340. */
function count(number: number): string {
	return number.toLocaleString('en-US');
}

/** How often a long run writes into n8n's log how far it is, in milliseconds. */
const LOG_EVERY_MS = 30_000;

/**
 * Writes a line every 30 seconds while a run lasts, for those who run n8n: how far it is, and what it waits for. It holds
 * nothing that a user wrote.
 *
 * @param name names the run, such as "message send, execution 17"
 * @param write writes a line, such as that of n8n's logger
 * @returns must be called when the run is over
 */
export function logProgress(
	env: Pick<CallEnvironment, 'clock' | 'gate' | 'keepToPlan'>,
	ledger: Ledger,
	name: string,
	write: (line: string) => void,
): () => void {
	const over = new AbortController();
	const watch = async (): Promise<void> => {
		for (;;) {
			await env.clock.sleep(LOG_EVERY_MS, over.signal);
			if (over.signal.aborted) return;
			const { done, total } = summaryOf(ledger);
			const failed = ledger.entries.filter(({ failure }) => failure !== undefined).length;
			try {
				write(
					`Unified Messaging, ${name}: ${count(done)} of ${count(total)} items done, ${count(failed)} failed${waitsFor(env)}`,
				);
			} catch {
				// A log that is full or gone is no reason to fail a run.
			}
		}
	};
	void watch();
	return () => over.abort();
}

const REASONS = {
	plan: 'the plan of the API key is used up for now',
	pause: 'the service asked to come back later',
	outage: 'the service is failing',
};

/** What keeps the run from going on now, since when, and until when at the least. */
function waitsFor({ clock, gate, keepToPlan }: Parameters<typeof logProgress>[0]): string {
	const held = gate.heldBack(keepToPlan);
	if (held === undefined) return '';
	const now = clock.now();
	const timeAt = (moment: number): string => new Date(Date.now() + moment - now).toISOString();
	const since = held.since === undefined ? '' : ` since ${timeAt(held.since)}`;
	const until = held.until > now && held.until < Infinity ? `, at least until ${timeAt(held.until)}` : '';
	return `; waiting${since}${until}: ${REASONS[held.why]}`;
}
