import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { CallEnvironment } from '../call';
import { namedItems } from './named-items';
import { unnotedText } from './not-sent';
import type { Results, Tally } from './results';
import { count, failedKinds } from './words';

/**
 * Tells the user of a finished run what its output does not show: failures, repetitions, waiting.
 *
 * @param waits whether the execution waits for an answer: the items that failed have no output then
 */
export function addHints(
	context: IExecuteFunctions,
	env: Pick<CallEnvironment, 'stats' | 'gate' | 'keepToPlan'>,
	results: Results,
	waits: boolean,
): void {
	const tally = results.tally();
	const hints = [
		waits ? notAsked(results, tally) : failures(context, tally),
		unnoted(results),
		before(tally),
		underTheirKey(tally),
		waits ? several(tally) : undefined,
		waiting(env),
		retries(env),
	].filter((hint) => hint !== undefined);
	if (hints.length > 0) context.addExecutionHints(...hints);
}

function failures(context: IExecuteFunctions, tally: Tally): NodeExecutionHint | undefined {
	const { rejected, unsent, unknown, total, changes, keyed, unkeyed, partly } = tally;
	const failed = rejected + unsent + unknown;
	if (failed === 0) return undefined;
	const where =
		context.getNode().onError === 'continueErrorOutput'
			? 'See the error output.'
			: 'See the error field of these items.';
	const careful =
		changes && unkeyed + partly > 0
			? ` A new run sends ${keyed === 0 ? `all ${count(total)}` : 'those without a key'} again.`
			: '';
	return hint(
		'warning',
		`${count(failed)} of ${count(total)} items failed: ${failedKinds(tally)}. ${where}${careful}`,
	);
}

/** Which items nobody was asked for, while others were. */
function notAsked(results: Results, tally: Tally): NodeExecutionHint | undefined {
	const missing = results.itemsEnded(['rejected', 'unsent']);
	const doubtful = results.itemsEnded(['unknown']);
	if (missing.length + doubtful.length === 0) return undefined;
	const parts = [
		...(missing.length > 0 ? [`Nobody was asked for ${namedItems(missing)}.`] : []),
		...(doubtful.length > 0 ? [`Whether the question of ${namedItems(doubtful)} arrived is not known.`] : []),
	];
	const reason = results.first === undefined ? '' : ` The first failure: "${results.first.failure.message}".`;
	const rest =
		tally.done + doubtful.length < tally.total ? ' The execution waits for an answer of the others.' : '';
	return hint('warning', `${parts.join(' ')}${reason}${rest}`);
}

/** n8n pairs the answer with the first item, whoever gives it. */
function several({ total }: Tally): NodeExecutionHint | undefined {
	if (total < 2) return undefined;
	return hint(
		'info',
		'The first answer counts. Its field "item" has the number of the item that it belongs to: n8n itself pairs every answer with item 0.',
	);
}

function before({ before: sent, total }: Tally): NodeExecutionHint | undefined {
	if (sent === 0) return undefined;
	return hint(
		'info',
		`${count(sent)} of ${count(total)} items had gone out in an earlier try and were not sent again.`,
	);
}

function underTheirKey({ underTheirKey: sent, total }: Tally): NodeExecutionHint | undefined {
	if (sent === 0) return undefined;
	return hint(
		'info',
		`${count(sent)} of ${count(total)} items had gone out before under the same key and were not sent again.`,
	);
}

function unnoted(results: Results): NodeExecutionHint | undefined {
	const text = unnotedText(results.unnoted);
	return text === '' ? undefined : hint('warning', text);
}

function waiting({
	stats,
	gate,
	keepToPlan,
}: Pick<CallEnvironment, 'stats' | 'gate' | 'keepToPlan'>): NodeExecutionHint | undefined {
	const plan = keepToPlan ? gate.knownPlan : undefined;
	if (stats.turnedAway > 0) {
		return hint(
			'info',
			'The service asked to come back later. The run waited and went on at the pace that the service allows.',
		);
	}
	if (plan === undefined || stats.pacedMs < NOTICEABLE_MS) return undefined;
	return hint(
		'info',
		`The run kept to the plan of the API key: ${count(plan.limit)} requests in ${count(plan.windowMs / 1000)} seconds.`,
	);
}

/** Waiting for the plan for less than this is no news. */
const NOTICEABLE_MS = 1000;

function retries({ stats }: Pick<CallEnvironment, 'stats'>): NodeExecutionHint | undefined {
	if (stats.retries === 0) return undefined;
	return hint(
		'info',
		`${count(stats.retries)} ${stats.retries === 1 ? 'call was' : 'calls were'} tried again after a failure.`,
	);
}

function hint(type: 'info' | 'warning', message: string): NodeExecutionHint {
	return { type, message, location: 'outputPane' };
}
