import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { apiError } from '../service/endings';
import { isReviewer } from '../shared/tool';
import { withoutTags } from '../shared/text';
import { Turns } from '../shared/turns';
import type { Failed, Ledger } from '../delivery/ledger';
import { countsOf, type Report, reportOn } from './report';
import { linesOf, unrecordedText } from './report-text';
import { textForModel } from './text-for-model';
import { ASKED_UNDER_KEY } from '../delivery/wording';

/**
 * The items that the node puts out, in input order. A long list is made over several turns of the event loop. A reviewer
 * that did not ask adds why: without a `chatInput`, n8n tells the agent that a person said no.
 */
export async function outputOf(context: IExecuteFunctions, ledger: Ledger): Promise<INodeExecutionData[]> {
	const turns = new Turns();
	const all: INodeExecutionData[] = [];
	const isAsking = isReviewer(context);
	for (const [item, { failure, output }] of ledger.entries.entries()) {
		if (turns.over) await turns.next();
		if (failure !== undefined) {
			const report = reportOn(context, ledger, { failure, items: [item] });
			const why = isAsking && { chatInput: textForModel(report) };
			all.push({ json: { error: itemError(report), ...why }, pairedItem: { item } });
		} else if (output?.items[0] === item) {
			const pairedItem = output.items.length === 1 ? { item } : output.items.map((one) => ({ item: one }));
			for (const json of output.json) {
				if (turns.over) await turns.next();
				all.push({ json: isAsking ? { ...json, chatInput: ASKED_UNDER_KEY } : json, pairedItem });
			}
		}
	}
	return all;
}

/** The error of an item, as its output has it. */
export function itemError(report: Report): IDataObject {
	const { statusCode, outcome, problem, requestId } = report.failure;
	if (report.ledger.isTool) return { message: withoutTags(textForModel(report)), outcome };
	const message = withoutTags(report.failure.message);
	const description = withoutTags(linesOf(report).join(' '));
	return { message, description, statusCode, outcome, problem, requestId };
}

/** The error that stops a workflow: the failure, how the items ended, what to do. On a throw, n8n drops hints. */
export function stopError(
	context: IExecuteFunctions,
	failed: Failed,
	ledger: Ledger,
): NodeApiError | NodeOperationError {
	const { outcome, problem, statusCode } = failed.failure;
	const report = reportOn(context, ledger, failed, countsOf(ledger));
	const { isTool } = ledger;
	const message = withoutTags(isTool ? textForModel(report) : failed.failure.message);
	const lines = isTool ? [] : linesOf(report, unrecordedText(ledger));
	const description = withoutTags(lines.join('\n'));
	const node = context.getNode();
	const error =
		outcome === 'unsent'
			? new NodeOperationError(node, message, { description })
			: apiError(node, { message, description, statusCode, problem });
	// n8n replaces messages that contain a code such as EPERM, but this is the service's own message.
	error.message = message;
	error.description = description;
	error.context.outcome = outcome;
	const [itemIndex] = failed.items;
	if (itemIndex !== undefined) error.context.itemIndex = itemIndex;
	return error;
}
