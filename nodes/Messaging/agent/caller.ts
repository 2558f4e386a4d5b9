import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an AI agent or an MCP client calls the node. n8n gives such a node a type of its own, `messagingTool`. The
 * context says nothing: a newer agent lets the engine make the call, an older one makes it itself.
 */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Whether the node asks a person before an agent uses another tool ("human in the loop"). It is a tool as well. */
export function isReviewer(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('HitlTool');
}

/**
 * Whether an AI agent makes the call itself, without the engine, as AI Agent 2 and the MCP Server Trigger do. n8n then
 * gives the node a context for sub-nodes. No other has `getNextRunIndex`.
 */
export function isSubNode(context: IExecuteFunctions): boolean {
	return 'getNextRunIndex' in context;
}

/**
 * Whether n8n goes on after a failure. After a reviewer it does by default, because n8n's editor does not save Stop
 * Workflow. Under AI Agent 2 it always does: the model would read an empty text in place of an error, and send again. An
 * MCP client, whose calls have no execution, reads errors.
 */
export function goesOn(context: IExecuteFunctions): boolean {
	const isSet = context.getNode().onError === 'stopWorkflow';
	const isAgent2 = isSubNode(context) && context.getExecutionId() !== undefined;
	return context.continueOnFail() || isAgent2 || (isReviewer(context) && !isSet);
}
