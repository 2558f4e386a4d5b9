/** Questions that others start, and links that mail programs and proxies change. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { startFreshN8n } from '../../dev/harness/n8n/fresh-n8n.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import { byId, inARow, messagingWorkflow, names, node } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { eventually } from '../waiting.mts';
import { n8nUnderTest } from './needs.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, workflow } = enterStage();

jest.setTimeout(180_000);

afterAll(tearDown);

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

	test('in a sub-workflow, which goes on for each item of one recipient', async () => {
		const started = node(
			names.start,
			'n8n-nodes-base.executeWorkflowTrigger',
			8,
			{ inputSource: 'passthrough' },
			1.1,
		);
		const sub = await n8n.createWorkflow(workflow(question, { trigger: started }));
		await n8n.activateWorkflow(sub).catch(() => {});
		const path = 'asks-below';
		const call = { workflowId: { ...byId(sub.id) }, mode: 'each', options: {} };
		const parent = await n8n.createWorkflow({
			name: path,
			nodes: [
				webhook(path),
				node('Orders', 'n8n-nodes-base.splitOut', 5, { fieldToSplitOut: 'body.orders' }),
				node('Ask', 'n8n-nodes-base.executeWorkflow', 6, call, 1.2),
			],
			connections: inARow('Webhook', 'Orders', 'Ask'),
			settings: { executionOrder: 'v1' },
		});
		await n8n.activateWorkflow(parent);
		const answer = n8n.callWebhook(path, { orders: [{ order: 1 }, { order: 2 }] });
		const id = await n8n.waitForStart(parent.id);
		await eventually(async () => (await messages()).length === 2, 'two questions', 100);
		expect((await answer).statusCode).toBe(200);
		const executions = await n8n.executions(sub.id);
		await Promise.all(executions.map(async (execution) => await n8n.waitUntilWaiting(execution.id)));
		const [first = '', second = ''] = await links();
		expect((await sendAnswer(second, { answer: 'approve' })).status).toBe(200);
		expect((await sendAnswer(first, { answer: 'approve' })).status).toBe(200);
		for (const execution of executions) {
			const ended = await n8n.waitForExecution(execution.id);
			expect(ended.status).toBe('success');
			expect(outputOf(ended, names.success)).toHaveLength(1);
		}
		// n8n lets the workflow that called go on once, with the first answer.
		const ended = await n8n.waitForExecution(id);
		expect(ended.status).toBe('success');
		expect(outputOf(ended, 'Ask').map(({ json }) => json['data'])).toMatchObject([{ approved: true }]);
		await n8n.deactivateWorkflow(parent.id);
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

describe('a link that is changed on its way', () => {
	/** What mail programs and chats make of a link. */
	const changes: Record<string, (link: string) => string> = {
		'the parameters of a tracker': (link) => `${link}&fbclid=IwAR0x&utm_source=mail`,
		'a full stop': (link) => `${link}.`,
		'a closing bracket': (link) => `${link})`,
		'&amp; in place of &': (link) => link.replaceAll('&', '&amp;'),
		'an escaped slash': (link) => link.replace(/(=[^/&]*)\//, '$1%2F'),
	};

	test.each(Object.entries(changes))('%s', async (_what, change) => {
		const { id: workflowId } = await n8n.createWorkflow(workflow(question, { items: [{ order: 1 }] }));
		const { id } = await n8n.runUntilWaiting(workflowId, names.start);
		const [link = ''] = await links();
		expect((await openLink(change(link))).html).toContain('May order 1 go on?');
		expect((await sendAnswer(change(link), { answer: 'approve' })).status).toBe(200);
		expect((await n8n.waitForExecution(id)).status).toBe('success');
		expect((await openLink(change(link))).html).not.toContain('<form');
	});

	test('a path that a proxy strips', async () => {
		const address = 'https://shop.example.com/n8n';
		const env = { WEBHOOK_URL: `${address}/`, N8N_WEBHOOK_URL: `${address}/` };
		const { client, server } = await startFreshN8n(await n8nUnderTest(), { env });
		const { url, tokens } = stage.sandbox;
		const credential = await client.createCredential(credentialContent(url, tokens.org));
		const asking = messagingWorkflow({
			...{ name: 'Behind a path', credential, parameters: question },
			items: [{ order: 1 }],
		});
		const { id: workflowId } = await client.createWorkflow(asking);
		const { id } = await client.runUntilWaiting(workflowId, names.start);
		const [link = ''] = await links();
		expect(link.startsWith(`${address}/webhook-waiting/`)).toBe(true);
		const behind = link.replace(address, server.url);
		expect((await openLink(behind)).status).toBe(200);
		expect((await sendAnswer(behind, { answer: 'approve' })).status).toBe(200);
		expect((await client.waitForExecution(id)).status).toBe('success');
	});
});
