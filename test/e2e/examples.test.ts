import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { exampleNames, readExample, withAssignments } from './examples.ts';
import { filledExamples } from './fill-examples.ts';
import { outputOf } from './n8n/api.ts';
import type { WorkflowFile } from './n8n/api.ts';
import { projectRoot } from './n8n/paths.ts';
import { credentialName, enterStage } from './stage.ts';
import { messagingType } from './workflows.ts';
import { readWorld, receivedCalls } from './world.ts';

const { stage, n8n, sandbox } = enterStage();

const messagingNodes = (workflow: WorkflowFile): WorkflowFile['nodes'] =>
	workflow.nodes.filter(({ type }) => type === messagingType);

describe('the example workflows', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('are all tested here', () => {
		const files = readdirSync(join(projectRoot(), 'examples')).filter((file) => file.endsWith('.json'));
		expect(files.sort()).toEqual(exampleNames.map((name) => `${name}.json`).sort());
	});

	it.each(exampleNames)('%s can be shared: explained, and without anything of one installation', (name) => {
		const example = readExample(name);
		expect(example.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote').length).toBeGreaterThan(
			0,
		);
		expect(example).not.toHaveProperty('id');
		expect(example.meta).not.toHaveProperty('instanceId');
		expect(example.nodes.map(({ type }) => type.split('.')[0])).toEqual(
			expect.not.arrayContaining([expect.not.stringMatching(/^n8n-nodes-(base|unified-messaging)$/)]),
		);
		for (const { credentials } of messagingNodes(example)) {
			expect(credentials).toEqual({ messagingApi: { id: null, name: credentialName } });
		}
	});

	it.each(exampleNames)('%s finds the credential by its name when it is imported', async (name) => {
		const imported = await n8n.createWorkflow(readExample(name));
		for (const { credentials } of messagingNodes(imported)) {
			expect(credentials?.['messagingApi']).toEqual({
				id: stage.credential.id,
				name: stage.credential.name,
			});
		}
	});

	it('webhook-to-message sends a message and answers the application', async () => {
		const world = await readWorld(sandbox, stage);
		const { channelId } = world.channel('Shop Newsletter');
		const workflow = await n8n.createWorkflow(filledExamples['webhook-to-message'](world));
		await n8n.activateWorkflow(workflow);
		const customer = { name: 'Ada', email: 'ada@example.com' };

		const sent = await n8n.callWebhook('order-shipped', { orderId: '1042', customer });

		expect(sent.statusCode).toBe(200);
		const [request] = await receivedCalls(sandbox);
		expect(request).toMatchObject({
			operationId: 'message.send',
			conforms: true,
			accepted: true,
			body: {
				channelId,
				correlationId: '1042',
				content: {
					type: 'TEXT',
					text: 'Hello Ada, your order 1042 is on its way.',
					to: { type: 'EMAIL', ...customer },
				},
			},
		});
		const { packageId } = request?.body as { packageId: string };
		expect(JSON.parse(sent.text)).toEqual({ sent: true, packageId });

		const refused = await n8n.callWebhook('order-shipped', {
			orderId: '1043',
			customer: { name: 'Bob', email: 'no address' },
		});
		expect(refused.statusCode).toBe(502);
		expect(JSON.parse(refused.text)).toEqual({
			sent: false,
			outcome: 'rejected',
			reason: expect.stringContaining('e-mail address'),
		});
		await n8n.deactivateWorkflow(workflow.id);
	});

	it('scheduled-outbox-requeue puts failed entries back, once for the channel', async () => {
		const world = await readWorld(sandbox, stage);
		const { channelId, accountId, organizationId } = world.channel('Support Ticket Hook');
		const failed = world
			.entries('Support Ticket Hook', 'Failed')
			.map((entry) => entry.httpSenderOutboxEntryId);
		const sent = world.entries('Support Ticket Hook', 'Sent').map((entry) => entry.httpSenderOutboxEntryId);
		const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const example = withAssignments(filledExamples['scheduled-outbox-requeue'](world), 'Entries to Watch', {
			entryIds: JSON.stringify([...sent, ...failed, unknown]),
		});
		const { id } = await n8n.createWorkflow(example);

		const execution = await n8n.runWorkflow(id, 'Every 15 Minutes');

		expect(execution.status).toBe('success');
		const requests = await receivedCalls(sandbox);
		expect(requests.every(({ conforms }) => conforms)).toBe(true);
		expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(sent.length + failed.length + 1);
		expect(requests.filter(({ method }) => method === 'POST')).toMatchObject([
			{
				operationId: 'outbox.requeue',
				accepted: true,
				body: { ids: failed, channelId, accountId, organizationId },
			},
		]);
		expect(outputOf(execution, 'Could Not Be Read')).toMatchObject([
			{ json: { error: { statusCode: 404 } } },
		]);
		expect(outputOf(execution, 'Requeue Entries')).toMatchObject([{ json: { success: true, ids: failed } }]);
		const after = await readWorld(sandbox, stage);
		expect(after.entries('Support Ticket Hook', 'Failed')).toEqual([]);
	});

	it('channel-overview counts the channels of each account and lists those that cannot send', async () => {
		const { channels, accounts } = await sandbox.state();
		const own = accounts.filter(({ name }) => name?.startsWith('Acme'));
		const ready = (channel: (typeof channels)[number]): boolean =>
			channel.isConnected && channel.status.canSendAndReceiveMessage;
		const { id } = await n8n.createWorkflow(readExample('channel-overview'));

		const execution = await n8n.runWorkflow(id, 'Start');

		expect(execution.status).toBe('success');
		expect(await receivedCalls(sandbox)).toMatchObject([{ operationId: 'channel.getAll', conforms: true }]);
		const rows = outputOf(execution, 'Per Account').map(({ json }) => json);
		expect(rows).toHaveLength(own.length);
		for (const { accountId, name } of own) {
			const itsChannels = channels.filter((channel) => channel.accountId === accountId);
			expect(rows).toContainEqual({
				account: name,
				channels: itsChannels.length,
				readyToSend: itsChannels.filter(ready).length,
			});
		}
		const notReady = channels.filter(
			(channel) => own.some(({ accountId }) => accountId === channel.accountId) && !ready(channel),
		);
		const listed = outputOf(execution, 'Needs a Look').map(({ json }) => json['name']);
		expect(listed.sort()).toEqual(notReady.map(({ name }) => name).sort());
	});
});
