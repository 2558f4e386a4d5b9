import type { INodeParameters } from 'n8n-workflow';
import { useDeliveryLab } from './delivery-lab.mts';
import { told } from '../told.mts';
import { byId, once } from './lab.mts';
import type { RunOptions } from './engine.mts';
import type { WorkflowJson } from './protocol.mts';
import type { Run } from './run.mts';
import {
	messagingNode,
	messagingType,
	node,
	nodeName,
	startName,
	startNode,
	workflow,
	type NodeSettings,
} from './workflow.mts';

const lab = useDeliveryLab();

function send(change: INodeParameters = {}): INodeParameters {
	return {
		resource: 'message',
		operation: 'send',
		channelId: byId(lab.channelId('Support E-mail')),
		toEmail: '={{ $json.to }}',
		text: 'Hello',
		options: { keepToPlan: false, maxConcurrency: 1 },
		...change,
	};
}

const items = ['ada', 'grace', 'edsger'].map((name) => ({ to: `${name}@example.com` }));
const recipients = async () => (await lab.client.state()).messages.map(({ recipient }) => recipient).sort();
const everyone = items.map(({ to }) => to).sort();

const run = async (flow: WorkflowJson, given = items): Promise<Run> =>
	await lab.engine.run({
		workflow: flow,
		credential: lab.credential,
		items: given.map((json) => ({ json })),
	});

describe('in a loop', () => {
	const loop = (settings: NodeSettings = {}) =>
		workflow(
			[
				startNode(),
				node('Loop', 'harness.loop', { batchSize: 1 }),
				messagingNode(send(), settings),
				node('Done', 'harness.set', {
					json: "={{ { to: $('Start').item.json.to, id: $json.packageId } }}",
				}),
			],
			[
				[startName, 'Loop'],
				['Loop', 'Done', 0],
				['Loop', nodeName, 1],
				[nodeName, 'Loop'],
			],
		);

	test('each round sends its own items, also when it is repeated, and the results lead back to the first ones', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', skip: 1, times: 1 }]);
		const looped = await run(loop({ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }));

		expect(looped.error).toBeUndefined();
		expect(await lab.calls()).toHaveLength(4);
		expect(looped.output('Done').map(({ json }) => json['to'])).toEqual(items.map(({ to }) => to));
		expect(new Set(looped.output('Done').map(({ json }) => json['id'])).size).toBe(3);
		expect(await recipients()).toEqual(everyone);
	});

	test('an execution that failed in the third round goes on there', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', skip: 2, times: 1 }]);
		const failed = await run(loop(), Array(4).fill(items[0]));
		expect(failed.status).toBe('error');
		expect(await lab.accepted()).toEqual({ Hello: 2 });
		// Although this round has one item: a new run would send the messages of earlier rounds again.
		expect(told(failed.error?.description).steps).toEqual(['correct', 'retry', 'dontRunAgain']);

		expect((await lab.engine.retry(failed)).status).toBe('success');
		expect(await lab.accepted()).toEqual({ Hello: 4 });
	});
});

