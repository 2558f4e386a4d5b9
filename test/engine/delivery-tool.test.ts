/** The node as a tool that an AI agent calls by itself. */
import { useDeliveryLab } from './delivery-lab.ts';
import { byId } from './lab.ts';
import type { Run } from './run.ts';
import { messagingNode, messagingType, node, startName, startNode, workflow } from './workflow.ts';

const lab = useDeliveryLab();

const agentName = 'Agent';
const toolName = 'Tool';

/** An agent that calls the tool this often at once, with nothing that tells the calls apart. */
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
	return await lab.lab.engine.run({ workflow: flow, credential: lab.credential, watch: agentName });
}

test('Retry On Fail does not send again what may have been processed', async () => {
	await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
	const run = await calls(1);
	expect(run.json).toEqual([{ failed: expect.stringMatching(/Not sent again, because an earlier try/) }]);
	// A retry would start the agent anew.
	expect(JSON.stringify(run.json)).toContain('Do not call this tool again');
	expect(JSON.stringify(run.json)).not.toMatch(/retry this execution/);
	expect(await lab.calls()).toHaveLength(1);
});

test('nor is it told to retry what it can not look up any more', async () => {
	const [entry] = lab.state.outbox;
	await lab.client.setFaults([
		{ kind: 'lostResponse', path: 'requeue', times: 1 },
		{ kind: 'status', status: 403, path: 'Admin/Channel', skip: 1 },
	]);
	const run = await calls(1, {
		resource: 'outbox',
		operation: 'requeue',
		channelId: byId(entry!.channelId),
		entryIds: entry!.httpSenderOutboxEntryId,
	});
	expect(run.json).toEqual([{ failed: expect.stringMatching(/Not sent again, because an earlier try/) }]);
	expect(JSON.stringify(run.json)).toContain('Do not call this tool again');
	expect(JSON.stringify(run.json)).not.toMatch(/retry (?:of )?this execution/i);
});

test('nor does it where another call goes through meanwhile', async () => {
	await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
	const run = await calls(3);
	expect(run.json.filter((json) => 'failed' in json)).toHaveLength(1);
	expect(await lab.accepted()).toEqual({ Hello: 3 });
});

test('it sends again what was refused, and each call is a message of its own', async () => {
	await lab.client.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', times: 2 }]);
	const run = await calls(4);
	expect(run.json.filter((json) => 'failed' in json)).toEqual([]);
	expect(await lab.accepted()).toEqual({ Hello: 4 });
	expect(new Set((await lab.messages()).map(({ packageId }) => packageId)).size).toBe(4);
});
