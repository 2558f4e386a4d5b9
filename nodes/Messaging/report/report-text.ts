import type { IExecuteFunctions } from 'n8n-workflow';

import { DONE } from '../service/api-call';
import { tracesOf } from '../service/endings';
import { textAt, valueAt } from '../shared/json';
import { count, named, quoted } from '../shared/text';
import { isDone, type Ledger, type SentIn } from '../delivery/ledger';
import { type Counts, type Report, repeats } from './report';

/**
 * A report for a person: the outcome, how the items ended, what is known of the failure, what to do, and its code.
 *
 * @param more a sentence to add after what to do
 */
export function linesOf(report: Report, more = ''): string[] {
	const { counts, failure, inDoubt, items, ledger } = report;
	const { description, outcome } = failure;
	const steps = stepsFor(report);
	// If nothing reached the service, the cause is usually the item itself. n8n names it if the workflow stops.
	const item = counts === undefined && outcome === 'unsent' ? `Item ${items.join()}: ` : '';
	return [
		// The editor shows no `outcome` of an error.
		`Outcome: ${outcome} (${outcome === 'unknown' ? 'maybe' : 'not'} ${DONE[ledger.effect]}).`,
		counts === undefined ? '' : countLine(report, counts),
		doubtText(inDoubt),
		item + withChannelName(description, report),
		// The editor shows all lines as one paragraph.
		...(steps.length < 2 ? steps : ['What to do:', ...steps.map((step, n) => `${n + 1}. ${step}`)]),
		more,
		...tracesOf(failure),
	].filter(Boolean);
}

/** The text with the name of the channel before its ID, if the channel was chosen from the list. */
function withChannelName(text: string, { context }: Report): string {
	const chosen = valueAt(context.getNode(), 'parameters.channelId');
	const [id, name] = [textAt(chosen, 'value'), textAt(chosen, 'cachedResultName')];
	return id && name ? text.replace(id, () => `${quoted(name)} (${id})`) : text;
}

/** How the items of the run ended, and which of them the error is about. Of a single item, the outcome says it. */
function countLine({ inDoubt, items, ledger }: Report, counts: Counts): string {
	const { done, total } = counts;
	const isNamed = inDoubt.some(({ item }) => items.includes(item));
	return [
		total > 1 || done > 0 ? countsText(counts, ledger) : '',
		total > 1 && items.length > 0 && !isNamed ? `The first to fail: ${namedItems(items)}.` : '',
		ledger.isLaterRun ? 'Earlier batches are done.' : '',
		ledger.isSubWorkflow ? 'Other calls of this sub-workflow are not counted.' : '',
	]
		.filter(Boolean)
		.join(' ');
}

/** How the items of a run ended, as a sentence. */
export function countsText(counts: Counts, ledger: Ledger): string {
	const { effect, isLaterRun, usesKeys } = ledger;
	const { before, counted, done, earlierTry, rejected, total, unknown, unsent } = counts;
	const were = (number: number): string => `${count(number)} ${number === 1 ? 'was' : 'were'}`;
	if (before > 0 && before === total) {
		const all = total === 1 ? 'it was' : `all ${count(total)} items were`;
		const keys = usesKeys ? `, as ${firstOf(keysOf(ledger, 'before'), FEW)}` : '';
		// Of what changes something, only what creates has keys.
		const isCreated = usesKeys && effect === 'changes';
		return `Nothing was ${DONE[effect]} now: ${all} ${isCreated ? 'created' : DONE[effect]} before${keys}.`;
	}
	const failed = rejected + unsent;
	const earlier = listed([
		[earlierTry, 'in an earlier try'],
		[before, usesKeys ? `before, as ${firstOf(keysOf(ledger, 'before'), FEW)}` : 'before'],
		[counted, 'only counted as sent'],
	]);
	// An item whose turn did not come may have been sent under its key by another execution.
	const not = `not${usesKeys ? ' in this run' : ''}${listed([[rejected, 'refused']])}`;
	const items = `${count(total)} ${total === 1 ? 'item' : 'items'}`;
	return [
		`Of ${isLaterRun ? `the ${items} of this batch` : items}`,
		`${were(done)} ${DONE[effect]}${earlier}`,
		...(unknown > 0 ? [`${count(unknown)} may have been ${DONE[effect]}`] : []),
		...(failed > 0 ? [`${were(failed)} ${not}`] : []),
	]
		.join(', ')
		.concat('.');
}

/** What a test in the editor means for the published workflow, which has the same keys. */
export function testedText(ledger: Ledger): string {
	const keys = keysOf(ledger, 'thisTry');
	const again = `The published workflow will not ${ledger.effect === 'sends' ? 'send' : 'do'} ${keys.length === 1 ? 'it' : 'them'} again.`;
	return `This test counts as ${DONE[ledger.effect]}: ${firstOf(keys)}. ${again}`;
}

/** The once keys of the items that were sent in this run, or before. */
function keysOf({ entries }: Ledger, wanted: SentIn): string[] {
	const sent = entries.filter((entry) => entry.sentIn === wanted && isDone(entry));
	const keys = sent.map(({ saved }) => textAt(saved.json?.[0], 'onceKey'));
	return [...new Set(keys)].map((key) => named(key));
}

