import { outputOf } from '../../dev/harness/n8n/api.ts';
import { byId, messagingWorkflow, names, node } from '../../dev/harness/workflows.ts';
import { readWorld, receivedCalls } from '../../dev/harness/world.ts';
import { enterStage } from './stage.ts';

const { stage, n8n, sandbox } = enterStage();

describe('an event in another app', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('sends a message through the production address of a published workflow', async () => {
		const world = await readWorld(sandbox, stage);
		const { channelId } = world.channel('Support E-mail');
		const path = 'parcel-left';
		const workflow = await n8n.createWorkflow(
			messagingWorkflow({
				name: 'Parcel left',
				credential: stage.credential,
				trigger: {
					...node(
						names.start,
						'n8n-nodes-base.webhook',
						0,
						{ httpMethod: 'POST', path, responseMode: 'lastNode' },
						2,
					),
					webhookId: 'f3b2a0de-7d6c-4a55-8c39-1f2e3d4c5b6a',
				},
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId(channelId),
					toEmail: '={{ $json.body.email }}',
					text: '=Parcel {{ $json.body.parcel }} left',
				},
			}),
		);
		await n8n.activateWorkflow(workflow);

		const answer = await n8n.callWebhook(path, { email: 'ada@example.com', parcel: 7 });

		expect(answer.statusCode).toBe(200);
		const { packageId } = JSON.parse(answer.text) as { packageId: string };
		expect(await receivedCalls(sandbox)).toMatchObject([
			{
				method: 'POST',
				path: '/api/v1/message/SendMessage',
				conforms: true,
				accepted: true,
				body: {
					packageId,
					channelId,
					content: { type: 'TEXT', text: 'Parcel 7 left', to: { type: 'EMAIL', email: 'ada@example.com' } },
				},
			},
		]);
		expect((await sandbox.state()).messages).toMatchObject([
			{ packageId, recipient: 'ada@example.com', text: 'Parcel 7 left' },
		]);
		const execution = await n8n.waitForNewExecution(workflow.id, new Set());
		expect(execution).toMatchObject({ mode: 'webhook', status: 'success' });
		expect(outputOf(execution, names.messaging)).toMatchObject([
			{ json: { packageId, channelId }, pairedItem: { item: 0 } },
		]);
		await n8n.deactivateWorkflow(workflow.id);
	});
});
