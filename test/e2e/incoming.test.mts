import { request } from 'undici';

import { publishAnswering } from '../../dev/harness/deliver-to.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { readWorld } from '../../dev/harness/world.mts';
import type { IncomingMessage } from '../../dev/sandbox/types.mts';
import { enterExamples } from './example-runs.mts';

/** The whole loop: a customer writes, the service delivers, a workflow answers. */

const { stage, n8n, sandbox, filled, ended } = enterExamples();

/** Publishes an example that answers, has the service deliver to it, and lets customers write. */
async function whileAnswering(
	example: string,
	act: (workflowId: string, deliveringChannelId: string) => Promise<void>,
): Promise<void> {
	const channels = ['Support E-mail', 'Support WhatsApp'];
	const answering = await publishAnswering(filled(example), channels, n8n, sandbox, stage.sandbox);
	try {
		await act(answering.workflowId, answering.deliveringChannelId);
	} finally {
		await n8n.deactivateWorkflow(answering.workflowId);
	}
}

/** A customer writes to a channel, and the service delivers it at once. */
async function write(channel: string, message: Omit<IncomingMessage, 'channelId'>): Promise<string | null> {
	const { channelId } = (await readWorld(sandbox, stage)).channel(channel);
	const { outboxEntryId } = await sandbox.receive({ channelId, ...message });
	await sandbox.deliverOutbox();
	return outboxEntryId;
}

/** What was sent. */
const answers = async () => (await sandbox.state()).messages.filter(({ sender }) => sender === null);

const ada = { type: 'EMAIL', email: 'ada@example.com', name: 'Ada' };
const bob = { type: 'PHONE', phone: '+49 30 1234567', country: 'DE' };

test('answer-a-customer answers each customer, through the channel of the message, once', async () => {
	await whileAnswering('answer-a-customer', async (workflowId, deliveringChannelId) => {
		await write('Support E-mail', { from: ada, text: 'When do you OPEN?', messageId: 'in-1' });
		const entryId = await write('Support WhatsApp', { from: bob, text: 'Help!', correlationId: 'c-7' });
		for (const flag of ['isFromMe', 'isGroupMessage', 'isStatusMessage', 'isBroadcast']) {
			await write('Support E-mail', { from: ada, text: 'Not to be answered', [flag]: true });
		}
		await write('Support E-mail', { from: ada, text: 'An echo', echoMessage: true });
		const executions = await ended(workflowId, 7);
		expect(executions.map(({ status }) => status)).toEqual(Array(7).fill('success'));

		const world = await readWorld(sandbox, stage);
		const sent = (await answers()).map((answer) => answer.package);
		expect(sent).toHaveLength(2);
		for (const [channel, to, text] of [
			['Support E-mail', ada, 'We are open from Monday to Friday, 9 am to 5 pm.'],
			['Support WhatsApp', bob, 'Thank you for your message. A colleague will answer you soon.'],
		] as const) {
			const { channelId } = world.channel(channel);
			expect(sent).toContainEqual(
				expect.objectContaining({ channelId, content: { text, to, type: 'TEXT' } }),
			);
		}
		expect(sent).toContainEqual(expect.objectContaining({ correlationId: 'c-7' }));

		// The service is in doubt, and delivers again.
		const requeue = `${stage.sandbox.url}/api/v1/admin/channel/${deliveringChannelId}/outbox/requeue`;
		const again = await request(requeue, {
			method: 'POST',
			headers: { 'x-api-key': stage.sandbox.tokens.org, 'content-type': 'application/json; v=1.0' },
			body: JSON.stringify({ ids: [entryId] }),
		});
		expect(again.statusCode).toBe(201);
		await sandbox.deliverOutbox();
		const [newest] = await ended(workflowId, 8);
		expect(outputOf(newest!, 'Promise an Answer')).toMatchObject([{ json: { alreadySent: true } }]);
		expect(await answers()).toHaveLength(2);
	});
});
