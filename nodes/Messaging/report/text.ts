import { textForModel } from '../agent/text-for-model';
import { DONE } from '../service/api-call';
import { type Failure, tracesOf } from '../service/endings';
import { textAt } from '../shared/json';
import { count, cut, named, quoted } from '../shared/text';
import { isDone, type Ledger, type SentIn } from '../delivery/ledger';
import { type Counts, repeats, type Report } from './report';

const GUIDE = 'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/failures.md';

/**
 * Makes the text of an error: its outcome, how the items ended, what happened, what to do, and where to read more. A model
 * reads the message only.
 */
export function textOf(report: Report): Pick<Failure, 'message' | 'description'> {
	const { counts, failure, inDoubt, items, ledger } = report;
	const { message, outcome } = failure;
	if (ledger.isTool) return { message: textForModel(failure, ledger), description: '' };
	const sentences = [
		// The editor shows no `outcome` of an error.
		`Outcome: ${outcome} (${outcome === 'unknown' ? 'maybe' : 'not'} ${DONE[ledger.effect]}).`,
		counts === undefined ? '' : countsText(counts, ledger),
		counts === undefined ? '' : unrecordedText(ledger),
		inDoubt.length === 0 ? '' : `In doubt: ${firstOf(inDoubtTexts(inDoubt))}.`,
		cut(`Item ${items.join()}: ${failure.description}`, 300),
		inDoubt.length > 0 && ledger.effect !== 'reads' ? LOOK : '',
		counts !== undefined && repeats(ledger, counts) ? RETRY : '',
		counts !== undefined && repeats(ledger, counts) && !ledger.isRepeatSafe && !ledger.usesKeys
			? dontRunAgain(ledger)
			: '',
		`More: ${GUIDE}`,
		...tracesOf(failure),
	];
	return { message, description: joined(sentences) };
}

const LOOK =
	'Look at the service, then set When Outcome Is Unknown: Count as Sent if it is there, Send Again if not.';
const RETRY = 'To do only the rest, choose "Retry with currently saved workflow" in Executions.';

function joined(sentences: readonly string[]): string {
	return sentences.filter(Boolean).join(' ');
}

/** Warns of every way to run the node again, if it has no once keys. */
export function dontRunAgain(ledger: Ledger): string {
	const harm = ledger.effect === 'sends' ? 'sends duplicates' : 'does it twice';
	return `Don't run the workflow or a step again: that ${harm}.`;
}

/** How the items of a run ended, as a sentence. */
export function countsText(
	{ before, counted, done, earlierTry, total, rejected, unknown, unsent }: Counts,
	{ effect }: Ledger,
): string {
	const did = DONE[effect];
	const parts: ReadonlyArray<readonly [number, string]> = [
		[done - before - counted - earlierTry, did],
		[earlierTry, `${did} in an earlier try`],
		[before, `${did} before`],
		[counted, 'counted as sent'],
		[unknown, `maybe ${did}`],
		[rejected, 'refused'],
		[unsent, `not ${did}`],
	];
	const shown = parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`);
	const now = before > 0 && before === total ? `Nothing was ${did} now. ` : '';
	return `${now}Of ${count(total)} ${total === 1 ? 'item' : 'items'}: ${shown.join(', ')}.`;
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
