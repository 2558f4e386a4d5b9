import { importExample } from '../harness/deliver-to.mts';
import { exampleNames } from '../harness/examples.mts';
import { filledExample } from '../harness/fill-examples.mts';
import type { N8nClient, StoredCredential, StoredWorkflow, WorkflowFile } from '../harness/n8n/api.mts';
import { byId, inARow, messagingType, node, withCredential } from '../harness/workflows.mts';
import type { World } from '../harness/world.mts';

/** The start node of "Send a message". */
export const startNode = 'When clicking ‘Execute workflow’';

/** The node that sends. */
export const sendNode = 'Send a message';

/** The workflows of the demo, as n8n holds them. */
export interface DemoWorkflows {
	readonly send: StoredWorkflow;
	/** Published: its webhook can be called. */
	readonly webhook: StoredWorkflow;
	/** Published: it answers what customers write on the sandbox's page. */
	readonly answering: StoredWorkflow;
}

/** Imports the demo's own workflow and the examples, filled in with records of the sandbox. */
export async function importWorkflows(
	n8n: N8nClient,
	credential: StoredCredential,
	world: World,
): Promise<DemoWorkflows> {
	const send = await n8n.createWorkflow(sendWorkflow(credential, world));
	const published = async (name: string): Promise<StoredWorkflow> => {
		const workflow = await importExample(n8n, filledExample(name, world));
		await n8n.activateWorkflow(workflow);
		return workflow;
	};
	const [webhook, answering] = ['webhook-to-message', 'answer-a-customer'];
	for (const name of exampleNames) {
		if (name !== webhook && name !== answering) await n8n.createWorkflow(filledExample(name, world));
	}
	return { send, webhook: await published(webhook), answering: await published(answering) };
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
				...withCredential(credential),
			},
		],
		connections: inARow(startNode, sendNode),
		settings: { executionOrder: 'v1' },
	};
}
