import type { IExecuteFunctions } from 'n8n-workflow';

import type { Ledger } from '../ledger';
import { isTool } from '../../shared/tool';
import { isSubWorkflow, type Report, repeats } from './report';

/** Something to do about a failure. */
export type Step = 'followAdvice' | 'look' | 'decide' | 'correct' | 'retry' | 'runAgain' | 'dontRunAgain';

/** What a person has to do about a failure, in this order. */
export function stepsFor({
	context,
	counts,
	failure,
	inDoubt,
	ledger,
}: Report): Partial<Record<Step, string>> {
	const { advice, cause, statusCode } = failure;
	const { isOnceOnly, usesKeys } = ledger;
	const byAgent = isTool(context);
	const isOpen = inDoubt.length > 0 && advice === undefined;
	// An agent can't retry the execution, and n8n offers no retry if the run goes on.
	const mayRetry = counts !== undefined && !byAgent && repeats(context, ledger, counts);
	const isUnfit = cause === 'unfit' || (cause === 'refused' && statusCode !== 401);
	const steps: Readonly<Record<Step, false | string | undefined>> = {
		followAdvice: inDoubt.length > 0 && advice,
		look: isOpen && ledger.effect !== 'reads' && lookText(inDoubt),
		decide: isOpen && isOnceOnly && (byAgent ? ASK : decideText(inDoubt, counts === undefined)),
		correct: mayRetry && isUnfit && CORRECT,
		retry: mayRetry && retryText(context, ledger),
		runAgain: mayRetry && usesKeys && runAgainText(context),
		dontRunAgain: mayRetry && isOnceOnly && !usesKeys && dontRunAgain(context, ledger),
	};
	return Object.fromEntries(Object.entries(steps).filter(([, words]) => words));
}

const ASK =
	'Do not call this tool again for it before somebody has looked. A retry of the execution starts the agent again, and everything that the agent does.';

const CORRECT = "Correct a wrong value in this node's own fields: a retry has the same input.";

function lookText([first, second]: Report['inDoubt']): string {
	const how = first?.packageId === undefined ? '' : ', by packageId';
	return `Look at the service whether ${second === undefined ? 'it is' : 'they are'} there${how}.`;
}

/** What to do once the outcome is found out; `goesOn`: the run does, so there is no retry. */
function decideText([first, second]: Report['inDoubt'], goesOn: boolean): string {
	if (goesOn) {
		return 'If it is not there, send this item through the node again, with When Outcome Is Unknown set to Send Again. If it is, there is nothing to do.';
	}
	if (second === undefined)
		return 'Set the option When Outcome Is Unknown: Count as Sent if it is there, Send Again if not.';
	return `Set the option When Outcome Is Unknown: Count as Sent if all are there, Send Again if none is. If some are, name those with an expression: \`{{ [${first?.item}].includes($itemIndex) ? "countAsSent" : "sendAgain" }}\``;
}

function retryText(context: IExecuteFunctions, { effect }: Ledger): string {
	const rest = effect === 'sends' ? 'It sends only what was not sent.' : 'It does only what was not done.';
	if (context.getExecutionCancelSignal()?.aborted === true) {
		return `Retry with n8n's API, because its editor can't retry a canceled execution: \`POST /api/v1/executions/${context.getExecutionId()}/retry\` with \`{"loadWorkflow": true}\`. ${rest}`;
	}
	const isRetry = context.getMode() === 'retry';
	const [where, which] = isSubWorkflow(context)
		? ['Executions of the sub-workflow', 'the failed one']
		: ['Executions', isRetry ? 'this newest one, not the first one' : 'this one'];
	return `In ${where}, pick ${which}, click the arrow and choose "Retry with currently saved workflow". ${rest}`;
}

function runAgainText(context: IExecuteFunctions): string {
	const which = isSubWorkflow(context) ? 'calling workflow' : 'workflow';
	return `Or run the ${which} again: what was sent under its key is not sent again.`;
}

/** Warns of every way to run the node again, if it has no once keys. */
export function dontRunAgain(context: IExecuteFunctions, { effect }: Ledger): string {
	const harm = effect === 'sends' ? 'send duplicates' : 'do it twice';
	return isSubWorkflow(context)
		? `The calling workflow does not go on: send its other items in another run. Don't run or retry all of it: that would ${harm}.`
		: `Don't run the workflow again, nor Execute step (here or on a later node), nor Debug in editor: that would ${harm}.`;
}