/** Counts with their labels in brackets, without zeros. */
function listed(counts: ReadonlyArray<readonly [number, string]>): string {
	const parts = counts.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number)} ${what}`]));
	return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** A sentence about the same text that went to the same person several times in this run; '' if none did. */
export function sameText(ledger: Ledger, groups: Iterable<readonly number[]>): string {
	const twice = [...groups].flatMap((items) => {
		const [one, other] = items.filter((item) => ledger.isSentNow(item));
		return other === undefined ? [] : [`${one} and ${other}`];
	});
	return twice.length === 0
		? ''
		: `The same text went to the same person more than once: items ${firstOf(twice, FEW)}. If that was not meant, put a Remove Duplicates node before this one.`;
}

/** The items in doubt, each with what identifies its message. */
function doubtText(inDoubt: Report['inDoubt']): string {
	if (inDoubt.length === 0) return '';
	const items = inDoubt.map(({ item, packageId, to }) => {
		const traces = [to && `to ${to}`, packageId && `packageId ${packageId}`].filter(Boolean).join(', ');
		return `item ${item}${traces && ` (${traces})`}`;
	});
	return `In doubt: ${firstOf(items)}.`;
}

/** The most keys or items that a sentence lists, and how many are enough as examples. */
const MOST_NAMED = 20;
const FEW = 3;

/** Items by number, for use in a sentence: "item 3", "items 0, 4 and 17 more". */
export function namedItems(items: readonly number[]): string {
	return `${items.length === 1 ? 'item' : 'items'} ${firstOf(items.map(String))}`;
}

/** A sentence about keys whose outcome n8n could not record; '' if there are none. */
export function unrecordedText({ unrecorded }: Ledger): string {
	const named = firstOf(unrecorded.map((key) => quoted(key)));
	return unrecorded.length === 0
		? ''
		: `n8n could not note how these keys ended: ${named}. The output says what became of the items. If they come again they are not sent, and fail as "may have been sent before".`;
}

function firstOf(names: readonly string[], most = MOST_NAMED): string {
	const more = names.length - most;
	return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a person has to do about a failure, in this order. */
function stepsFor({ context, counts, failure, inDoubt, ledger }: Report): string[] {
	const { byGateway = false, cause, statusCode } = failure;
	const { effect, isOnceOnly, usesKeys } = ledger;
	const hasDoubt = inDoubt.length > 0;
	// n8n offers no retry if the run goes on.
	const mayRetry = counts !== undefined && repeats(ledger, counts);
	const isAboutValue = cause === 'invalid' || (cause === 'refused' && statusCode !== 401 && !byGateway);
	return [
		hasDoubt && effect !== 'reads' && lookText(inDoubt),
		hasDoubt && isOnceOnly && decideText(inDoubt, counts === undefined),
		mayRetry && isAboutValue && CORRECT,
		mayRetry && retryText(context, ledger),
		mayRetry && usesKeys && runAgainText(ledger),
		mayRetry && isOnceOnly && !usesKeys && dontRunAgain(ledger),
	].filter((step) => typeof step === 'string');
}

const CORRECT = "Correct a wrong value in this node's own fields: a retry has the same input.";

function lookText([first, second]: Report['inDoubt']): string {
	const how = first?.packageId === undefined ? '' : ', by packageId';
	return `Look at the service whether ${second === undefined ? 'it is' : 'they are'} there${how}.`;
}

/** How to tell the node which of several are missing. */
const IF_SOME =
	'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/failures.md#unknown-look-at-the-service-first';

/** What to do once the outcome is found out; `goesOn`: the run does, so there is no retry. */
function decideText([, second]: Report['inDoubt'], goesOn: boolean): string {
	if (goesOn) {
		return 'If it is not there, send this item through the node again, with When Outcome Is Unknown set to Send Again. If it is, there is nothing to do.';
	}
	if (second === undefined)
		return 'Set the option When Outcome Is Unknown: Count as Sent if it is there, Send Again if not.';
	return `Set the option When Outcome Is Unknown: Count as Sent if all are there, Send Again if none is. If only some are there: ${IF_SOME}`;
}

function retryText(context: IExecuteFunctions, { effect, isSubWorkflow }: Ledger): string {
	const rest = effect === 'sends' ? 'It sends only what was not sent.' : 'It does only what was not done.';
	if (context.getExecutionCancelSignal()?.aborted === true) {
		return `Retry with n8n's API, because its editor can't retry a canceled execution: \`POST /api/v1/executions/${context.getExecutionId()}/retry\` with \`{"loadWorkflow": true}\`. ${rest}`;
	}
	const isRetry = context.getMode() === 'retry';
	const [where, which] = isSubWorkflow
		? ['Executions of the sub-workflow', 'the failed one']
		: ['Executions', isRetry ? 'this newest one, not the first one' : 'this one'];
	return `In ${where}, pick ${which}, click the arrow and choose "Retry with currently saved workflow". ${rest}`;
}

function runAgainText({ isSubWorkflow }: Ledger): string {
	return `Or run the ${isSubWorkflow ? 'calling workflow' : 'workflow'} again: what was sent under its key is not sent again.`;
}

/** Warns of every way to run the node again, if it has no once keys. */
export function dontRunAgain({ effect, isSubWorkflow }: Ledger): string {
	const harm = effect === 'sends' ? 'send duplicates' : 'do it twice';
	return isSubWorkflow
		? `The calling workflow does not go on: send its other items in another run. Don't run or retry all of it: that would ${harm}.`
		: `Don't run the workflow again, nor Execute step (here or on a later node), nor Debug in editor: that would ${harm}.`;
}
