import {
	type IDataObject,
	type IExecuteFunctions,
	type NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { apiError, type Outcome } from '../../service/endings';
import { count, quoted } from '../../shared/text';
import type { Failed, Ledger } from '../ledger';
import { type Counts, countsOf, isSubWorkflow, type Report, reportOn } from './report';
import { stepsFor } from './steps';

/**
 * The error that stops a workflow. It holds the failure, how the items ended and what to do next, because n8n drops
 * hints on a throw.
 */
export function stopError(
	context: IExecuteFunctions,
	failed: Failed,
	ledger: Ledger,
): NodeApiError | NodeOperationError {
	const { failure, items } = failed;
	const { message, outcome, problem, statusCode } = failure;
	const description = linesOf(reportOn(context, ledger, failed, countsOf(ledger)), unnotedText(ledger)).join(
		'\n',
	);
	const node = context.getNode();
	const error =
		outcome === 'unsent'
			? new NodeOperationError(node, message, { description })
			: apiError(node, { message, description, statusCode, problem });
	// n8n replaces messages that contain a code such as EPERM, but this is the service's own message.
	error.message = message;
	error.description = description;
	error.context.outcome = outcome;
	const [itemIndex] = items;
	if (itemIndex !== undefined) error.context.itemIndex = itemIndex;
	return error;
}

/** The error of an item, as its output has it. */
export function itemError(report: Report): IDataObject {
	const { message, statusCode, outcome, problem } = report.failure;
	return { message, description: linesOf(report).join(' '), statusCode, outcome, problem };
}

/** A report for a person: the outcome, how the items ended, what is known of the failure, what to do, and its code. */
function linesOf(report: Report, more = ''): string[] {
	const { counts, failure, items, ledger } = report;
	// If nothing reached the service, the cause is usually the item itself. n8n names it if the workflow stops.
	const item = counts === undefined && failure.outcome === 'unsent' ? `Item ${items.join()}: ` : '';
	return [
		outcomeText(failure.outcome, ledger),
		counts === undefined ? '' : countLine(report, counts),
		...doubtLines(report.inDoubt),
		item + failure.description,
		...numbered(Object.values(stepsFor(report))),
		more,
		// For those who search for it.
		failure.code === undefined ? '' : `(${failure.code})`,
	].filter(Boolean);
}

/** Several steps with their numbers: the editor shows all lines as one paragraph. */
function numbered(steps: readonly string[]): string[] {
	return steps.length < 2 ? [...steps] : ['What to do:', ...steps.map((step, n) => `${n + 1}. ${step}`)];
}

/** The outcome and what it means. The editor shows no `outcome` of an error. */
function outcomeText(outcome: Outcome, { effect }: Ledger): string {
	return `Outcome: ${outcome} (${outcome === 'unknown' ? 'maybe' : 'not'} ${DONE[effect]}).`;
}

/** What a call does to an item, as a participle. */
const DONE = { sends: 'sent', changes: 'done', reads: 'done' } as const;

/** How the items of the run ended, and which of them the error is about. Of a single item, the outcome says it. */
function countLine({ context, inDoubt, items, ledger }: Report, counts: Counts): string {
	const { done, total } = counts;
	const first = items.length === 1 ? 'The first to fail was' : 'This is about';
	const isNamed = inDoubt.some(({ item }) => items.includes(item));
	return [
		...(total > 1 || done > 0 ? [countsText(counts, ledger)] : []),
		...(total > 1 && items.length > 0 && !isNamed ? [`${first} ${namedItems(items)}.`] : []),
		...(ledger.isLaterRun ? ['Earlier batches are done.'] : []),
		...(isSubWorkflow(context) ? ['Other calls of this sub-workflow are not counted.'] : []),
	].join(' ');
}

/** How the items of a run ended, as a sentence. */
export function countsText(counts: Counts, { effect, isLaterRun, usesKeys }: Ledger): string {
	const { before, counted, done, inEarlierTry, rejected, total, unknown, unsent } = counts;
	const were = (number: number): string => `${count(number)} ${number === 1 ? 'was' : 'were'}`;
	const earlier = listed([
		[inEarlierTry, 'in an earlier try'],
		[before, usesKeys ? 'before, under the same key' : 'before'],
		[counted, 'only counted as sent'],
	]);
	const failed = rejected + unsent;
	const parts = [
		`${were(done)} ${DONE[effect]}${earlier}`,
		...(unknown > 0 ? [`${count(unknown)} may have been ${DONE[effect]}`] : []),
		// An item whose turn did not come may have been sent under its key by another execution.
		...(failed > 0
			? [`${were(failed)} not${usesKeys ? ' in this run' : ''}${listed([[rejected, 'refused']])}`]
			: []),
	];
	const items = `${count(total)} ${total === 1 ? 'item' : 'items'}`;
	return `Of ${isLaterRun ? `the ${items} of this batch` : items}, ${parts.join(', ')}.`;
}

/** Counts with their labels in brackets, without zeros. */
function listed(counts: ReadonlyArray<readonly [number, string]>): string {
	const parts = counts.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number)} ${what}`]));
	return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** The most items in doubt that get a line each. */
const MOST_LINES = 5;

/** The items in doubt, each with what identifies its message. */
function doubtLines(inDoubt: Report['inDoubt']): string[] {
	const lines = inDoubt.slice(0, MOST_LINES).map(({ item, packageId, to }) => {
		const known = Object.entries({ to, packageId }).filter(([, value]) => value !== undefined);
		return `item ${item}${known.length === 0 ? '' : ` (${known.map((each) => each.join(' ')).join(', ')})`}`;
	});
	const others = inDoubt.slice(MOST_LINES).map(({ item }) => item);
	if (others.length > 0) lines.push(namedItems(others));
	return lines.map((line, n) => `${n === 0 ? 'In doubt: ' : ''}${line}${n === lines.length - 1 ? '.' : ','}`);
}

/** Items by number, for use in a sentence: "item 3", "items 0, 4 and 17 more". */
export function namedItems(items: readonly number[]): string {
	const more = items.length - MOST_NAMED;
	const named = items.slice(0, MOST_NAMED).join(', ');
	return `${items.length === 1 ? 'item' : 'items'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The most keys or items that a sentence lists. */
const MOST_NAMED = 20;

/** A sentence about keys whose outcome n8n could not record; '' if there are none. */
export function unnotedText({ unnoted }: Ledger): string {
	if (unnoted.length === 0) return '';
	const named = unnoted
		.slice(0, MOST_NAMED)
		.map((key) => quoted(key))
		.join(', ');
	const more = unnoted.length > MOST_NAMED ? ` and ${unnoted.length - MOST_NAMED} more` : '';
	return `n8n could not note how these keys ended: ${named}${more}. The output says what became of the items. If they come again they are not sent, and fail as "may have been sent before".`;
}
