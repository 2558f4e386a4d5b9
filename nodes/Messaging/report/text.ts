import { textForModel } from '../agent/text-for-model';
import { DONE } from '../service/api-call';
import { type Failure, tracesOf } from '../service/endings';
import { textAt } from '../shared/json';
import { asSentence, count, cut, named, quoted, withoutQuotes } from '../shared/text';
import type { Items } from '../delivery/items';
import { isDone, type Ledger, type SentIn } from '../delivery/ledger';
import { reasonOf } from '../delivery/wording';
import { type Counts, repeats, type Report } from './report';

const GUIDE = 'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/failures.md';

/** The most characters of what is known of a failure. */
const LONGEST = 500;

/** The text of an error. It is plain text, because error workflows and models read it, too. A model reads the message only. */
export function textOf(report: Report): Pick<Failure, 'message' | 'description'> {
	const { counts, failure, inDoubt, ledger } = report;
	if (ledger.isTool) return { message: textForModel(failure, ledger), description: '' };
	const description = sentences([
		// The editor shows no `outcome` of an error.
		`Outcome: ${failure.outcome} (${failure.outcome === 'unknown' ? 'maybe' : 'not'} ${DONE[ledger.effect]}).`,
		counts !== undefined && counts.total > 1 && countsText(counts, ledger),
		counts !== undefined && unrecordedText(ledger),
		inDoubt.length > 0 && `In doubt: ${firstOf(inDoubtTexts(inDoubt))}.`,
		knownText(report),
		nextSteps(report),
		`\nMore: ${GUIDE}`,
		...tracesOf(failure),
	]);
	return { message: titleOf(report), description };
}

/** n8n's pop-up, its list of executions and the caller of a sub-workflow get the title alone. */
function titleOf({ counts, failure, ledger }: Report): string {
	const { message, outcome } = failure;
	const did = DONE[ledger.effect];
	if (counts === undefined) return message;
	const { done, rejected, total, unknown, unsent } = counts;
	if (total === 1) return outcome === 'unknown' ? `May have been ${did}: ${message}` : message;
	// Earlier rounds of a loop have sent theirs.
	const isLater = ledger.run > 0;
	const [refused, more] = [ledger.refused.length, isLater || done + unknown > 0 ? 'nothing more' : 'nothing'];
	if (refused > 0)
		return `${count(refused)} of ${count(total)} items ${refused === 1 ? 'is' : 'are'} refused, so ${more} was ${did}`;
	const ends = [
		`${count(done)} of ${count(total)} ${did}${isLater ? ' in this round' : ''}`,
		unknown > 0 && `${count(unknown)} may have been ${did}`,
		rejected + unsent > 0 && `${count(rejected + unsent)} not`,
	];
	return `${ends.filter(Boolean).join(', ')}: ${reasonOf(message)}`;
}

/** What is known of the failure, and its item. Of refused items, the title has no reason. */
function knownText({ counts, failure, item, ledger: { refused } }: Report): string {
	const { description, message } = failure;
	if (counts === undefined || counts.total === 1 || item === undefined || description === '')
		return cutAtSentence(description);
	const reason = refused.length > 0 ? `${asSentence(message)} ${description}` : description;
	return sentences([
		refused.length > 1 && `Refused: ${namedItems(refused)}.`,
		`Item ${item}: ${cutAtSentence(reason)}`,
	]);
}

