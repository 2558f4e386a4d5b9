/** Builds workflows for the engine, in the form in which n8n stores them. */
import type { IConnections, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import type { StoredCredential, WorkflowJson } from './protocol.mts';

/** The default name of the node under test in a workflow. */
export const nodeName = 'Messaging';

/** The default name of a workflow's first node. */
export const startName = 'Start';

/** The type of the node under test. */
export const messagingType = 'n8n-nodes-unified-messaging.messaging';

/** The type of the trigger under test. */
export const triggerType = 'n8n-nodes-unified-messaging.messagingTrigger';

/** A node's settings besides its parameters, as on the editor's Settings tab. */
export type NodeSettings = Partial<Omit<INode, 'id' | 'name' | 'type' | 'position' | 'parameters'>>;

/** An API key of the service, as a user enters it. */
export interface MessagingCredential {
	baseUrl: string;
	apiKey: string;
	header?: boolean;
	headerName?: string;
	headerValue?: string;
}

/** One node of a workflow. */
export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	settings: NodeSettings = {},
): INode {
	return { id: `id-${name}`, name, type, typeVersion: 1, position: [0, 0], parameters, ...settings };
}

/** The start node, which outputs the items of the execution. */
export function startNode(): INode {
	return node(startName, 'harness.start');
}

/** The node under test. */
export function messagingNode(
	parameters: INodeParameters,
	settings: NodeSettings = {},
	name = nodeName,
): INode {
	return node(name, messagingType, parameters, { credentials: theCredential(), ...settings });
}

/** A workflow that begins with the trigger under test. */
export function triggeredWorkflow(parameters: INodeParameters): WorkflowJson {
	return workflow([node(startName, triggerType, parameters, { credentials: theCredential() })], []);
}

function theCredential(): NonNullable<INode['credentials']> {
	const { id, name, type } = storedCredential({ baseUrl: '', apiKey: '' });
	return { [type]: { id, name } };
}

/** A connection from one of a node's outputs to one of a node's inputs, by default from the first to the first. */
export type Edge = [from: string, to: string, output?: number, input?: number];

/** A workflow of nodes and the connections between them. */
export function workflow(nodes: INode[], edges: Edge[], settings: IWorkflowSettings = {}): WorkflowJson {
	const connections: IConnections = {};
	for (const [from, to, output = 0, input = 0] of edges) {
		const outputs = ((connections[from] ??= {})['main'] ??= []);
		for (let index = outputs.length; index <= output; index++) outputs.push([]);
		outputs[output]?.push({ node: to, type: 'main', index: input });
	}
	// Positions from left to right: the engine orders parallel branches by position.
	const placed = nodes.map((item, index) => ({ ...item, position: [index * 200, 0] as [number, number] }));
	return {
		id: 'workflow-under-test',
		name: 'Workflow under test',
		nodes: placed,
		connections,
		settings: { executionOrder: 'v1', ...settings },
	};
}

/** A loop of one item a round around the node under test; `Done` gets what comes out. */
export function loopAround(messaging: INode, done = '={{ $json }}'): WorkflowJson {
	return workflow(
		[
			startNode(),
			node('Loop', 'harness.loop', { batchSize: 1 }),
			messaging,
			node('Done', 'harness.set', { json: done }),
		],
		[
			[startName, 'Loop'],
			['Loop', 'Done', 0],
			['Loop', messaging.name, 1],
			[messaging.name, 'Loop'],
		],
	);
}

/** The stored credential that `messagingNode` uses. */
export function storedCredential(data: MessagingCredential): StoredCredential {
	return { id: 'credential-1', name: 'Messaging key', type: 'messagingApi', data: { ...data } };
}
