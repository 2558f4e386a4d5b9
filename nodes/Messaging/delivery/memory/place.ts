import type { IDataObject, IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

/** Where a run of the node keeps what it remembers, and its number among those that share the place. */
export interface Place {
	readonly place: IDataObject;
	readonly run: number;
	/** Whether it is one call that an AI agent makes: no other execution repeats it. */
	readonly isToolCall: boolean;
}

/** The places of calls that an AI agent makes, by the arguments that it gives. */
const toolCalls = new WeakMap<IDataObject, IDataObject>();

/**
 * Where a run of the node keeps what it remembers: in the node's context, which outlives the run.
 *
 * Not so where an AI agent has the node as a tool and calls it itself. Several of its calls may be under way at once,
 * some of them under the same number of a run, and each try of Retry On Fail has a number of its own. What the tries of
 * one call have in common is the object that holds its arguments. No other execution ever repeats such a call: the agent
 * starts anew then.
 */
export function placeOf(context: IExecuteFunctions): Place {
	const [call] = context.getInputData();
	if (call === undefined || !isToolCall(context)) {
		const run = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		return { place: context.getContext('node'), run, isToolCall: false };
	}
	const place = toolCalls.get(call.json) ?? {};
	toolCalls.set(call.json, place);
	return { place, run: 0, isToolCall: true };
}

/**
 * Whether an agent calls the node itself: it does so in a context for sub-nodes, in every n8n. A call that the engine
 * makes for an agent is a run like any other.
 */
export function isToolCall(context: IExecuteFunctions | ISupplyDataFunctions): boolean {
	return 'getNextRunIndex' in context;
}
