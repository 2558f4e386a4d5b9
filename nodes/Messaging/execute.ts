import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { continuesOnFail } from './agent/caller';
import { deliver, failDeadLinks } from './delivery/deliver';
import { Items } from './delivery/items';
import { Ledger } from './delivery/ledger';
import { tellDisconnected } from './delivery/look-up';
import { prepare, type Run } from './delivery/run';
import { broken } from './delivery/wording';
import { operationNames } from './operations';
import type { Operation } from './operations/operation';
import { addHints } from './report/hints';
import { outputOf, stopError } from './report/output';
import { preview } from './report/preview';
import { logProgress } from './report/progress';
import { type Failure, isFailure, unsent } from './service/endings';

/**
 * Runs an operation (undefined when the node names one that does not exist) for every input item, and returns the
 * output in input order.
 *
 * With On Error "Stop Workflow", the first final failure throws once the calls in flight have ended. Otherwise every
 * failed item becomes an error item, and nothing is thrown. An operation that waits fails if no question was asked.
 */
export async function execute(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<INodeExecutionData[][]> {
	const ledger = new Ledger(context);
	const isPreview = operation?.previews !== undefined;
	let given: INodeExecutionData[] | undefined;
	let failure: Failure | undefined;
	try {
		if (!isPreview) await ledger.open(operation);
		const run = operation === undefined ? NO_SUCH : await prepare(context, operation, ledger);
		const ended = isFailure(run) ? run : await (isPreview ? preview : runAll)(run, new Items(run));
		if (ended === undefined || !isFailure(ended)) given = ended;
		else {
			failure = ended;
			if (operation?.waits === true) failDeadLinks(ledger);
		}
	} catch (error) {
		// If the node threw with On Error "Continue", n8n would pass its input off as its output.
		failure = broken(error);
	}
	if (given !== undefined) return [given];
	ledger.end(failure);
	const { first } = ledger;
	// Also if cancelled with nothing in flight: n8n's retry would start at the next node, as if this one were done.
	if (first !== undefined && !continuesOnFail(context)) throw stopError(context, first, ledger);
	const output = await outputOf(context, ledger);
	// Last, because a retry after any earlier failure needs what is remembered.
	if (!ledger.isCancelled) ledger.closeAfter(output);
	return [output];
}

const NO_SUCH = unsent(
	'This node has no such operation',
	`Choose its resource and its operation again. In the JSON of a workflow, these are their names: ${operationNames}.`,
);

/** Delivers a run, and reports on it. Returns the output with which the execution waits for an answer, if it does. */
async function runAll(run: Run, items: Items): Promise<INodeExecutionData[] | undefined> {
	const { asked, context, hints, ledger, lookUps } = run;
	const logEnd = logProgress(run);
	await deliver(run, items).finally(logEnd);
	if (ledger.isCancelled) return undefined;
	await tellDisconnected(context, ledger, lookUps, hints);
	const isWaiting = asked?.any === true;
	// The record is kept: n8n may retry an execution that was stopped while it waited.
	const given = isWaiting ? await asked.wait((text) => hints.set(text, 'warning')) : undefined;
	if (isWaiting || ledger.first === undefined || context.continueOnFail()) addHints(run, items, isWaiting);
	return given;
}
