import { type IExecuteFunctions, NodeConnectionTypes } from 'n8n-workflow';

import { type Failure, failureBy, unsent } from '../service/endings';
import { CALL_WITH } from './text-for-model';

/**
 * Whether an AI agent or an MCP client calls the node. n8n gives such a node a type of its own, `messagingTool`, and where
 * the engine makes the call, it also notes in the node that its output goes to an agent.
 */
export function isTool(context: IExecuteFunctions): boolean {
	const { rewireOutputLogTo, type } = context.getNode();
	return type.endsWith('Tool') || rewireOutputLogTo === NodeConnectionTypes.AiTool;
}

/** Whether the node asks a person before an agent uses another tool ("human in the loop"). It is a tool as well. */
export function isReviewer(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('HitlTool');
}

/**
 * Whether an AI agent makes the call itself, without the engine, as AI Agent 2 and the MCP Server Trigger do. n8n then
 * gives the node a context for sub-nodes, with a method that no other has. A tool is also taken for one unless it is itself
 * what the engine executes: in doubt, no error is thrown that the model could not read, and no question is asked.
 */
export function isSubNode(context: IExecuteFunctions): boolean {
	if ('getNextRunIndex' in context) return true;
	return isTool(context) && context.getExecuteData().node.name !== context.getNode().name;
}

/**
 * Whether n8n goes on after a failure. After a reviewer it does by default, because n8n's editor does not save Stop
 * Workflow. Under AI Agent 2 it always does: the model would read an empty text in place of an error, and send again. An
 * MCP client, whose calls have no execution, reads errors.
 */
export function continuesOnFail(context: IExecuteFunctions): boolean {
	const isSet = context.getNode().onError === 'stopWorkflow';
	const isAgent2 = isSubNode(context) && context.getExecutionId() !== undefined;
	return context.continueOnFail() || isAgent2 || (isReviewer(context) && !isSet);
}

/** Why an agent or an MCP client can't use an operation so; `undefined` if it can. */
export function whyUnusable(
	context: IExecuteFunctions,
	{ previews, waits }: { readonly previews?: string; readonly waits?: true },
): Failure | undefined {
	if (previews !== undefined && isTool(context)) return NO_PREVIEW;
	if (waits !== true) return undefined;
	if (isSubNode(context)) return CANT_WAIT;
	const isBlank = context.getInputData().some(({ json }) => (json.toolParameters ?? '') === '');
	return isReviewer(context) && isBlank ? NOTHING_TO_REVIEW : undefined;
}

/** The model would read the recipient, which the workflow keeps from it. */
const NO_PREVIEW = unsent('A tool of an AI agent can not use Preview', 'Choose Send or Reply.');

/** Only the engine can put an execution to wait. An agent that makes its calls itself would go on without the answer. */
const CANT_WAIT = unsent(
	'Nobody was asked: this caller can not wait for an answer',
	"Send and Wait for Response needs n8n's AI Agent from version 3 on, and does not work over MCP.",
);

/** Even of a tool without parameters, a reviewer is called with {}. */
const NOTHING_TO_REVIEW = failureBy('invalid', {
	message: `Nobody was asked: the question would be blank, so ${CALL_WITH} its toolParameters`,
	description: '',
});
