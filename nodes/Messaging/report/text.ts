import { textForModel } from '../agent/text-for-model';
import { DONE } from '../service/api-call';
import { type Failure, tracesOf } from '../service/endings';
import { textAt, valueAt } from '../shared/json';
import { count, cut, named, quoted } from '../shared/text';
import { isDone, type Ledger, type SentIn } from '../delivery/ledger';
import type { Counts, Report, Step } from './report';

/** The most characters of a description, which the editor shows as one paragraph. The guide has the long form. */
const LONGEST = 600;

const GUIDE = 'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/failures.md';

/**
 * Makes the text of an error: its outcome, how the items ended, what happened, what to do, and where to read more. A model
 * reads the message only.
 */
export function textOf(report: Report): Pick<Failure, 'message' | 'description'> {
	const { counts, failure, inDoubt, items, ledger } = report;
	const { message, outcome } = failure;
	if (ledger.isTool) return { message: textForModel(failure, ledger), description: '' };
	// The editor shows no `outcome` of an error.
	const isMaybe = outcome === 'unknown' ? 'maybe' : 'not';
	const begin = [
		`Outcome: ${outcome} (${isMaybe} ${DONE[ledger.effect]}).`,
		...(counts === undefined ? [] : [runText(report, counts), unrecordedText(ledger)]),
	];
	const steps = report.steps.map((step) => STEPS[step](report));
	const end = joined([...steps, `More: ${GUIDE}#${headingFor(report)}`, ...tracesOf(failure)]);
	// If nothing reached the service, the cause is usually the item itself. If the workflow stops, n8n names the item.
	const item = counts === undefined && outcome === 'unsent' ? `Item ${items.join()}: ` : '';
	const what = item + withChannelName(failure.description, report);
	const room = LONGEST - joined([...begin, end]).length;
	const happened = joined([...begin, doubtText(inDoubt, room / 2), what]);
	// What to do is never cut.
	return { message, description: `${cut(happened, LONGEST - end.length - 1)} ${end}` };
}

/** The text with the name of the channel before its ID, if the channel was chosen from the list. */
function withChannelName(text: string, { context }: Report): string {
	const chosen = valueAt(context.getNode(), 'parameters.channelId');
	const [id, name] = [textAt(chosen, 'value'), textAt(chosen, 'cachedResultName')];
	return id && name ? text.replace(id, () => `${quoted(name)} (${id})`) : text;
}

function joined(sentences: readonly string[]): string {
	return sentences.filter(Boolean).join(' ');
}

/** The heading in the guide that has the long form. */
function headingFor({ ledger, steps }: Report): string {
	if (steps.includes('look')) return 'unknown-look-at-the-service-first';
	if (!steps.includes('retry')) return 'what-you-see';
	return ledger.isSubWorkflow ? 'sub-workflows' : 'retry';
}

const STEPS: Readonly<Record<Step, (report: Report) => string>> = {
	look: ({ inDoubt: { length } }) => `Look at the service for ${length === 1 ? 'it' : 'them'}.`,
	decide({ counts, inDoubt: { length } }) {
		// If the run goes on, there is no retry.
		if (counts === undefined)
			return 'If it is not there, send this item through the node again, with When Outcome Is Unknown set to Send Again.';
		const [all, none] = length === 1 ? ['it is', 'if not'] : ['all are', 'if none is'];
		return `Set When Outcome Is Unknown: Count as Sent if ${all} there, Send Again ${none}.`;
	},
	correct: () => "Correct this node's own fields: a retry has the same input.",
	retry({ context, ledger: { isSubWorkflow }, steps }) {
		if (context.getExecutionCancelSignal()?.aborted === true)
			return `The editor can't retry a canceled execution. n8n's API can: \`POST /api/v1/executions/${context.getExecutionId()}/retry\`, \`{"loadWorkflow": true}\`.`;
		const newest = context.getMode() === 'retry' ? ' for this newest one, not the first' : '';
		const where = isSubWorkflow ? 'Executions of the sub-workflow' : `Executions${newest}`;
		const rest = steps.includes('decide') ? '' : ': it does only the rest';
		return `Choose "Retry with currently saved workflow" in ${where}${rest}.`;
	},
	runAgain: ({ ledger }) => `Or run the ${callerOf(ledger)} again: keys keep it from sending twice.`,
	dontRunAgain: ({ ledger }) => dontRunAgain(ledger),
};

function callerOf({ isSubWorkflow }: Ledger): string {
	return isSubWorkflow ? 'calling workflow' : 'workflow';
}

/** Warns of every way to run the node again, if it has no once keys. */
export function dontRunAgain(ledger: Ledger): string {
	const harm = ledger.effect === 'sends' ? 'sends duplicates' : 'does it twice';
	return `Don't run the ${callerOf(ledger)} or a step again: that ${harm}.`;
}

