import { exampleNames } from '../harness/examples.ts';
import { filledExamples } from '../harness/fill-examples.ts';
import type { N8nClient, StoredCredential, StoredWorkflow, WorkflowFile } from '../harness/n8n/api.ts';
import { byId, messagingType, node } from '../harness/workflows.ts';
import type { World } from '../harness/world.ts';

/** The start node of "Send a message". */
export const startNode = 'When clicking ‘Execute workflow’';

/** The node that sends. */
export const sendNode = 'Send a message';

/** The workflows of the demo, as n8n holds them. */
export interface DemoWorkflows {
	readonly send: StoredWorkflow;
	/** Published: its webhook can be called. */
	readonly webhook: StoredWorkflow;
}

/** Imports the demo's own workflow and the examples, filled in with records of the sandbox. */
export async function importWorkflows(
	n8n: N8nClient,
	credential: StoredCredential,
	world: World,
): Promise<DemoWorkflows> {
	const send = await n8n.createWorkflow(sendWorkflow(credential, world));
	let webhook = send;
	for (const name of exampleNames) {
		const stored = await n8n.createWorkflow(filledExamples[name](world));
		if (name === 'webhook-to-message') webhook = stored;
	}
	await n8n.activateWorkflow(webhook);
	return { send, webhook };
}

function sendWorkflow(credential: StoredCredential, world: World): WorkflowFile {
	const { channelId, name } = world.channel('Support E-mail');
	return {
		name: 'Send a message',
		nodes: [
			node(startNode, 'n8n-nodes-base.manualTrigger', 0),
			{
				...node(sendNode, messagingType, 1, {
					resource: 'message',
					operation: 'send',
					channelId: { ...byId(channelId), mode: 'list', cachedResultName: name },
					toEmail: 'ada@example.com',
					text: '=Hello Ada, it is {{ $now.toFormat("HH:mm") }} and this message was sent by a workflow.',
					additionalFields: { toName: 'Ada Lovelace' },
				}),
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			},
		],
		connections: { [startNode]: { main: [[{ node: sendNode, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}
