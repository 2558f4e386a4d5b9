import type { INodeParameters } from 'n8n-workflow';
import { useDeliveryLab } from './delivery-lab.ts';
import { byId, once } from './lab.ts';
import type { Run } from './run.ts';
import { messagingNode, messagingType, node, nodeName, startName, startNode, workflow } from './workflow.ts';

const lab = useDeliveryLab();

function send(change: INodeParameters = {}): INodeParameters {
	return {
		resource: 'message',
		operation: 'send',
		channelId: byId(lab.channelId('Support E-mail')),
		toEmail: '={{ $json.to }}',
		text: 'Hello',
		options: { keepToPlan: false },
		...change,
	};
}

const items = ['ada', 'grace', 'edsger'].map((name) => ({ to: `${name}@example.com` }));
const recipients = async () => (await lab.client.state()).messages.map(({ recipient }) => recipient).sort();
const everyone = items.map(({ to }) => to).sort();

test('in a loop, each round sends its own items, and the results lead back to the first ones', async () => {
	const loop = workflow(
		[
			startNode(),
			node('Loop', 'harness.loop', { batchSize: 1 }),
			messagingNode(send()),
			node('Done', 'harness.set', { json: "={{ { to: $('Start').item.json.to, id: $json.packageId } }}" }),
		],
		[
			[startName, 'Loop'],
			['Loop', 'Done', 0],
			['Loop', nodeName, 1],
			[nodeName, 'Loop'],
		],
	);

	const run = await lab.engine.run({
		workflow: loop,
		credential: lab.credential,
		items: items.map((json) => ({ json })),
	});

	expect(run.error).toBeUndefined();
	expect(run.runsOf(nodeName)).toHaveLength(3);
	expect(run.output('Done').map(({ json }) => json['to'])).toEqual(items.map(({ to }) => to));
	expect(new Set(run.output('Done').map(({ json }) => json['id'])).size).toBe(3);
	expect(await recipients()).toEqual(everyone);
});

test('Execute Once sends the first item only', async () => {
	const run = await lab.execute(send(), { items, settings: { executeOnce: true } });

	expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(await lab.requests()).toHaveLength(1);
});

test('nodes after it find the item that a result belongs to, also in the error branch', async () => {
	const wrong = [items[0]!, { to: '' }, items[2]!];
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

	const run = await lab.engine.run({
		workflow: branches,
		credential: lab.credential,
		items: wrong.map((json) => ({ json })),
	});

	expect(run.output('Sent').map(({ json }) => json)).toEqual([
		{ from: wrong[0]?.to },
		{ from: wrong[2]?.to },
	]);
	expect(run.output('Failed').map(({ json }) => json)).toEqual([{ from: '' }]);
});

test('a failure in a later node leaves the messages as they are, and a retry does not send them again', async () => {
	const twoNodes = workflow(
		[startNode(), messagingNode(send({ options: once })), node('Later', 'harness.fail', { fail: true })],
		[
			[startName, nodeName],
			[nodeName, 'Later'],
		],
	);
	const failed = await lab.engine.run({
		workflow: twoNodes,
		credential: lab.credential,
		items: items.map((json) => ({ json })),
	});
	expect(failed.status).toBe('error');
	const mended = workflow(
		[startNode(), messagingNode(send({ options: once })), node('Later', 'harness.fail', { fail: false })],
		[
			[startName, nodeName],
			[nodeName, 'Later'],
		],
	);

	const retried = await lab.engine.retry(failed, { workflow: mended });

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
		parameters = lab.send({ keepToPlan: false }, { toEmail: 'a@example.com', text: 'Hello' }),
	): Promise<Run> {
		const tool = messagingNode(
			{ ...parameters, toolDescription: 'Sends a message' },
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			toolName,
		);
		const flow = workflow(
			[
				startNode(),
				node(agentName, 'harness.agent', { calls: count }),
				{ ...tool, type: `${messagingType}Tool` },
			],
			[[startName, agentName]],
		);
		flow.connections[toolName] = { ai_tool: [[{ node: agentName, type: 'ai_tool', index: 0 }]] };
		return await lab.engine.run({ workflow: flow, credential: lab.credential, watch: agentName });
	}

	test('Retry On Fail does not send again what may have been processed', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
		const run = await calls(1);
		expect(run.json).toEqual([{ failed: expect.stringMatching(/Not sent again, because an earlier try/) }]);
		// A retry would run the agent again.
		expect(JSON.stringify(run.json)).toContain('Do not call this tool again');
		expect(JSON.stringify(run.json)).not.toMatch(/retry this execution/);
		expect(await lab.calls()).toHaveLength(1);
	});

	test('it sends again what was refused, and each call is a message of its own', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', times: 2 }]);
		const run = await calls(4);
		expect(run.json.filter((json) => 'failed' in json)).toEqual([]);
		expect(await lab.accepted()).toEqual({ Hello: 4 });
		expect(new Set((await lab.messages()).map(({ packageId }) => packageId)).size).toBe(4);
	});
});
