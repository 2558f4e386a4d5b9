import { credentialName } from '../../dev/harness/credential.mts';
import { exampleNames, readExample, withParameters } from '../../dev/harness/examples.mts';
import { errorOf } from '../../dev/harness/n8n/api.mts';
import type { WorkflowFile } from '../../dev/harness/n8n/api.mts';
import { everyThreeSeconds, messagingType, triggerType } from '../../dev/harness/workflows.mts';
import { receivedCalls } from '../../dev/harness/world.mts';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { email, enterExamples, message } from './example-runs.mts';

const { stage, n8n, sandbox, whilePublished, called, world, filled } = enterExamples();

const messagingNodes = (workflow: WorkflowFile): WorkflowFile['nodes'] =>
	workflow.nodes.filter(({ type }) =>
		[messagingType, `${messagingType}Tool`, `${messagingType}HitlTool`, triggerType].includes(type),
	);

describe('the example workflows', () => {
	it.each(exampleNames)(
		'%s is explained, has nothing of one installation, and finds the credential by its name',
		async (name) => {
			const example = readExample(name);
			expect(example.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote').length).toBeGreaterThan(
				0,
			);
			expect(example).not.toHaveProperty('id');
			expect(example.meta).not.toHaveProperty('instanceId');
			expect(example.nodes.map(({ type }) => type.split('.')[0])).toEqual(
				expect.not.arrayContaining([
					expect.not.stringMatching(/^(n8n-nodes-(base|unified-messaging)|@n8n\/n8n-nodes-langchain)$/),
				]),
			);
			for (const { credentials } of messagingNodes(example)) {
				expect(credentials).toEqual({ messagingApi: { id: null, name: credentialName } });
			}
			const { id, name: called } = stage.credential;
			for (const { credentials } of messagingNodes(await n8n.createWorkflow(example))) {
				expect(credentials?.['messagingApi']).toEqual({ id, name: called });
			}
		},
	);

	it('webhook-to-message sends one message for each order, and answers the application', async () => {
		const customer = { name: 'Ada', email: 'ada@example.com' };
		const example = filled('webhook-to-message');
		const [sent, again, refused, without] = await whilePublished(example, async () => [
			await n8n.callWebhook('order-shipped', { orderId: '1042', customer }),
			await n8n.callWebhook('order-shipped', { orderId: '1042', customer }),
			await n8n.callWebhook('order-shipped', {
				orderId: '1043',
				customer: { name: 'Bob', email: 'bob@nowhere' },
			}),
			await n8n.callWebhook('order-shipped', { customer }),
		]);

		expect(sent?.statusCode).toBe(200);
		const [request] = await receivedCalls(sandbox);
		const words = { text: 'Hello Ada, your order 1042 is on its way.', correlationId: 'workflow:order 1042' };
		const { channelId } = world().channel('Shop Newsletter');
		expect(request).toEqual(message(channelId, email(customer.email, customer.name), words));
		const { packageId } = request?.body as { packageId: string };
		expect(JSON.parse(sent?.text ?? '')).toEqual({ sent: true, alreadySent: false, packageId });
		expect(JSON.parse(again?.text ?? '')).toEqual({ sent: true, alreadySent: true, packageId });
		expect((await sandbox.state()).messages).toHaveLength(1);
		expect(JSON.parse(without?.text ?? '')).toMatchObject({ sent: false, outcome: 'unsent' });

		expect(refused?.statusCode).toBe(502);
		expect(JSON.parse(refused?.text ?? '')).toEqual({
			sent: false,
			outcome: 'rejected',
			reason: expect.stringContaining('e-mail address'),
		});
	});

	it('channel-alarm sends one alarm for all that dropped, and one all-clear when they are back', async () => {
		const example = withParameters(filled('channel-alarm'), {
			'Channel Drops or Comes Back': { pollTimes: everyThreeSeconds },
		});
		const dropped = ['Shop Newsletter', 'Support WhatsApp'];
		const { channelId, organizationId } = world().channel('Support E-mail');
		const own = world().channels.filter((channel) => channel.organizationId === organizationId);
		const body = own.map((channel) => ({
			...channel,
			isConnected: channel.isConnected && !dropped.includes(channel.name ?? ''),
			stateUpdatedAt: '2026-03-01T08:15:00Z',
		}));

		const [alarm, allClear, ...more] = await whilePublished(example, async () => {
			await sandbox.setFaults([{ kind: 'reply', method: 'GET', path: '/Admin/Channel', body }]);
			await waitForMessages(1);
			await sandbox.clearFaults();
			return await waitForMessages(2);
		});

		expect(more).toEqual([]);
		expect(alarm).toEqual(message(channelId, email('on-call@example.com', 'On Call')));
		const linesOf = (request: LoggedRequest | undefined): string[] =>
			(request?.body as { content: { text: string } }).content.text.split('\n');
		const [head, ...lines] = linesOf(alarm);
		expect(head).toBe('Not connected any more: 2 channels.');
		const lineOf = (name: string) =>
			`- ${name} (${world().channel(name).channelType.name}), since 1 Mar, 08:15`;
		expect(lines.sort()).toEqual(dropped.map(lineOf));
		expect(linesOf(allClear)[0]).toBe('Connected again: 2 channels.');
		expect(linesOf(allClear)).toHaveLength(3);
	});

	/** Waits until so many messages have reached the service. */
	async function waitForMessages(count: number): Promise<LoggedRequest[]> {
		const messages = async () =>
			(await sandbox.requests()).filter(({ operationId }) => operationId === 'message.send');
		await eventually(async () => (await messages()).length >= count, `message ${count}`, 200);
		return await messages();
	}

	it('second-channel sends to the phone what was not sent by e-mail, and nothing that may have been', async () => {
		await sandbox.setFaults([
			{ kind: 'status', bodyContains: 'bob@example.com', status: 400, body: { title: 'Unknown' } },
			{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
		]);
		const messages = ['ada@example.com', 'bob@example.com', 'cleo, no address', 'dan@example.com'].map(
			(address) => {
				const [id = ''] = address.split(/\W/);
				return { id, email: address, phone: `+49 30 ${id}`, text: `To ${id}` };
			},
		);

		const id = await called(filled('second-channel'), 'messages-to-send', { messages });

		const execution = await n8n.waitForExecution(id);
		expect(execution.status).toBe('error');
		expect(errorOf(execution, 'Look at the Service First')?.['message']).toContain('dan');
		const { channelId: emails } = world().channel('Shop Newsletter');
		const { channelId: phones } = world().channel('Support WhatsApp');
		const accepted = (await receivedCalls(sandbox)).filter((request) => request.accepted);
		expect(accepted).toHaveLength(4);
		for (const sent of [
			message(emails, email('ada@example.com'), { text: 'To ada' }),
			message(phones, { type: 'PHONE', phone: '+49 30 bob' }, { text: 'To bob' }),
			message(phones, { type: 'PHONE', phone: '+49 30 cleo' }, { text: 'To cleo' }),
			// The answer was lost: the message arrived, but is in doubt for the node.
			message(emails, email('dan@example.com'), { text: 'To dan' }),
		]) {
			expect(accepted).toContainEqual(sent);
		}
	});
});
