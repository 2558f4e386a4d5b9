import { type IExecuteFunctions, type NodeApiError, NodeOperationError } from 'n8n-workflow';

import { CUT_ADVICE } from '../../service/advice';
import { apiError, type Outcome } from '../../service/endings';
import { quoted } from '../../shared/text';
import type { CallEnvironment } from '../call';
import { type Entry, type Failed, isDone, type Ledger } from '../ledger';

/** How the items of a run ended. The stop error, the hints and the log line are three ways to print it. */
interface Summary extends Readonly<Record<Outcome | 'done', number>> {
	readonly total: number;
	/** Of those done, how many an earlier try of this execution sent. */
	readonly inEarlierTry: number;
	/** Of those done, how many were sent before, according to their once key or the service. */
	readonly before: number;
	/** Whether a new run would send duplicates of items that went out, or may have. */
	readonly sendsDuplicates: boolean;
	/** Whether some items are done or may be, so that the rest must be sent separately. */
	readonly isPart: boolean;
}

/** How an item ended. An item whose call never left counts as not sent. */
function endOf(entry: Entry): Outcome | 'done' {
	return entry.failure?.outcome ?? (isDone(entry) ? 'done' : 'unsent');
}

/** Counts how the items ended. */
function summaryOf({ changes, entries, usesKeys }: Ledger): Summary {
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
	return { ...ends, total, inEarlierTry, before, isPart, sendsDuplicates: isPart && !usesKeys };
}

/**
 * The error that stops a workflow. It holds the failure, how the items ended and what to do next, because n8n drops
 * hints on a throw.
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
		unnotedText(ledger),
		nextText(summary, ledger),
	]
		.filter(Boolean)
		.join(' ');
	const node = context.getNode();
	const error =
		failure.outcome === 'unsent'
			? new NodeOperationError(node, failure.message, { description })
			: apiError(node, { ...failure, description });
	// n8n replaces messages that contain a code such as EPERM, but this is the service's own message.
	error.message = failure.message;
	error.description = description;
	error.context.outcome = failure.outcome;
	if (itemIndex !== undefined) error.context.itemIndex = itemIndex;
	return error;
}

/** The outcome as a sentence, because the editor does not show the error's `outcome`. */
function outcomeText(outcome: Outcome, items: readonly number[]): string {
	if (outcome === 'unknown') return '';
	if (outcome === 'rejected') return 'The service refused it.';
	return items.length === 0 ? 'This run sent nothing.' : 'It was not sent.';
}

/** How the items ended, and which of them the error is about. For a single item, n8n itself names it. */
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
 * @param inDoubt names the items that may have gone out; '' to leave them out
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

/** Counts with their labels, without zeros. */
function listed(counts: ReadonlyArray<readonly [number, string]>): string[] {
	return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number)} ${what}`]));
}

/** How to send the rest once items have gone out, or may have: a new run would send all of them again. */
function nextText(summary: Summary, ledger: Ledger): string {
	// A retry starts an agent anew, and the agent does not know about this call.
	if (!summary.isPart || ledger.situation.isToolCall) return '';
	// The error also shows in the execution that called the sub-workflow: there, "this execution" would be wrong.
	const { isSubWorkflow } = ledger.situation;
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
 * Adds hints about what a finished run's output does not show: failures, retries, waiting.
 *
 * @param waits whether the execution waits for an answer: failed items have no output then
 */
export function addHints(
	context: IExecuteFunctions,
	env: CallEnvironment,
	ledger: Ledger,
	waits: boolean,
): void {
	const add = (type: 'info' | 'warning', message: string): void => {
		if (message !== '') context.addExecutionHints({ type, message, location: 'outputPane' });
	};
	const summary = summaryOf(ledger);
	const { before, done, inEarlierTry, total } = summary;
	const isRepeated = inEarlierTry + before > 0;
	const repeated = isRepeated ? ' What had gone out before was not sent again.' : '';
	const counts = countsText(summary, ledger) + repeated;
	if (waits) add('warning', notAskedText(ledger));
	else if (done < total) add('warning', counts + careText(context, summary));
	add('warning', unnotedText(ledger));
	if (isRepeated && (waits || done === total)) add('info', counts);
	if (waits && total > 1) {
		// n8n pairs the answer with the first item, whichever item it belongs to.
		add(
			'info',
			'The first answer counts. Its field "item" has the number of the item that it belongs to: n8n itself pairs every answer with item 0.',
		);
	}
	for (const cut of env.stats.cuts) add('warning', `${cut}. ${CUT_ADVICE}`);
	add('info', waitedText(env));
}

/** Where to find the failed items, and what not to do. */
function careText(context: IExecuteFunctions, { sendsDuplicates }: Summary): string {
	const isApart = context.getNode().onError === 'continueErrorOutput';
	const where = isApart ? ' See the error output.' : ' See the error field of the items that failed.';
	return sendsDuplicates ? `${where} Don't run the workflow again: it would send duplicates.` : where;
}

