import {
	type IExecuteFunctions,
	NodeApiError,
	NodeOperationError,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { defined } from '../../json/defined';
import { isToolCall } from '../memory/place';
import { namedItems } from './named-items';
import { unnotedText } from './not-sent';
import type { Failed, Results, Tally } from './results';

/**
 * The error that stops a workflow. All that the user must know stands in it, because n8n drops hints on a throw. What
 * could make somebody send twice comes first.
 *
 * @param failed the failure, and the items that it is about; none when it concerns the whole run
 */
export function stopError(
	context: IExecuteFunctions,
	failed: Failed,
	results: Results,
): NodeApiError | NodeOperationError {
	const { failure, items } = failed;
	const tally = results.tally();
	const description = [
		wayOn(context, tally),
		failure.description,
		summary(failed, results),
		unnotedText(results.unnoted),
	]
		.filter(Boolean)
		.join(' ');
	const [itemIndex] = items;
	const options = {
		message: failure.message,
		description,
		...defined<{ itemIndex?: number }>({ itemIndex }),
	};
	const httpCode = failure.statusCode === null ? undefined : String(failure.statusCode);
	const error =
		failure.outcome === 'unsent'
			? new NodeOperationError(context.getNode(), failure.message, options)
			: // What n8n would find in a problem is given: to search a long one takes it seconds.
				new NodeApiError(
					context.getNode(),
					{},
					{
						...options,
						...defined<{ httpCode?: string }>({ httpCode }),
					},
				);
	// n8n replaces messages in which it finds a code such as EPERM: the service's words stay.
	error.message = failure.message;
	error.description = description;
	error.context.outcome = failure.outcome;
	if (failure.problem !== null) error.context.data = failure.problem;
	return error;
}

/** How to go on once something has gone out, or may have: a new run would do all of it again. */
function wayOn(
	context: IExecuteFunctions,
	{ done, unknown, partly, total, changes, keyed, unkeyed }: Tally,
): string {
	const isPart = total === 1 ? partly > 0 : done + unknown + partly > 0;
	// A retry starts an agent anew: it knows nothing of this call.
	if (!changes || !isPart || isToolCall(context)) return '';
	const { pick, again } = WAYS[context.getMode()] ?? FROM_LIST;
	const everything = total === 1 ? 'all of it' : `all ${total}`;
	const warning =
		unkeyed + partly === 0
			? ''
			: ` ${again} sends ${keyed === 0 ? everything : 'those without a key'} again.`;
	return `${pick} and choose "Retry with currently saved workflow": it sends only what has not gone out.${warning}`;
}

interface Way {
	/** Where the execution is found that knows what went out. */
	readonly pick: string;
	/** What does not know it. */
	readonly again: string;
}

const FROM_LIST: Way = { pick: 'Open Executions, pick this execution', again: 'A new run' };

/** Where n8n shows something else. */
const WAYS: Partial<Record<WorkflowExecuteMode, Way>> = {
	manual: {
		pick: 'Open the Executions tab above the canvas, pick this execution',
		again: 'Executing the workflow again',
	},
	// The error is also shown where the sub-workflow was called: "this execution" would be that one.
	integrated: {
		pick: 'Open Executions of the sub-workflow in which this failed, pick its execution',
		again: 'A new run of it, or a retry of the workflow that called it,',
	},
};

/** How the items ended, and which of them the error is about. Of one item, n8n says which one it is. */
function summary({ items }: Failed, results: Results): string {
	const { done, before, underTheirKey, total, rejected, unknown, unsent, keyed, partly } = results.tally();
	if (total === 1 && before === 0) return '';
	const parts = [
		`${done} went out${sentBefore(before, underTheirKey)}`,
		...(unknown > 0 ? [`${unknown} may have gone out${others(results, items)}`] : []),
		...(rejected > 0 ? [`${rejected} ${rejected === 1 ? 'was' : 'were'} refused`] : []),
		// Whether an item whose turn did not come was sent under its key before has not been looked up.
		...(unsent > 0
			? [`${unsent} ${unsent === 1 ? 'was' : 'were'} not sent${keyed > 0 ? ' in this run' : ''}`]
			: []),
	];
	const inPart = partly > 0 ? ` Of ${partly} of those that failed, a part went out.` : '';
	return `Of ${total} items, ${parts.join(', ')}.${inPart}${named(items)}`;
}

/** How many of those that went out were not sent by this run, and why. */
function sentBefore(inEarlierTry: number, underTheirKey: number): string {
	const parts = [
		...(inEarlierTry > 0 ? [`${inEarlierTry} of them in an earlier try`] : []),
		...(underTheirKey > 0 ? [`${underTheirKey} of them before, under the same key`] : []),
	];
	return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Which items may have gone out, where the error is not about all of them. */
function others(results: Results, about: readonly number[]): string {
	const unclear = results.itemsEnded(['unknown']);
	return unclear.every((item) => about.includes(item)) ? '' : ` (${namedItems(unclear)})`;
}

function named(items: readonly number[]): string {
	if (items.length === 0) return '';
	if (items.length === 1) return ` The first to fail was item ${items[0]}.`;
	return ` This is about ${namedItems(items)}.`;
}