test('Execute Once sends the first item only', async () => {
	const sent = await lab.execute(send(), { items, settings: { executeOnce: true } });

	expect(sent.main[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(await lab.requests()).toHaveLength(1);
});

test('nodes after it find the item that a result belongs to, also in the error branch', async () => {
	const from = "={{ { from: $('Start').item.json.to } }}";
	const branches = workflow(
		[
			startNode(),
			messagingNode(send(), { onError: 'continueErrorOutput' }),
			node('Sent', 'harness.set', { json: from }),
			node('Failed', 'harness.set', { json: from }),
		],
		[
			[startName, nodeName],
			[nodeName, 'Sent', 0],
			[nodeName, 'Failed', 1],
		],
	);

	const branched = await run(branches, [items[0]!, { to: 'nobody' }, items[2]!]);

	const found = (name: string) => branched.output(name).map(({ json }) => json['from']);
	expect(found('Sent')).toEqual([items[0]?.to, items[2]?.to]);
	expect(found('Failed')).toEqual(['nobody']);
});

test('a failure in a later node leaves the messages as they are, and a retry does not send them again', async () => {
	const twoNodes = (fail: boolean) =>
		workflow(
			[
				startNode(),
				messagingNode(send({ options: once })),
				node('Later', 'harness.set', { json: fail ? 'no JSON' : '{}' }),
			],
			[
				[startName, nodeName],
				[nodeName, 'Later'],
			],
		);
	const failed = await run(twoNodes(true));
	expect(failed.status).toBe('error');

	const retried = await lab.engine.retry(failed, { workflow: twoNodes(false) });

	expect(retried.status).toBe('success');
	expect(retried.output('Later')).toHaveLength(3);
	expect(await recipients()).toEqual(everyone);
});

describe('as a tool that an AI agent calls by itself', () => {
	const agentName = 'Agent';
	const toolName = 'Tool';

	/** An agent that makes this many tool calls at once, with nothing to tell them apart. */
	async function calls(
		count: number,
		parameters = send({ toEmail: 'a@example.com', options: { keepToPlan: false } }),
		items: RunOptions['items'] = [{ json: {} }],
		given: INodeParameters = {},
	): Promise<Run> {
		const tool = messagingNode(
			{ ...parameters, toolDescription: 'Sends a message' },
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			toolName,
		);
		const flow = workflow(
			[
				startNode(),
				node(agentName, 'harness.agent', { calls: count, given }),
				{ ...tool, type: `${messagingType}Tool` },
			],
			[[startName, agentName]],
		);
		flow.connections[toolName] = { ai_tool: [[{ node: agentName, type: 'ai_tool', index: 0 }]] };
		return await lab.engine.run({ workflow: flow, items, credential: lab.credential, watch: agentName });
	}

	test('Retry On Fail does not send again what may have been processed', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
		const called = await calls(1);
		expect(called.json).toEqual([
			{ failed: expect.stringMatching(/Not sent again, because an earlier try/) },
		]);
		// A retry would run the agent again.
		expect(JSON.stringify(called.json)).toContain('Do not call this tool again');
		expect(JSON.stringify(called.json)).not.toMatch(/retry this execution/);
		expect(await lab.calls()).toHaveLength(1);
	});

	test("its expressions are about the agent's item, not about what the agent passes", async () => {
		const parameters = send({
			toEmail: "={{ $fromAI('order') }}",
			text: '={{ $json.order }}',
			options: { keepToPlan: false },
		});
		const items = [{ json: { order: 'Order 17' } }];
		const called = await calls(1, parameters, items, { order: 'order@shop.example' });
		expect(called.json.filter((json) => 'failed' in json)).toEqual([]);
		expect(await lab.accepted()).toEqual({ 'Order 17': 1 });
	});

	test('a list that is cut says so to the agent, by the limit or by the service', async () => {
		const list = { resource: 'channel', operation: 'getAll', limit: 1, options: { keepToPlan: false } };
		const [byLimit] = (await calls(1, list)).json;
		expect(byLimit).toEqual({
			said: expect.stringMatching(/"note":"1 of \d+\. Narrow it down with Name Contains\."/),
		});
		await lab.client.setFaults([
			{ kind: 'status', status: 200, path: 'Admin/Channel', body: { total: 9, items: [{ channelId: 'c' }] } },
		]);
		const [byService] = (await calls(1, list)).json;
		expect(byService).toEqual({
			said: expect.stringContaining('{"note":"The service sent 1 of 9 channels."}'),
		});
	});

	test('it answers with IDs only', async () => {
		const [{ said }] = (await calls(1)).json as [{ said: string }];
		const [answer] = JSON.parse(said) as [object];
		expect(Object.keys(answer)).toEqual(['packageId', 'channelId', 'messageId']);
	});

	test('in JSON, the channel and the recipient that are set in the node win', async () => {
		const to = { type: 'EMAIL', email: 'mallory@example.com' };
		const written = {
			channelId: lab.channelId('Shop Newsletter'),
			content: { type: 'TEXT', text: 'Hello', to },
		};
		const parameters = send({
			inputMode: 'json',
			package: "={{ $fromAI('package', '', 'json') }}",
			toEmail: 'a@example.com',
			options: { keepToPlan: false },
		});
		const called = await calls(1, parameters, [{ json: {} }], { package: written });
		expect(called.json).toEqual([{ said: expect.stringContaining(lab.channelId('Support E-mail')) }]);
		expect(await recipients()).toEqual(['a@example.com']);
	});

	test('it sends again what was refused, and each call is a message of its own', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', times: 2 }]);
		const called = await calls(4);
		expect(called.json.filter((json) => 'failed' in json)).toEqual([]);
		expect(await lab.accepted()).toEqual({ Hello: 4 });
		expect(new Set((await lab.messages()).map(({ packageId }) => packageId)).size).toBe(4);
	});
});

test('data in quotes can change other fields: a hint says so, and how to write it instead', async () => {
	const text = 'x", "to": {"type": "EMAIL", "email": "mallory@example.com"}, "type": "TEXT';
	const sent = async (textInJson: string) => {
		const channelId = lab.channelId('Support E-mail');
		return await lab.execute(
			{
				resource: 'message',
				operation: 'send',
				inputMode: 'json',
				package: `={"channelId": "${channelId}", "content": {"type": "TEXT", "to": {"type": "EMAIL", "email": "ada@example.com"}, "text": ${textInJson}}}`,
			},
			{ items: [{ text }] },
		);
	};
	const warnings = (run: Awaited<ReturnType<typeof sent>>) => run.hints.map(({ message }) => message);
	const open = await sent('"{{ $json.text }}"');
	expect(open.json[0]).toMatchObject({ content: { to: { email: 'mallory@example.com' } } });
	expect(warnings(open)).toEqual([
		expect.stringMatching(/break out of the quotes in Package.*JSON\.stringify/),
	]);
	const run = await sent('{{ JSON.stringify($json.text) }}');
	expect(warnings(run)).toEqual([]);
	expect(run.json[0]).toMatchObject({ content: { text, to: { email: 'ada@example.com' } } });
});
