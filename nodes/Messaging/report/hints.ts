import type { IExecuteFunctions } from 'n8n-workflow';

import { showsDroppedNames } from '../fields/dropped-names';
import { isSameInEveryRun } from '../input/once-key';
import { DATA_IN_JSON, fieldsQuotingData } from '../input/quoted-data';
import { sourceOf } from '../input/source';
import { addHint } from '../shared/shown';
import { count } from '../shared/text';
import type { Items } from '../delivery/items';
import type { Hints } from '../delivery/look-up';
import type { RunQueue } from '../delivery/pace/run-queue';
import type { Run } from '../delivery/run';
import { REASONS } from '../delivery/wording';
import { countsOf, repeats } from './report';
import { countsText, dontRunAgain, keysText, namedItems, sameText, unrecordedText } from './text';

/** Shows hints in two boxes at most: the warnings, then the rest. */
export function showHints(context: IExecuteFunctions, hints: Hints): void {
	for (const type of ['warning', 'info'] as const) {
		const texts = [...hints].flatMap(([text, kind]) => (kind === type && text !== '' ? [text] : []));
		if (texts.length > 0) addHint(context, type, texts.join(' '));
	}
}

/**
 * Adds hints about what a finished run's output does not show.
 *
 * @param waits whether the execution waits for an answer: failed items have no output then
 */
export function addHints(run: Run, items: Items, waits: boolean): void {
	const { calls, context, ledger, onceKeys } = run;
	const counts = countsOf(ledger);
	const { before, done, thisTry, total } = counts;
	const all: Hints = new Map();
	if (thisTry < total) all.set(countsText(counts, ledger), done < total ? 'warning' : 'info');
	if (done < total && waits) {
		const failed = [...ledger.entries.keys()].filter((item) => ledger.entry(item).failure !== undefined);
		all.set(
			`Failed: ${namedItems(failed)}. The first failure: "${ledger.first?.failure.message}".`,
			'warning',
		);
	} else if (done < total) {
		all.set('Each failed item has the reason: {{ $json.error.message }}.', 'warning');
		const isHarm = !ledger.isRepeatSafe && !ledger.usesKeys && repeats(ledger, counts);
		if (isHarm) all.set(dontRunAgain(ledger), 'warning');
	}
	all.set(unrecordedText(ledger), 'warning');
	all.set(sameText(ledger, items), 'warning');
	addHintsOnFields(all, run, before > 0);
	for (const [text, type] of run.hints) all.set(text, type);
	if (ledger.usesKeys && before > 0) all.set(`Used before: ${keysText(ledger, 'before')}.`, 'info');
	if (ledger.usesKeys && ['manual', 'evaluation'].includes(context.getMode()) && thisTry > 0) {
		all.set(`This test counts: ${keysText(ledger, 'thisTry')}. ${TEST_COUNTS}`, 'info');
	}
	if (onceKeys?.run.foundNone === true) all.set(NO_KEYS, 'info');
	if (waits && total > 1) all.set(FIRST_ANSWER, 'info');
	all.set(waitedText(calls.queue.waitedMs), 'info');
	showHints(context, all);
}

/**
 * What fields as saved in the workflow do that may not be meant.
 *
 * @param wasUsed whether a once key has kept a message back
 */
export function addHintsOnFields(hints: Hints, { context, operation }: Run, wasUsed: boolean): void {
	const source = sourceOf(context, operation.fields, 0);
	const key = source.unresolved?.('options.onceKey') ?? '';
	const quoting = fieldsQuotingData(operation.fields, source).join(', ');
	const risk = `Data can break out of the quotes in ${quoting} and change other fields, such as the recipient. ${DATA_IN_JSON}.`;
	if (wasUsed && key !== '' && isSameInEveryRun(key)) hints.set(FIXED_KEY, 'warning');
	if (!showsDroppedNames()) hints.set(UNCHECKED, 'warning');
	if (quoting !== '') hints.set(risk, 'warning');
}

const UNCHECKED =
	'This version of n8n drops misspelt names of fields and options without a word, so they are not refused: a misspelt onceKey would send twice. Check the names in the JSON of the node, and look for a newer version of this package.';
const TEST_COUNTS = 'The published workflow does not repeat what was done here under the same key.';
/** n8n keeps keys under the ID of the node: a deploy, a copy or an import that changes the ID leaves them behind. */
const NO_KEYS =
	'This node remembers no keys yet: it is new, or was copied, imported or given a new ID. What an earlier copy has sent is not known here.';
const FIXED_KEY =
	'The key is the same in every run, so nothing is sent after the first one. For one message a day, add the day to it: {{ $today.toISODate() }}.';
const FIRST_ANSWER =
	'The first answer counts. Its field "item" has the number of the item that it belongs to: n8n pairs every answer with item 0.';

/** Shorter waits than this, in milliseconds, are not reported. */
const NOTICEABLE_MS = 1000;

/** What the run waited for, if it waited long enough to be noticed. */
function waitedText(waitedMs: RunQueue['waitedMs']): string {
	const all = (['outage', 'channel', 'later', 'gap', 'plan', 'full', 'me'] as const)
		.filter((why) => waitedMs[why] >= NOTICEABLE_MS)
		.map((why) => `${REASONS[why]} (up to ${count(Math.ceil(waitedMs[why] / 1000))} seconds)`);
	return all.length === 0 ? '' : `Some calls had to wait: ${all.join(', ')}.`;
}