/** The items whose question was not asked, although others were: while the node waits, no output shows them. */
function notAskedText(ledger: Ledger): string {
	const missing = itemsEnded(ledger, 'rejected', 'unsent');
	const doubtful = itemsEnded(ledger, 'unknown');
	return [
		...(missing.length > 0 ? [`Nobody was asked for ${namedItems(missing)}.`] : []),
		...(doubtful.length > 0 ? [`Whether the question of ${namedItems(doubtful)} arrived is not known.`] : []),
		...(ledger.first === undefined
			? []
			: [`The first failure: "${ledger.first.failure.message}". The execution waits for an answer.`]),
	].join(' ');
}

/** The most keys or items that a sentence lists. */
const MOST_NAMED = 20;

/** A sentence about keys whose outcome n8n could not record; '' if there are none. */
function unnotedText({ unnoted }: Ledger): string {
	if (unnoted.length === 0) return '';
	const named = unnoted
		.slice(0, MOST_NAMED)
		.map((key) => quoted(key))
		.join(', ');
	const more = unnoted.length > MOST_NAMED ? ` and ${unnoted.length - MOST_NAMED} more` : '';
	return `n8n could not note how these keys ended: ${named}${more}. The output says what became of the items. If they come again they are not sent, and fail as "may have gone out before".`;
}

/** Why calls are held back, as hints and the log say it. */
const REASONS = {
	outage: 'the service was failing',
	pause: 'the service asked to come back later',
	plan: 'the plan of the API key was used up',
};

/** Shorter waits than this, in milliseconds, are not reported. */
const NOTICEABLE_MS = 1000;

/** What the run waited for, if it waited long enough to be noticed. */
function waitedText({ stats: { waitedMs } }: CallEnvironment): string {
	const reasons = (['outage', 'pause', 'plan'] as const).flatMap((why) =>
		waitedMs[why] < NOTICEABLE_MS
			? []
			: [`${REASONS[why]} (up to ${count(Math.ceil(waitedMs[why] / 1000))} seconds)`],
	);
	return reasons.length === 0 ? '' : `Some calls had to wait: ${reasons.join(', ')}.`;
}

function itemsEnded({ entries }: Ledger, ...ends: ReadonlyArray<Outcome | 'done'>): number[] {
	return entries.flatMap((entry, item) => (ends.includes(endOf(entry)) ? [item] : []));
}

/** Items by number, for use in a sentence: "item 3", "items 0, 4 and 17 more". */
function namedItems(items: readonly number[]): string {
	const more = items.length - MOST_NAMED;
	const listed = items.slice(0, MOST_NAMED).join(', ');
	return `${items.length === 1 ? 'item' : 'items'} ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A number with thousands separators, such as 12,340. */
function count(number: number): string {
	return number.toLocaleString('en-US');
}

/** How often a long run logs its progress, in milliseconds. */
const LOG_EVERY_MS = 30_000;

/**
 * Logs the progress of a run every 30 seconds, and what it is waiting for. The lines are for n8n's operator and contain
 * nothing that a user wrote.
 *
 * @param name the run, such as "message send, execution 17"
 * @param write writes a line, such as n8n's logger does
 * @returns a function to call when the run is over
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
			const ended = `${count(done)} of ${count(total)} items done, ${count(failed)} failed`;
			write(`Unified Messaging, ${name}: ${ended}${waitsFor(env)}`);
		}
	};
	void watch();
	return () => over.abort();
}

/** What the run is waiting for, since when, and until when at least. */
function waitsFor({ clock, gate, keepToPlan }: Parameters<typeof logProgress>[0]): string {
	const held = gate.heldBack(keepToPlan);
	if (held === undefined) return '';
	const now = clock.now();
	const timeAt = (moment: number): string => new Date(Date.now() + moment - now).toISOString();
	const since = held.since === undefined ? '' : ` since ${timeAt(held.since)}`;
	const until = held.until > now && held.until < Infinity ? `, at least until ${timeAt(held.until)}` : '';
	return `; waiting${since}${until}: ${REASONS[held.why]}`;
}