/** How the items of the run ended, and which of them the error is about. Of a single item, the outcome says it. */
function runText({ inDoubt, items, ledger }: Report, counts: Counts): string {
	const isNamed = inDoubt.some(({ item }) => items.includes(item));
	const isOne = counts.total === 1;
	return joined([
		isOne && counts.done === 0 ? '' : countsText(counts, ledger),
		isOne || items.length === 0 || isNamed ? '' : `The first to fail: ${namedItems(items, FEW)}.`,
		ledger.isLaterRun ? 'Earlier batches are done.' : '',
		ledger.isSubWorkflow ? 'Other calls of this sub-workflow are not counted.' : '',
	]);
}

/** How the items of a run ended, as a sentence. */
export function countsText(counts: Counts, ledger: Ledger): string {
	const { effect, isLaterRun, usesKeys } = ledger;
	const { before, counted, done, earlierTry, rejected, total, unknown, unsent } = counts;
	const were = (number: number): string => `${count(number)} ${number === 1 ? 'was' : 'were'}`;
	const listed = (parts: ReadonlyArray<readonly [number, string]>): string => {
		const shown = parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`);
		return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
	};
	const items = `${count(total)} ${total === 1 ? 'item' : 'items'}${isLaterRun ? ' of this batch' : ''}`;
	const failed = rejected + unsent;
	const earlier = listed([
		[earlierTry, 'in an earlier try'],
		[before, usesKeys ? 'before, under their keys' : 'before'],
		[counted, 'only counted as sent'],
	]);
	const parts = [
		`${were(done)} ${DONE[effect]}${earlier}`,
		unknown > 0 && `${count(unknown)} may have been ${DONE[effect]}`,
		// An item whose turn did not come may have been sent under its key by another execution.
		failed > 0 && `${were(failed)} not${usesKeys ? ' in this run' : ''}${listed([[rejected, 'refused']])}`,
	];
	const now = before > 0 && before === total ? `Nothing was ${DONE[effect]} now. ` : '';
	return `${now}Of ${items}, ${parts.filter(Boolean).join(', ')}.`;
}

/** The once keys of the items that were sent then. */
export function keysText({ entries }: Ledger, then: SentIn): string {
	const sent = entries.filter((entry) => entry.sentIn === then && isDone(entry));
	return firstOf([...new Set(sent.map(({ saved }) => named(textAt(saved.json?.[0], 'onceKey'))))]);
}

/** A sentence about the same text that went to the same person several times in this run; '' if none did. */
export function sameText(ledger: Ledger, groups: Iterable<readonly number[]>): string {
	const sent = [...groups].map((items) => items.filter((item) => ledger.isSentNow(item)));
	const twice = sent.flatMap(([one, other]) => (other === undefined ? [] : [`${one} and ${other}`]));
	if (twice.length === 0) return '';
	return `The same text went to the same person more than once: items ${firstOf(twice)}. If that was not meant, put a Remove Duplicates node before this one.`;
}

/** A sentence about keys whose outcome n8n could not record; '' if there are none. */
export function unrecordedText({ unrecorded }: Ledger): string {
	if (unrecorded.length === 0) return '';
	return `n8n could not note how these keys ended: ${firstOf(unrecorded.map((key) => quoted(key)))}. If they come again they are not sent, and fail as "may have been sent before".`;
}

/** The items in doubt, each with what identifies its message. */
export function inDoubtTexts(inDoubt: Report['inDoubt']): string[] {
	return inDoubt.map(({ item, packageId, to }) => {
		const traces = [to && `to ${to}`, packageId && `packageId ${packageId}`].filter(Boolean).join(', ');
		return `item ${item}${traces && ` (${traces})`}`;
	});
}

/** As many of the items in doubt as there is room for, but one at least. The details of the error have all of them. */
function doubtText(inDoubt: Report['inDoubt'], room: number): string {
	if (inDoubt.length === 0) return '';
	const texts = inDoubtTexts(inDoubt);
	let most = Math.min(texts.length, MOST_NAMED);
	while (most > 1 && texts.slice(0, most).join(', ').length > room) most -= 1;
	return `In doubt: ${firstOf(texts, most)}${most < texts.length ? ' (Error details)' : ''}.`;
}

/** The most items that a sentence lists, and how many names are enough as examples. */
const MOST_NAMED = 20;
const FEW = 3;

/** Items by number, for use in a sentence: "item 3", "items 0, 4 and 17 more". */
export function namedItems(items: readonly number[], most = MOST_NAMED): string {
	return `${items.length === 1 ? 'item' : 'items'} ${firstOf(items.map(String), most)}`;
}

/** The first names of a list, and how many more there are. */
function firstOf(names: readonly string[], most = FEW): string {
	const more = names.length - most;
	return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