/** What to do about a run that has stopped, or about an item of a run that goes on: n8n offers no retry then. */
function nextSteps(report: Report): string {
	const { byGateway, outcome, retryable } = report.failure;
	const { counts, inDoubt, ledger } = report;
	const { isRepeatSafe, isSubWorkflow, refused, usesKeys, waits } = ledger;
	const isToDecide = inDoubt.length > 0 && !isRepeatSafe;
	if (counts === undefined) return isToDecide ? SEND_AGAIN : '';
	const isSafe = !repeats(ledger, counts);
	// n8n's editor offers no retry of a canceled execution.
	if (!isSafe && ledger.isCancelled) return inDoubt.length > 0 ? 'Look at the service for them.' : '';
	const isAboutValue = !retryable && outcome !== 'unknown' && byGateway !== true;
	const others = counts.total - counts.done - refused.length;
	const [all, none] = inDoubt.length === 1 ? ['it is', 'if not'] : ['all are', 'if none is'];
	return sentences([
		isToDecide &&
			`Look at the service, and set the option When Outcome Is Unknown: Count as Sent ("whenUnknown": "countAsSent") if ${all} there, Send Again ("sendAgain") ${none}.`,
		isSafe &&
			refused.length > 0 &&
			`Correct the data or the field, and execute the workflow again: this node has ${DONE[ledger.effect]} nothing. Nodes before it do their work again.`,
		!isSafe && isAboutValue && "A retry has the same input, so correct this node's own fields.",
		!isSafe &&
			`To do only the rest, choose "Retry with currently saved workflow" for ${isSubWorkflow ? "the sub-workflow's" : 'this'} execution, under Executions.`,
		refused.length > 0 &&
			others > 0 &&
			!waits &&
			`Or set On Error, in the settings of the node, to Continue (using error output) ("onError": "continueErrorOutput"): then the other ${count(others)} can go out.`,
		!isSafe && !isRepeatSafe && !usesKeys && dontRunAgain(ledger),
	]);
}

/** Another execution has no record of the item: with Count as Sent, it would send it. */
const SEND_AGAIN =
	'Look at the service for it. If it is not there, send this item through the node again, with the option When Outcome Is Unknown set to Send Again ("whenUnknown": "sendAgain").';

/** A text of those sentences that there are. */
function sentences(all: ReadonlyArray<string | false>): string {
	return all.filter(Boolean).join(' ');
}

/** Text that ends with a whole sentence, if it has one that is short enough. */
function cutAtSentence(text: string): string {
	if (text.length <= LONGEST) return text;
	const whole = /^.*[.!?…](?=\s)/s.exec(withoutQuotes(text).slice(0, LONGEST));
	return whole === null ? cut(text, LONGEST) : text.slice(0, whole[0].length);
}

/** Warns of every way to run the node again, if it has no once keys. */
export function dontRunAgain(ledger: Ledger): string {
	const harm = ledger.effect === 'sends' ? 'sends duplicates' : 'does it twice';
	return `Don't run the workflow or a step again: that ${harm}.`;
}

/** How the items of a run ended, as a sentence. */
export function countsText(
	{ before, counted, done, earlierTry, thisTry, total, rejected, unknown, unsent }: Counts,
	{ effect }: Ledger,
): string {
	const did = DONE[effect];
	if (before > 0 && before === done && unknown === 0) {
		const failed = total - done;
		const rest = failed > 0 ? `, ${count(failed)} failed` : '';
		return `This run ${did} nothing new: ${count(before)} ${before === 1 ? 'was' : 'were'} ${did} before${rest}.`;
	}
	const parts: ReadonlyArray<readonly [number, string]> = [
		[thisTry, did],
		[earlierTry, `${did} in an earlier try`],
		[before, `${did} before`],
		[counted, 'counted as sent'],
		[unknown, `maybe ${did}`],
		[rejected, 'refused'],
		[unsent, `not ${did}`],
	];
	const shown = parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`);
	return `Of ${count(total)} ${total === 1 ? 'item' : 'items'}: ${shown.join(', ')}.`;
}

/** The once keys of the items that were sent then. */
export function keysText({ entries }: Ledger, then: SentIn): string {
	const sent = entries.filter((entry) => entry.sentIn === then && isDone(entry));
	return firstOf([...new Set(sent.map(({ saved }) => named(textAt(saved.json?.[0], 'onceKey'))))]);
}

/** What went to the same person, or was done, several times in this execution, as a sentence; '' if nothing. */
export function sameText(ledger: Ledger, { alike, repeated }: Pick<Items, 'alike' | 'repeated'>): string {
	const sent = alike.map((items) => items.filter((item) => ledger.isSentNow(item)));
	const twice = sent.flatMap(([one, other]) => (other === undefined ? [] : [`${one} and ${other}`]));
	const again = repeated
		.filter((item) => ledger.isSentNow(item))
		.map((item) => `${item} (as in an earlier run)`);
	if (twice.length + again.length === 0) return '';
	const [what, advice] =
		ledger.effect === 'sends'
			? ['The same text went to the same person', 'put a Remove Duplicates node before it']
			: ['The same was done', 'let each item give values of its own'];
	return `${what} more than once: items ${firstOf([...twice, ...again])}. If that was not meant, let only one path lead to this node, or ${advice}.`;
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
