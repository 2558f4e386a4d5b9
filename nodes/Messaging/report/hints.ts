import { DATA_IN_JSON, fieldsQuotingData } from '../input/quoted-data';
import { sourceOf } from '../input/source';
import type { Outcome } from '../service/endings';
import { count, withoutTags } from '../shared/text';
import type { Run } from '../delivery/items';
import type { Ledger } from '../delivery/ledger';
import { REASONS } from '../delivery/wording';
import { countsOf, endOf, repeats } from './report';
import { countsText, dontRunAgain, namedItems, testedText, unrecordedText } from './report-text';

/**
 * Adds hints about what a finished run's output does not show: failures, retries, waiting.
 *
 * @param waits whether the execution waits for an answer: failed items have no output then
 */
export function addHints({ context, hints, ledger, onceKeys, operation, queue }: Run, waits: boolean): void {
	const add = (type: 'info' | 'warning', text: string): void => {
		const message = withoutTags(text);
		if (message !== '') context.addExecutionHints({ type, message, location: 'outputPane' });
	};
	const counts = countsOf(ledger);
	const { before, counted, done, earlierTry, total } = counts;
	const doneNow = done - before - counted - earlierTry;
	const isRepeated = doneNow < done;
	const repeated = isRepeated ? ' What was sent before was not sent again.' : '';
	const ends = countsText(counts, ledger) + (before === total ? '' : repeated);
	if (waits) add('warning', notAskedText(ledger));
	else if (done < total) {
		const isApart = context.getNode().onError === 'continueErrorOutput';
		const where = isApart ? 'See the error output.' : 'See the error field of the items that failed.';
		const isRisky = ledger.isOnceOnly && !ledger.usesKeys && repeats(ledger, counts);
		add('warning', `${ends} ${where}${isRisky ? ` ${dontRunAgain(ledger)}` : ''}`);
	}
	add('warning', unrecordedText(ledger));
	if (isRepeated && (waits || done === total)) add('info', ends);
	if (ledger.usesKeys && context.getMode() === 'manual' && doneNow > 0) {
		add('info', testedText(ledger));
	}
	if (onceKeys?.run.foundNone === true) add('info', NO_KEYS);
	// n8n pairs the answer with the first item, whichever item it belongs to.
	if (waits && total > 1) add('info', FIRST_ANSWER);
	const quoting = fieldsQuotingData(operation.fields, sourceOf(context, operation.fields, 0)).join(', ');
	if (quoting !== '')
		add(
			'warning',
			`Data can break out of the quotes in ${quoting} and change other fields, such as the recipient. ${DATA_IN_JSON}.`,
		);
	for (const [hint, type] of hints) add(type, hint);
	add('info', waitedText(queue.waitedMs));
}

/** n8n keeps keys under the ID of the node: a deploy, a copy or an import that changes the ID leaves them behind. */
const NO_KEYS =
	'This node remembers no keys yet: it is new, or was copied, imported or given a new ID. What an earlier copy has sent is not known here.';

const FIRST_ANSWER =
	'The first answer counts, and those of the others then have no effect. Its field "item" has the number of the item that it belongs to: n8n itself pairs every answer with item 0.';

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

/** Shorter waits than this, in milliseconds, are not reported. */
const NOTICEABLE_MS = 1000;

/** What the run waited for, if it waited long enough to be noticed. */
function waitedText(waitedMs: Run['queue']['waitedMs']): string {
	const reasons = (['outage', 'channel', 'pause', 'plan', 'full', 'me'] as const).flatMap((why) =>
		waitedMs[why] < NOTICEABLE_MS
			? []
			: [`${REASONS[why]} (up to ${count(Math.ceil(waitedMs[why] / 1000))} seconds)`],
	);
	return reasons.length === 0 ? '' : `Some calls had to wait: ${reasons.join(', ')}.`;
}

function itemsEnded({ entries }: Ledger, ...ends: readonly Outcome[]): number[] {
	return entries.flatMap((entry, item) => (ends.some((end) => end === endOf(entry)) ? [item] : []));
}
