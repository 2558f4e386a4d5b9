import type { INodeParameters, OnError } from 'n8n-workflow';

import { linkIn, sendAnswer } from '../../dev/harness/answer-page.ts';
import { errorOf, outputOf } from '../../dev/harness/n8n/api.ts';
import type { StoredCredential, WorkflowFile } from '../../dev/harness/n8n/api.ts';
import { type ScriptedModel, startScriptedModel, type ToolCall } from '../../dev/harness/scripted-model.ts';
import { asText } from '../../dev/harness/as-text.ts';
import { messagingType, node } from '../../dev/harness/workflows.ts';
import { readWorld, type World } from '../../dev/harness/world.ts';
import { byId, fromAI } from '../cases/values.ts';
import { agentThatGoesOn } from './needs.ts';
import { enterStage } from './stage.ts';
import { otherwise } from './where.ts';

const { stage, n8n, sandbox } = enterStage();
let world: World;
let model: ScriptedModel | undefined;

beforeEach(async () => {
	await sandbox.reset();
	world = await readWorld(sandbox, stage);
});

afterEach(async () => {
	await model?.close();
	model = undefined;
});

/** An AI agent with the scripted model and the node as its tool. */
function agentWorkflow(
	parameters: INodeParameters,
	openAi: StoredCredential,
	onError?: OnError,
): WorkflowFile {
	const { credential } = stage;
	return {
		name: 'Agent',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger', 0),
			node(
				'Agent',
				'@n8n/n8n-nodes-langchain.agent',
				1,
				{ promptType: 'define', text: 'Do as you are told.' },
				stage.offer.agentVersion,
			),
			{
				...node(
					'Model',
					'@n8n/n8n-nodes-langchain.lmChatOpenAi',
					2,
					{ model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
					1.2,
				),
				credentials: { openAiApi: { id: openAi.id, name: openAi.name } },
			},
			{
				...node('Messaging', `${messagingType}Tool`, 3, parameters),
				...(onError === undefined ? {} : { onError }),
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			},
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			Messaging: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}

/** A credential with which n8n finds the scripted model. */
async function openAiFor({ url }: ScriptedModel): Promise<StoredCredential> {
	return await n8n.createCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'not needed', url, header: false },
	});
}

/** Runs an agent whose model calls the tool with these arguments; returns the tool's answer to the model. */
async function callTool(
	parameters: INodeParameters,
	given: ToolCall['arguments'],
	onError?: OnError,
): Promise<string> {
	model = await startScriptedModel([{ tool: /./, arguments: given }]);
	const workflow = await n8n.createWorkflow(agentWorkflow(parameters, await openAiFor(model), onError));
	const execution = await n8n.runWorkflow(workflow.id, 'Start');
	expect(errorOf(execution, 'Agent')).toBeUndefined();
	expect(execution.status).toBe('success');
	return asText(outputOf(execution, 'Agent')[0]?.json.output);
}

test('a message is sent through the channel, to whom and with the words that the model chooses', async () => {
	const { channelId } = world.channel('Support WhatsApp');
	const said = await callTool(
		{
			resource: 'message',
			operation: 'send',
			channelId: byId(fromAI('channel', 'ID of the channel')),
			toEmail: fromAI('recipient', 'Email address of the recipient'),
			text: fromAI('text', 'Text of the message'),
		},
		{ channel: channelId, recipient: 'ada@example.com', text: 'Good morning' },
	);

	expect(said).toContain('Good morning');
	expect(await sandbox.requests()).toMatchObject([
		{
			path: '/api/v1/message/SendMessage',
			status: 200,
			body: { channelId, content: { text: 'Good morning', to: { email: 'ada@example.com' } } },
		},
	]);
});

test('the model reads what the tool does and what each of its parameters is', async () => {
	await callTool(
		{
			resource: 'message',
			operation: 'send',
			channelId: byId(world.channel('Support WhatsApp').channelId),
			toEmail: fromAI('recipient', 'Email address of the recipient'),
			text: fromAI('text', 'Text of the message'),
		},
		{ recipient: 'ada@example.com', text: 'Hello' },
	);
	const [tool] = model?.prompts[0]?.tools ?? [];
	expect(tool?.description).toMatch(/send.*message/i);
	expect(tool?.parameters.properties).toMatchObject({
		recipient: { description: 'Email address of the recipient' },
		text: { description: 'Text of the message' },
	});
});

const goesOn = otherwise(agentThatGoesOn);
test(`a refusal comes back to the model in the words of the service${goesOn.lacking}`, async () => {
	await sandbox.setFaults([
		{ kind: 'status', path: '/SendMessage', status: 400, body: { title: 'Invalid address', status: 400 } },
	]);
	const said = await callTool(
		{
			resource: 'message',
			operation: 'send',
			channelId: byId(world.channel('Support WhatsApp').channelId),
			toEmail: fromAI('recipient', 'Email address of the recipient'),
			text: 'Hello',
		},
		{ recipient: 'ada@example.com' },
		// An older agent stops when a tool fails.
		goesOn.lacks ? 'continueRegularOutput' : undefined,
	);
	expect(said).toContain('Invalid address');
	await sandbox.clearFaults();
});

describe('what the model gets to read of a record', () => {
	const getChannels: INodeParameters = {
		resource: 'channel',
		operation: 'getAll',
		limit: fromAI('limit', 'How many channels to list', 'number'),
	};

	test('the simplified record, unless it is told otherwise', async () => {
		const said = await callTool(getChannels, { limit: 1 });
		expect(said).toContain('canSendAndReceiveMessage');
		expect(said).not.toContain('containerImage');
	});
});

test('an agent can ask a person by itself, and gets the answer', async () => {
	model = await startScriptedModel([{ tool: /./, arguments: { text: 'Refund of 100 euros' } }]);
	const ask = {
		resource: 'message',
		operation: 'sendAndWait',
		channelId: byId(world.channel('Support E-mail').channelId),
		toEmail: 'boss@example.com',
		message: fromAI('text', 'The question'),
		responseType: 'freeText',
	};
	const { id: workflowId } = await n8n.createWorkflow(agentWorkflow(ask, await openAiFor(model)));
	const { id, status } = await n8n.runUntilWaiting(workflowId, 'Start');
	expect(status).toBe('waiting');
	const [question] = (await sandbox.state()).messages;
	expect(question).toMatchObject({
		recipient: 'boss@example.com',
		text: expect.stringMatching(/^Refund of 100 euros/) as string,
	});

	expect((await sendAnswer(linkIn(question?.text), { 'field-0': 'Only 50' })).status).toBe(200);

	const ended = await n8n.waitForExecution(id);
	expect(errorOf(ended, 'Agent')).toBeUndefined();
	expect(asText(outputOf(ended, 'Agent').at(-1)?.json['output'])).toContain('Only 50');
});
