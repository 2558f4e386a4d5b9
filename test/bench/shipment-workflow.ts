/** The workflow in which every contestant runs. */
import type { IConnections } from 'n8n-workflow';
import type { WorkflowFile, WorkflowNode } from '../../dev/harness/n8n/api.ts';
import { node } from '../../dev/harness/workflows.ts';

/** A webhook that takes the messages, a node that makes an item of each, and the contestant. */
export function shipmentWorkflow(path: string, contestant: WorkflowNode): WorkflowFile {
	const nodes: WorkflowNode[] = [
		{
			// n8n answers when the execution is over: nobody has to ask for it while it runs.
			...node(
				'Webhook',
				'n8n-nodes-base.webhook',
				0,
				{ httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'noData' },
				2,
			),
			webhookId: path,
		},
		node('Split Out', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.messages' }),
		contestant,
	];
	const connections: IConnections = {};
	for (const [index, { name }] of nodes.slice(1).entries()) {
		connections[nodes[index]?.name ?? ''] = { main: [[{ node: name, type: 'main', index: 0 }]] };
	}
	return { name: path, nodes, connections, settings: { executionOrder: 'v1' } };
}
