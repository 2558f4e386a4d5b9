import { type IExecuteFunctions, type JsonObject, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from '../service/failure';
import type { Failed, Tally } from './results';

/** The most items that an error names. */
const MOST_NAMED = 20;

/**
 * The error that stops a workflow. All that the user must know stands in it, because n8n drops hints on a throw.
 *
 * @param failed the failure, and the items that it is about; none when it concerns the whole run
 */
export function stopError(
	context: IExecuteFunctions,
	{ failure, items }: Failed,
	tally: Tally,
): NodeApiError | NodeOperationError {
	const description = [failure.description, named(items, failure), summary(tally)].filter(Boolean).join(' ');
	const [itemIndex] = items;
	const options = {
		message: failure.message,
		description,
		...(itemIndex === undefined ? {} : { itemIndex }),
	};
	const error =
		failure.outcome === 'unsent'
			? new NodeOperationError(context.getNode(), failure.message, options)
			: new NodeApiError(context.getNode(), (failure.problem ?? {}) as JsonObject, {
					...options,
					...(failure.statusCode === null ? {} : { httpCode: String(failure.statusCode) }),
				});
	// n8n replaces messages in which it finds a code such as EPERM: the service's words stay.
	error.message = failure.message;
	error.description = description;
	error.context.outcome = failure.outcome;
	if (failure.problem !== null) error.context.data = failure.problem;
	return error;
}

const ENDS: Readonly<Record<Failure['outcome'], string>> = {
	rejected: 'refused by the service',
	unsent: 'not sent',
	unknown: 'may have been processed',
};

function named(items: readonly number[], { outcome }: Failure): string {
	if (items.length === 0) return '';
	const names = items.slice(0, MOST_NAMED).join(', ') + (items.length > MOST_NAMED ? ', …' : '');
	return `${items.length === 1 ? 'Item' : 'Items'} ${names}: ${ENDS[outcome]}.`;
}

function summary({ done, before, rejected, unknown, unsent, total }: Tally): string {
	if (total === 1 && before === 0) return '';
	const parts = [
		`${done} went out${before > 0 ? ` (${before} of them in an earlier try)` : ''}`,
		...(unknown > 0 ? [`${unknown} may have gone out`] : []),
		...(rejected > 0 ? [`${rejected} ${rejected === 1 ? 'was' : 'were'} refused`] : []),
		...(unsent > 0 ? [`${unsent} ${unsent === 1 ? 'was' : 'were'} not sent`] : []),
	];
	return `Of ${total} items, ${parts.join(', ')}. Retrying this execution sends only what has not gone out.`;
}
