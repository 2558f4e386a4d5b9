import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import type { Failure } from '../service/failure';

/** How the items of a run ended so far. */
export interface Tally {
	/** Items whose call succeeded. */
	done: number;
	/** Items that the service refused, or that never reached it. */
	failed: number;
	/** Items whose call may have been processed. */
	unknown: number;
	/** All input items. */
	total: number;
}

/** The item that stands for a failed input item, on whichever branch n8n puts it. */
export function errorItem(failure: Failure, item: number): INodeExecutionData {
	const { message, description, statusCode, outcome, problem } = failure;
	return { json: { error: { message, description, statusCode, outcome, problem } }, pairedItem: { item } };
}

/** The output items of a success, paired with the input items that the call served. */
export function outputItems(json: IDataObject[], items: readonly number[]): INodeExecutionData[] {
	const [first] = items;
	const pairedItem =
		items.length === 1 && first !== undefined ? { item: first } : items.map((item) => ({ item }));
	return json.map((fields) => ({ json: fields, pairedItem }));
}

/**
 * The error that stops a workflow. Everything the user must know stands in it, because n8n drops hints on a throw.
 *
 * @param items the items whose call failed
 */
export function stopError(
	context: IExecuteFunctions,
	failure: Failure,
	items: readonly number[],
	tally: Tally,
): NodeApiError | NodeOperationError {
	const names = items.length === 1 ? `Item ${items[0]}` : `Items ${items.join(', ')}`;
	const description = [
		failure.description,
		`${names} failed (${OUTCOMES[failure.outcome]}).`,
		summary(tally),
	].join(' ');
	const itemIndex = items[0] ?? 0;
	const options = { message: failure.message, description, itemIndex };
	const error =
		failure.outcome === 'unsent'
			? new NodeOperationError(context.getNode(), failure.message, options)
			: new NodeApiError(context.getNode(), (failure.problem ?? {}) as JsonObject, {
					...options,
					...(failure.statusCode === null ? {} : { httpCode: String(failure.statusCode) }),
				});
	// n8n replaces messages in which it finds a code such as EPERM: the service's words stay.
	error.message = failure.message;
	error.context.outcome = failure.outcome;
	if (failure.problem !== null) error.context.data = failure.problem;
	return error;
}

const OUTCOMES: Readonly<Record<Failure['outcome'], string>> = {
	rejected: 'the service refused it',
	unsent: 'it was not sent',
	unknown: 'it may have been processed',
};

function summary({ done, failed, unknown, total }: Tally): string {
	const open = total - done - failed - unknown;
	if (total === 1) return '';
	return [
		`Of ${total} items, ${done} went out`,
		...(unknown > 0 ? [`${unknown} may have gone out`] : []),
		...(failed > 0 ? [`${failed} failed`] : []),
		...(open > 0 ? [`${open} ${open === 1 ? 'was' : 'were'} not started`] : []),
	]
		.join(', ')
		.concat('.');
}
