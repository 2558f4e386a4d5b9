import type { IExecuteFunctions } from 'n8n-workflow';

import { showsDroppedNames } from '../fields/dropped-names';
import { isSameInEveryRun } from '../input/once-key';
import { DATA_IN_JSON, fieldsQuotingData } from '../input/quoted-data';
import { sourceOf } from '../input/source';
import { addHint } from '../shared/shown';
import { count } from '../shared/text';
import type { Items } from '../delivery/items';
import type { Run } from '../delivery/run';
import { REASONS } from '../delivery/wording';
import type { CallEnvironment } from '../delivery/call';
import { countsOf, repeats } from './report';
import { countsText, dontRunAgain, keysText, namedItems, sameText, unrecordedText } from './text';

/** What the output of a run does not show, a sentence or some. */
export type Hint = readonly [type: 'info' | 'warning', text: string];

/** Shows hints in two boxes at most: the warnings, then the rest. */
export function showHints(context: IExecuteFunctions, hints: readonly Hint[]): void {
	for (const type of ['warning', 'info'] as const) {
		const texts = hints.filter(([kind, text]) => kind === type && text !== '').map(([, text]) => text);
		if (texts.length > 0) addHint(context, type, [...new Set(texts)].join(' '));
	}
}

/**
 * Adds hints about what a finished run's output does not show.
 *
 * @param waits whether the execution waits for an answer: failed items have no output then
 */
export function addHints(run: Run, items: Items, waits: boolean): void {
	const { calls, context, hints, ledger, onceKeys } = run;
	const counts = countsOf(ledger);
	const { before, done, thisTry, total } = counts;
	const all: Hint[] = [];
	if (thisTry < total) all.push([done < total ? 'warning' : 'info', countsText(counts, ledger)]);
	if (done < total && waits) {
		const failed = [...ledger.entries.keys()].filter((item) => ledger.entry(item).failure !== undefined);
		all.push([
			'warning',
			`Failed: ${namedItems(failed)}. The first failure: "${ledger.first?.failure.message}".`,
		]);
	} else if (done < total) {
		all.push(['warning', 'Each failed item has the reason: {{ $json.error.message }}.']);
		const isHarm = !ledger.isRepeatSafe && !ledger.usesKeys && repeats(ledger, counts);
		if (isHarm) all.push(['warning', dontRunAgain(ledger)]);
	}
	all.push(['warning', unrecordedText(ledger)]);
	if (ledger.effect === 'sends') all.push(['warning', sameText(ledger, items)]);
	all.push(...hintsOnFields(run, before > 0));
	all.push(...[...hints].map(([text, type]): Hint => [type, text]));
	if (ledger.usesKeys && before > 0) all.push(['info', `Used before: ${keysText(ledger, 'before')}.`]);
	if (ledger.usesKeys && ['manual', 'evaluation'].includes(context.getMode()) && thisTry > 0) {
		all.push(['info', `This test counts: ${keysText(ledger, 'thisTry')}. ${TEST_COUNTS}`]);
	}
	if (onceKeys?.run.foundNone === true) all.push(['info', NO_KEYS]);
	if (waits && total > 1) all.push(['info', FIRST_ANSWER]);
	all.push(['info', waitedText(calls.queue.waitedMs)]);
	showHints(context, all);
}

/**
 * What fields as saved in the workflow do that may not be meant.
 *
 * @param wasUsed whether a once key has kept a message back
 */
export function hintsOnFields(
	{ context, operation }: Pick<Run, 'context' | 'operation'>,
	wasUsed: boolean,
): Hint[] {
	const source = sourceOf(context, operation.fields, 0);
	const key = source.unresolved?.('options.onceKey') ?? '';
	const quoting = fieldsQuotingData(operation.fields, source).join(', ');
	const risk = `Data can break out of the quotes in ${quoting} and change other fields, such as the recipient. ${DATA_IN_JSON}.`;
	return [
		['warning', wasUsed && key !== '' && isSameInEveryRun(key) ? FIXED_KEY : ''],
		['warning', showsDroppedNames() ? '' : UNCHECKED],
		['warning', quoting === '' ? '' : risk],
	];
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
function waitedText(waitedMs: CallEnvironment['queue']['waitedMs']): string {
	const all = (['outage', 'channel', 'later', 'gap', 'plan', 'full', 'me'] as const)
		.filter((why) => waitedMs[why] >= NOTICEABLE_MS)
		.map((why) => `${REASONS[why]} (up to ${count(Math.ceil(waitedMs[why] / 1000))} seconds)`);
	return all.length === 0 ? '' : `Some calls had to wait: ${all.join(', ')}.`;
}
