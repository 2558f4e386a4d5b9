/** The node as a tool of an MCP client: what a model reads, and what goes out. */
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { McpClient } from '../../dev/harness/mcp-client.mts';
import { messagingType, node, withCredential } from '../../dev/harness/workflows.mts';
import { anyUuid, fromAI } from '../cases/values.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, sendEach, accepted } = enterStage();
beforeEach(async () => {
	await sandbox.reset();
});

/** Acts as the client of an MCP server with these tools. */
async function withTools(
	tools: Readonly<Record<string, INodeParameters>>,
	act: (client: McpClient) => Promise<void>,
): Promise<void> {
	const path = randomUUID();
	const names = Object.keys(tools);
	const workflow = await n8n.createWorkflow({
		name: 'MCP server',
		nodes: [
			{
				...node('MCP Server Trigger', '@n8n/n8n-nodes-langchain.mcpTrigger', 0, { path }, 2.1),
				webhookId: path,
			},
			...names.map((name, n) => ({
				...node(name, `${messagingType}Tool`, n + 1, tools[name]),
				...withCredential(stage.credential),
			})),
		],
		connections: Object.fromEntries(
			names.map((name) => [name, { ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] }]),
		),
		settings: { executionOrder: 'v1' },
	});
	await n8n.activateWorkflow(workflow);
	try {
		const client = new McpClient(`${stage.n8nUrl}/mcp/${path}`);
		await client.open();
		await act(client);
	} finally {
		await n8n.deactivateWorkflow(workflow.id);
	}
}

const to = "$fromAI('to', 'Email address of the recipient')";

/** A tool that sends to whom, and what, the model says, once for each of these keys. */
async function sendOnce(onceKey: string): Promise<INodeParameters> {
	const options = { onceKey, maxTries: 1 };
	return await sendEach({ toEmail: `={{ ${to} }}`, text: fromAI('text', 'The text'), options });
}

const hello = { to: 'ada@example.com', text: 'Hello', order: '7' };

test('what a model reads of a success, a used key, a refusal and a doubt, which it repeats', async () => {
	const send = await sendOnce(`={{ $fromAI('order', 'Order number') }} {{ ${to} }}`);
	await withTools({ Send_Order: send }, async (client) => {
		expect(JSON.parse(await client.call('Send_Order', hello))).toEqual([
			{
				packageId: anyUuid(),
				channelId: anyUuid(),
				messageId: expect.any(String) as string,
				onceKey: '7 ada@example.com',
			},
		]);
		expect(await client.call('Send_Order', hello)).toMatch(/"alreadySent":true.*This one did nothing/);
		expect(await accepted()).toEqual({ Hello: 1 });

		expect(await client.call('Send_Order', { ...hello, to: 'ada', order: '8' })).toMatch(
			/NOT SENT \(outcome: unsent\): The field .*To Email.* Correct that and call again/,
		);
		await sandbox.setFaults([{ kind: 'lostResponse', path: '/SendMessage' }]);
		for (let call = 0; call < 3; call++) {
			expect(await client.call('Send_Order', { ...hello, text: 'Bye', order: '9' })).toMatch(
				/MAYBE SENT \(outcome: unknown\): .*Do not call again; tell a person\.$/,
			);
		}
		expect(await accepted()).toEqual({ Hello: 1, Bye: 1 });
	});
});

test('a key with the execution ID, which is the same for every call of an MCP client, is refused', async () => {
	await withTools({ Send: await sendOnce(`={{ $execution.id }} {{ ${to} }}`) }, async (client) => {
		expect(await client.call('Send', hello)).toMatch(
			/NOT SENT \(outcome: unsent\): .*needs a value of its own for each item, but it is .*__UNKNOWN__/,
		);
		expect(await accepted()).toEqual({});
	});
});

test("a key with the client's session: one message to each recipient in it", async () => {
	const send = await sendOnce(`={{ $json.headers['mcp-session-id'] }} {{ ${to} }}`);
	await withTools({ Send: send }, async (client) => {
		expect(await client.call('Send', hello)).toContain('packageId');
		expect(await client.call('Send', { ...hello, text: 'Hello again' })).toContain('"alreadySent":true');
		expect(await client.call('Send', { ...hello, to: 'grace@example.com', text: 'Bye' })).toContain(
			'packageId',
		);
		// The model can't make up another session.
		const headers = { 'mcp-session-id': 'other' };
		expect(await client.call('Send', { ...hello, headers })).toContain('"alreadySent":true');
		expect(await accepted()).toEqual({ Hello: 1, Bye: 1 });
	});
});
