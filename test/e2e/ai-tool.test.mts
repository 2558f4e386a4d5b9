import { linkIn, sendAnswer } from '../../dev/harness/answer-page.mts';
import { errorOf, outputOf } from '../../dev/harness/n8n/api.mts';
import { asText } from '../../dev/harness/as-text.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { byId, fromAI } from '../cases/values.mts';
import { agentWorkflow } from './agent.mts';
import { agentThatGoesOn, having } from './needs.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, sendEach, withModel } = enterStage();
beforeEach(async () => {
	await sandbox.reset();
});

const goesOn = having(agentThatGoesOn);
test(`a refusal comes back to the model in the words of the service${goesOn.lacking}`, async () => {
	await sandbox.setFaults([
		{ kind: 'status', path: '/SendMessage', status: 400, body: { title: 'Invalid address', status: 400 } },
	]);
	const send = await sendEach({
		toEmail: fromAI('recipient', 'Email address of the recipient'),
		text: 'Hello',
	});
	const call = { tool: /./, arguments: { recipient: 'ada@example.com' } };
	const execution = await withModel('Scripted model', call, async (openAi) => {
		// An older agent stops when a tool fails.
		const onError = goesOn.lacks ? ({ onError: 'continueRegularOutput' } as const) : {};
		const { id } = await n8n.createWorkflow(agentWorkflow(stage, openAi, { tool: send, ...onError }));
		return await n8n.runWorkflow(id, 'Start');
	});
	expect(errorOf(execution, 'Agent')).toBeUndefined();
	expect(execution.status).toBe('success');
	expect(asText(outputOf(execution, 'Agent')[0]?.json['output'])).toContain('Invalid address');
});

test('an agent can ask a person by itself, and gets the answer', async () => {
	const { channelId: channel } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const ask = {
		resource: 'message',
		operation: 'sendAndWait',
		channelId: byId(fromAI('channel', 'ID of the channel')),
		toEmail: 'boss@example.com',
		message: fromAI('text', 'The question'),
		responseType: 'freeText',
	};
	const call = { tool: /./, arguments: { channel, text: 'Refund of 100 euros' } };
	const ended = await withModel('Scripted model', call, async (openAi) => {
		const { id: workflowId } = await n8n.createWorkflow(agentWorkflow(stage, openAi, { tool: ask }));
		const { id, status } = await n8n.runUntilWaiting(workflowId, 'Start');
		expect(status).toBe('waiting');
		const [question] = (await sandbox.state()).messages;
		expect(question).toMatchObject({
			recipient: 'boss@example.com',
			text: expect.stringMatching(/^Refund of 100 euros/) as string,
		});
		expect((await sendAnswer(linkIn(question?.text), { 'field-0': 'Only 50' })).status).toBe(200);
		return await n8n.waitForExecution(id);
	});
	expect(errorOf(ended, 'Agent')).toBeUndefined();
	expect(asText(outputOf(ended, 'Agent').at(-1)?.json['output'])).toContain('Only 50');
});
