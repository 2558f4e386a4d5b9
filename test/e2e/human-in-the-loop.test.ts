import type { INodeParameters } from 'n8n-workflow';

import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.ts';
import { errorOf, type Execution, outputOf, type StoredCredential } from '../../dev/harness/n8n/api.ts';
import type { WorkflowFile, WorkflowNode } from '../../dev/harness/n8n/api.ts';
import { type ScriptedModel, startScriptedModel } from '../../dev/harness/scripted-model.ts';
import { asText } from '../../dev/harness/as-text.ts';
import { byId, messagingType, node } from '../../dev/harness/workflows.ts';
import { readWorld } from '../../dev/harness/world.ts';
import { fromAI } from '../cases/values.ts';
import { humanInTheLoop } from './needs.ts';
import { enterStage } from './stage.ts';
import { where } from './where.ts';

/** An agent that may use a tool only after a person has said so, asked by this node. */
const { stage, n8n, sandbox } = enterStage();
let model: ScriptedModel | undefined;
let channelId: string;

beforeEach(async () => {
	await sandbox.reset();
	channelId = (await readWorld(sandbox, stage)).channel('Support E-mail').channelId;
});

afterEach(async () => {
	await model?.close();
	model = undefined;
});

function messaging(name: string, type: string, place: number, parameters: INodeParameters): WorkflowNode {
	const { credential } = stage;
	return {
		...node(name, type, place, { channelId: byId(channelId), ...parameters }),
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	};
}

/** An agent whose tool sends messages, and a person who is asked before. */
function agentThatAsks(openAi: StoredCredential): WorkflowFile {
	const { id, name } = openAi;
	return {
		name: 'Agent that asks',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger', 0),
			node(
				'Agent',
				'@n8n/n8n-nodes-langchain.agent',
				1,
				{ promptType: 'define', text: 'Do it.' },
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
				credentials: { openAiApi: { id, name } },
			},
			messaging('Send Refund Note', `${messagingType}Tool`, 3, {
				resource: 'message',
				operation: 'send',
				toEmail: fromAI('recipient', 'Email address of the recipient'),
				text: fromAI('text', 'Text of the message'),
			}),
			// As the editor adds it: resource, operation and response type are hidden there.
			messaging('Ask First', `${messagingType}HitlTool`, 4, {
				toEmail: 'boss@example.com',
				message: '=May I use {{ $tool.name }}? {{ JSON.stringify($tool.parameters) }}',
				approvalOptions: { values: { approvalType: 'double' } },
			}),
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			'Send Refund Note': { ai_tool: [[{ node: 'Ask First', type: 'ai_tool', index: 0 }]] },
			'Ask First': { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}

/** What the model wants to tell a person, or to ask. */
const wanted = { recipient: 'grace@example.com', text: 'Refund of 100 euros' };

/** Runs the agent until it waits for the person. */
async function runUntilAsked(
	workflow: (openAi: StoredCredential) => WorkflowFile = agentThatAsks,
	// Where a person is asked before, n8n has the model name the parameters of the tool apart.
	given: Record<string, unknown> = { toolParameters: wanted },
	question = /^May I use .*Send.Refund.Note.*Refund of 100 euros/,
): Promise<{ execution: Execution; link: string }> {
	model = await startScriptedModel([{ tool: /./, arguments: given }]);
	const openAi = await n8n.createCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'not needed', url: model.url, header: false },
	});
	const { id } = await n8n.createWorkflow(workflow(openAi));
	const execution = await n8n.runUntilWaiting(id, 'Start');
	expect(errorOf(execution, 'Agent')).toBeUndefined();
	expect(execution.status).toBe('waiting');
	const { messages } = await sandbox.state();
	expect(messages.map(({ recipient }) => recipient)).toEqual(['boss@example.com']);
	expect(messages[0]?.text).toMatch(question);
	return { execution, link: linkIn(messages[0]?.text) };
}

const inTheLoop = where([humanInTheLoop]);
inTheLoop.it.each([
	['approve', ['boss@example.com', 'grace@example.com']],
	['decline', ['boss@example.com']],
])(`a tool is used only when a person says so: %s${inTheLoop.lacking}`, async (answer, reached) => {
	const { execution, link } = await runUntilAsked();
	expect((await openLink(link)).html).toContain('Refund of 100 euros');

	expect((await sendAnswer(link, { answer })).status).toBe(200);

	const ended = await n8n.waitForExecution(execution.id);
	expect(errorOf(ended, 'Agent')).toBeUndefined();
	expect(ended.status).toBe('success');
	expect((await sandbox.state()).messages.map(({ recipient }) => recipient)).toEqual(reached);
	const said = asText(outputOf(ended, 'Agent').at(-1)?.json['output']);
	if (answer === 'approve') expect(said).toContain('Refund of 100 euros');
	else expect(said).toMatch(/declin|reject|not approv|denied/i);
});

it('an agent can ask by itself, and gets the answer', async () => {
	const asks = messaging('Ask Boss', `${messagingType}Tool`, 3, {
		resource: 'message',
		operation: 'sendAndWait',
		toEmail: 'boss@example.com',
		message: fromAI('text', 'The question'),
		responseType: 'freeText',
	});
	const { execution, link } = await runUntilAsked(
		(openAi) => {
			const { nodes, connections, ...workflow } = agentThatAsks(openAi);
			return {
				...workflow,
				nodes: [...nodes.slice(0, 3), asks],
				connections: {
					Start: connections['Start'] ?? {},
					Model: connections['Model'] ?? {},
					'Ask Boss': { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
				},
			};
		},
		wanted,
		/^Refund of 100 euros/,
	);

	expect((await sendAnswer(link, { 'field-0': 'Only 50' })).status).toBe(200);

	const ended = await n8n.waitForExecution(execution.id);
	expect(errorOf(ended, 'Agent')).toBeUndefined();
	expect(asText(outputOf(ended, 'Agent').at(-1)?.json['output'])).toContain('Only 50');
});
