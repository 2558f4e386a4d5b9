/** Questions that others start. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { linkIn, sendAnswer } from '../../dev/harness/answer-page.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { byId, inARow, names, node } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { eventually } from '../waiting.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, workflow } = enterStage();

jest.setTimeout(180_000);

let question: INodeParameters;

beforeEach(async () => {
	await sandbox.reset();
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	question = {
		resource: 'message',
		operation: 'sendAndWait',
		channelId: byId(channelId),
		toEmail: 'boss@example.com',
		message: '=May order {{ $json.body?.order ?? $json.order }} go on?',
	};
});

const messages = async () => (await sandbox.state()).messages;
const links = async () => (await messages()).map(({ text }) => linkIn(text));

/** A webhook that answers when the last node has finished. */
const webhook = (path: string) => ({
	...node(
		'Webhook',
		'n8n-nodes-base.webhook',
		7,
		{ httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'firstEntryJson' },
		2,
	),
	webhookId: path,
});

describe('the caller of a webhook is answered, and one question is asked', () => {
	test('by the node itself', async () => {
		const path = 'asks-itself';
		const asking = await n8n.createWorkflow(workflow(question, { trigger: webhook(path) }));
		await n8n.activateWorkflow(asking);

		const { statusCode, text } = await n8n.callWebhook(path, { order: 1042 });

		expect(statusCode).toBe(200);
		expect((JSON.parse(text) as IDataObject)['body']).toEqual({ order: 1042 });
		const id = await n8n.waitForStart(asking.id);
		await n8n.waitUntilWaiting(id);
		const [link = '', ...others] = await links();
		expect(others).toEqual([]);
		expect((await sendAnswer(link, { answer: 'approve' })).status).toBe(200);
		const ended = await n8n.waitForExecution(id);
		expect(ended.status).toBe('success');
		expect(outputOf(ended, names.messaging).map(({ json }) => json['data'])).toMatchObject([
			{ approved: true },
		]);
		expect(await n8n.executions(asking.id)).toHaveLength(1);
		await n8n.deactivateWorkflow(asking.id);
	});
});

test('in a loop, one recipient is asked one question after the other', async () => {
	const items = [{ order: 1 }, { order: 2 }];
	const asking = workflow(question, { items });
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 9, { batchSize: 1, options: {} }, 3);
	const looped = await n8n.createWorkflow({
		...asking,
		nodes: [...asking.nodes, loop],
		connections: {
			...inARow(names.start, 'Loop'),
			...inARow(names.messaging, 'Loop'),
			Loop: {
				main: [
					[{ node: names.success, type: 'main', index: 0 }],
					[{ node: names.messaging, type: 'main', index: 0 }],
				],
			},
		},
	});
	const { id } = await n8n.runUntilWaiting(looped.id, names.start);
	for (const n of [1, 2]) {
		await eventually(async () => (await messages()).length === n, `question ${n}`, 100);
		await n8n.waitUntilWaiting(id);
		expect((await messages()).at(-1)?.text).toContain(`order ${n} `);
		await sendAnswer((await links()).at(-1) ?? '', { answer: 'approve' });
	}
	const ended = await n8n.waitForExecution(id);
	expect(ended.status).toBe('success');
	expect(outputOf(ended, names.success)).toHaveLength(2);
});
