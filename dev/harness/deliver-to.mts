import { request } from 'undici';

import { asText } from './as-text.mts';
import type { N8nClient, StoredWorkflow, WorkflowFile } from './n8n/api.mts';
import type { SandboxClient } from '../sandbox/client.mts';
import type { SandboxAddress } from '../sandbox/types.mts';

/** What a person does who wants to receive messages: a new HTTP channel is made the feedback channel of others. */
interface Delivery {
	/** Where the messages of customers are delivered to. */
	readonly url: string;
	/** The names of the channels that customers write to. */
	readonly channels: readonly string[];
}

/** The name of the new channel. */
export const deliveringChannel = 'Deliver to n8n';

/**
 * Has messages that customers write to the sandbox delivered.
 *
 * @returns the ID of the new channel
 */
export async function deliverTo(
	{ url, channels: names }: Delivery,
	client: SandboxClient,
	sandbox: Pick<SandboxAddress, 'url' | 'tokens'>,
): Promise<string> {
	const { channels, providers } = await client.state();
	const { providerId } = providers.find(({ channelTypeKey }) => channelTypeKey === 'HTTP') ?? {};
	const { body, statusCode } = await request(`${sandbox.url}/api/v1/message/Configure/CreateChannel`, {
		method: 'POST',
		headers: { 'x-api-key': sandbox.tokens.org, 'content-type': 'application/json; v=1.0' },
		body: JSON.stringify({ name: deliveringChannel, channelType: 'HTTP', providerId, parameters: { url } }),
	});
	if (statusCode !== 200) throw new Error(`The sandbox made no channel: ${await body.text()}`);
	const { channelId } = (await body.json()) as { channelId: string };
	await client.changeChannel(channelId, { isConnected: true });
	for (const name of names) {
		const id = channels.find((channel) => channel.name === name)?.channelId ?? '';
		await client.changeChannel(id, { feedbackChannelId: channelId });
	}
	await client.clearRequests();
	return channelId;
}

/** The address of a workflow's webhook. */
export function webhookOf({ nodes }: StoredWorkflow, n8nUrl: string): string {
	const hook = nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
	return `${n8nUrl}/webhook/${asText(hook?.parameters['path'])}`;
}

/** The trigger from which an example makes its data tables. */
export const tableMaker = 'Run This Once';

/** Imports an example, and has it make its data tables if it needs any. */
export async function importExample(n8n: N8nClient, file: WorkflowFile): Promise<StoredWorkflow> {
	const workflow = await n8n.createWorkflow(file);
	if (file.nodes.some(({ name }) => name === tableMaker)) {
		const { status } = await n8n.runWorkflow(workflow.id, tableMaker);
		if (status !== 'success') throw new Error(`${file.name} made no data table: ${status}`);
	}
	return workflow;
}

/** Publishes an example that answers, and has the messages of customers delivered to it. */
export async function publishAnswering(
	example: WorkflowFile,
	channels: readonly string[],
	n8n: N8nClient,
	client: SandboxClient,
	sandbox: Pick<SandboxAddress, 'url' | 'tokens'>,
): Promise<{ workflowId: string; deliveringChannelId: string }> {
	const workflow = await importExample(n8n, example);
	await n8n.activateWorkflow(workflow);
	const url = webhookOf(workflow, n8n.url);
	return {
		workflowId: workflow.id,
		deliveringChannelId: await deliverTo({ url, channels }, client, sandbox),
	};
}
