import type { IExecuteFunctions } from 'n8n-workflow';

type Context = Pick<IExecuteFunctions, 'getNode'>;

/**
 * Whether an AI agent or an MCP client calls the node. n8n gives such a node a type of its own, `messagingTool`. The
 * context says nothing: a newer agent lets the engine make the call, an older one makes it itself.
 */
export function isTool(context: Context): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Whether the node asks a person before an agent uses another tool ("human in the loop"). It is a tool as well. */
export function isReviewer(context: Context): boolean {
	return context.getNode().type.endsWith('HitlTool');
}
