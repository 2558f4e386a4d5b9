import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

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

/** Why the input of a tool may not be what the workflow means. */
export type ToolInput = Readonly<NonNullable<ReturnType<typeof toolInput>>>;

/** The input of a tool; `undefined` if the node is none. */
export function toolInput(context: IExecuteFunctions) {
	if (!isTool(context)) return undefined;
	const [input] = context.getInputData();
	const { $fromAI, $items } = context.getWorkflowDataProxy(0) as unknown as Expressions;
	const paired = input?.pairedItem;
	const from = typeof paired === 'object' && !Array.isArray(paired) ? paired.sourceOverwrite : undefined;
	const items = from && tried(() => $items(from.previousNode, from.previousNodeOutput, from.previousNodeRun));
	const [item] = items?.length === 1 ? items : [];
	// What an older n8n shows as the model's includes the agent's item. What is the same there is not the model's.
	const isOwn = (name: string): boolean =>
		item !== undefined && JSON.stringify(item.json[name]) === JSON.stringify(input?.json[name]);
	return {
		/** The names of what the model has sent. A newer agent adds all of it to the item, also what no field asks for. */
		sent: Object.keys(input?.json ?? {}).filter(
			// n8n refuses to look for a name with spaces.
			(name) => (tried(() => $fromAI(name) !== undefined) ?? true) && !isOwn(name),
		),
		/** How many items the agent has, if that is known. In a tool, `$('Node').item` is the first one for all of them. */
		items: items?.length,
	};
}

function tried<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** What expressions can use. */
interface Expressions {
	$fromAI(name: string): unknown;
	$items(node: string, output?: number, run?: number): readonly INodeExecutionData[];
}
