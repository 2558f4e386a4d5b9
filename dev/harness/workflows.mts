import type { IConnections, IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import type { StoredCredential, WorkflowFile, WorkflowNode } from './n8n/api.mts';

/** The type of the node in saved workflows. */
export const messagingType = 'n8n-nodes-unified-messaging.messaging';

/** The type of the trigger. */
export const triggerType = 'n8n-nodes-unified-messaging.messagingTrigger';

/** The names of the nodes in a workflow made here. */
export const names = {
	start: 'Start',
	split: 'Split Out',
	messaging: 'Unified Messaging',
	success: 'Went Out',
	failure: 'Failed',
};

/**
 * Poll times for every third second: n8n refuses a cron expression for less than a minute, and takes any number of
 * them.
 */
export const everyThreeSeconds: INodeParameters = {
	item: Array.from({ length: 20 }, (_, n) => ({ mode: 'custom', cronExpression: `${n * 3} * * * * *` })),
};

/** How a workflow with one messaging node is made. */
export interface WorkflowOptions {
	readonly name: string;
	readonly credential: StoredCredential;
	/** The node's parameters, with resource and operation. */
	readonly parameters: INodeParameters;
	/** The trigger's output; one empty item by default. */
	readonly items?: readonly IDataObject[];
	readonly onError?: OnError;
	/** Used instead of a manual trigger with pinned items. */
	readonly trigger?: WorkflowNode;
}

/** A workflow: a trigger, the messaging node, and a node behind each of its outputs. */
export function messagingWorkflow(options: WorkflowOptions): WorkflowFile {
	const { name, credential, parameters, items = [{}], onError, trigger } = options;
	const start = trigger ?? node(names.start, 'n8n-nodes-base.manualTrigger', 0);
	const nodes: WorkflowNode[] = [
		start,
		{
			...node(names.messaging, messagingType, 1, parameters),
			...withCredential(credential),
			...(onError === undefined ? {} : { onError }),
		},
		node(names.success, 'n8n-nodes-base.noOp', 2),
		node(names.failure, 'n8n-nodes-base.noOp', 3),
	];
	const connections: IConnections = {
		[start.name]: { main: [to(names.messaging)] },
		[names.messaging]: { main: [to(names.success), to(names.failure)] },
	};
	return {
		name,
		nodes,
		connections,
		settings: { executionOrder: 'v1' },
		...(trigger === undefined ? { pinData: { [start.name]: items.map((json) => ({ json })) } } : {}),
	};
}

/**
 * A workflow whose webhook takes a list, and hands each of its entries to a node as an item.
 *
 * @param listed the field of the body that holds the list
 * @param webhook further parameters of the webhook
 */
export function webhookWorkflow(
	path: string,
	listed: string,
	last: WorkflowNode,
	webhook: INodeParameters = {},
): WorkflowFile {
	const taking = { httpMethod: 'POST', path, ...webhook };
	return {
		name: path,
		nodes: [
			{ ...node(names.start, 'n8n-nodes-base.webhook', 0, taking, 2), webhookId: path },
			node(names.split, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: `body.${listed}` }),
			last,
		],
		connections: inARow(names.start, names.split, last.name),
		settings: { executionOrder: 'v1' },
	};
}

/** Connections from each of these nodes to the next. */
export const inARow = (...row: readonly string[]): IConnections =>
	Object.fromEntries(row.slice(1).map((name, n) => [row[n], { main: [to(name)] }]));

/** What a node has that uses a credential. */
export const withCredential = ({ type, id, name }: StoredCredential): Pick<WorkflowNode, 'credentials'> => ({
	credentials: { [type]: { id, name } },
});

/** A node at its own position. */
export const node = (
	name: string,
	type: string,
	place: number,
	parameters: INodeParameters = {},
	typeVersion = 1,
): WorkflowNode => ({
	id: `00000000-0000-4000-8000-00000000000${place}`,
	name,
	type,
	typeVersion,
	position: [place * 220, 0],
	parameters,
});

/** A locator's value, given by id. */
export const byId = (value: string): INodeParameters => ({ __rl: true, mode: 'id', value });

const to = (name: string): IConnections[string]['main'][number] => [{ node: name, type: 'main', index: 0 }];
