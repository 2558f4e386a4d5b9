import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isReviewer } from '../agent/caller';
import { ASKED_UNDER_KEY, textForModel } from '../agent/text-for-model';
import { type NodeError, nodeError, shown, withoutTags } from '../shared/shown';
import { Turns } from '../shared/turns';
import type { Failed, Ledger } from '../delivery/ledger';
import { countsOf, type Report, reportOn } from './report';
import { inDoubtTexts, textOf } from './text';

/**
 * The items that the node puts out, in input order. A long list is made over several turns of the event loop. A reviewer
 * that did not ask adds why: without a `chatInput`, n8n tells the agent that a person said no.
 */
export async function outputOf(context: IExecuteFunctions, ledger: Ledger): Promise<INodeExecutionData[]> {
	const turns = new Turns();
	const all: INodeExecutionData[] = [];
	const isReview = isReviewer(context);
	for (const [item, { failure, saved }] of ledger.entries.entries()) {
		if (turns.over) await turns.next();
		if (failure !== undefined) {
			const report = reportOn(ledger, { failure, item });
			const why = isReview && { chatInput: textForModel(failure, ledger) };
			all.push({ json: { error: itemError(report), ...why }, pairedItem: { item } });
			continue;
		}
		for (const json of saved.json ?? []) {
			if (turns.over) await turns.next();
			all.push({ json: isReview ? { ...json, chatInput: ASKED_UNDER_KEY } : json, pairedItem: { item } });
		}
	}
	return all;
}

/** The error of an item, as its output has it. */
export function itemError(report: Report): IDataObject {
	const { failure, ledger } = report;
	const { statusCode, outcome, retryable, problem, requestId } = failure;
	const { message, description } = shown(textOf(report));
	if (ledger.isTool) return { message, outcome };
	return { message, description, statusCode, outcome, retryable, problem, requestId };
}

/** The most items in doubt that an error has. It is saved with the execution. */
const MOST_DETAILS = 1000;

/** The error that stops a workflow. On a throw, n8n drops hints. */
export function stopError(context: IExecuteFunctions, failed: Failed, ledger: Ledger): NodeError {
	const { failure, item } = failed;
	const { outcome, problem, statusCode } = failure;
	const report = reportOn(ledger, failed, countsOf(ledger));
	const error = nodeError(context.getNode(), textOf(report), outcome === 'unsent' ? undefined : statusCode);
	// The editor shows these under Error details.
	if (!ledger.isTool) error.messages = inDoubtTexts(report.inDoubt.slice(0, MOST_DETAILS)).map(withoutTags);
	if (problem !== null) error.context.data = problem;
	error.context.outcome = outcome;
	if (item !== undefined) error.context.itemIndex = item;
	return error;
}
