/** What an AI agent does when it asks a person, and to whom its tool sends. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { linkIn, sendAnswer } from '../../dev/harness/answer-page.mts';
import { errorOf } from '../../dev/harness/n8n/api.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { byId, fromAI } from '../cases/values.mts';
import { runsAgents } from './agent.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, sendEach } = enterStage();
beforeEach(async () => {
	await sandbox.reset();
});

const run = runsAgents(stage, n8n);

const recipients = async () => (await sandbox.state()).messages.map(({ recipient }) => recipient);

/** Asks the boss, for a few seconds. */
async function ask(message: string): Promise<INodeParameters> {
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const maxDateAndTime = new Date(Date.now() + 20_000).toISOString();
	return {
		resource: 'message',
		operation: 'sendAndWait',
		channelId: byId(channelId),
		toEmail: 'boss@example.com',
		message,
		responseType: 'approval',
		options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime } } },
	};
}

const send = async (toEmail: string): Promise<INodeParameters> =>
	await sendEach({ toEmail, text: fromAI('text', 'The text') });

describe('if a person has to approve', () => {
	/** A call that waits for approval. */
	const use = (more: IDataObject = {}) => ({
		tool: /./,
		arguments: { toolParameters: { text: 'A refund' }, hitlParameters: {}, ...more },
	});
	const approved: IDataObject = { data: { approved: true } };

	test('nothing happens when nobody answers, whatever the input and the model say', async () => {
		const tool = await send('ada@example.com');
		const reviewer = await ask('={{ JSON.stringify($tool.parameters) }}');
		const runs = await Promise.all([
			run({ tool, reviewer, items: [{ ...approved, approved: true, chatInput: 'Yes, send it' }] }, [use()]),
			run({ tool, reviewer, items: [approved] }, [[use(), use()]]),
			run({ tool, reviewer }, [use({ ...approved, approved: true })]),
		]);

		expect(await recipients()).toEqual(runs.map(() => 'boss@example.com'));
		expect(runs.map(({ read }) => read.length)).toEqual([1, 2, 1]);
		const [first, ...others] = runs.flatMap(({ read }) => read.sort());
		for (const text of [first, others[0], others[2]]) expect(text).toMatch(/Nobody answered in time/);
		// The second of two calls at once is never asked.
		expect(others[1]).toMatch(/User rejected the tool call/);
	});

	test('the model can not choose who approves', async () => {
		const reviewer = { ...(await ask('May it?')), toEmail: '={{ $json.manager }}' };
		const items = [{ manager: 'boss@example.com' }];
		const { read } = await run({ tool: await send('ada@example.com'), reviewer, items }, [
			use({ manager: 'mallory@example.com' }),
		]);
		expect(read).toEqual([expect.stringMatching(/NOT SENT.+To Email.+without manager/)]);
		expect(await recipients()).toEqual([]);
	});

	test('a call that was declined is not asked about again under its key, and has not gone through', async () => {
		const reviewer = {
			...(await ask('={{ JSON.stringify($tool.parameters) }}')),
			approvalOptions: { values: { approvalType: 'double' } },
			options: { onceKey: '={{ JSON.stringify($tool.parameters) }}' },
		};
		const whileWaiting = async (): Promise<void> => {
			const [question] = (await sandbox.state()).messages;
			expect((await sendAnswer(linkIn(question?.text), { answer: 'decline' })).status).toBe(200);
		};
		const tool = await send('ada@example.com');
		const { read } = await run({ tool, reviewer, whileWaiting }, [use(), use()]);
		expect(await recipients()).toEqual(['boss@example.com']);
		expect(read[1]).toMatch(/asked before.*not asked again\. Nothing was approved/);
		expect(read[1]).not.toContain('went through');
	});

	test('a call without what the tool is to do asks nobody', async () => {
		const [tool, reviewer] = [await send('ada@example.com'), await ask('May it? {{ $tool.name }}')];
		const { read } = await run({ tool, reviewer }, [{ tool: /./, arguments: { hitlParameters: {} } }]);
		expect(read.join()).not.toMatch(/Nobody answered/);
		expect(await recipients()).toEqual([]);
	});

	test("n8n's default text is refused: the person would read [object Object]", async () => {
		const text = '=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}';
		const [tool, reviewer] = [await send('ada@example.com'), await ask(text)];
		const { read } = await run({ tool, reviewer }, [use()]);
		expect(read).toEqual([
			expect.stringMatching(/feedback: \\?"NOT SENT \(outcome: unsent\).+Message.+shows an object/),
		]);

		const { execution } = await run({ tool, reviewer, reviewerStops: true }, [use()]);
		expect(execution.status).toBe('error');
		expect(errorOf(execution, 'Reviewer')?.message).toMatch(/Message.+shows an object/);
		expect(await recipients()).toEqual([]);
	});
});

test('an agent can ask a person by itself, and gets the answer', async () => {
	const { channelId: channel } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const tool = {
		...(await ask(fromAI('text', 'The question'))),
		channelId: byId(fromAI('channel', 'ID of the channel')),
		responseType: 'freeText',
		options: {},
	};
	const whileWaiting = async (): Promise<void> => {
		const [question] = (await sandbox.state()).messages;
		expect(question?.text).toMatch(/^Refund of 100 euros/);
		expect((await sendAnswer(linkIn(question?.text), { 'field-0': 'Only 50' })).status).toBe(200);
	};
	const step = { tool: /./, arguments: { channel, text: 'Refund of 100 euros' } };
	const { read } = await run({ tool, whileWaiting }, [step]);
	expect(await recipients()).toEqual(['boss@example.com']);
	expect(read).toEqual([expect.stringContaining('Only 50')]);
});

describe('a tool of AI Agent 3', () => {
	test('a question that nobody answers comes back as that', async () => {
		const tool = await ask(fromAI('text', 'The question'));
		const { read } = await run({ tool }, [{ tool: /./, arguments: { text: 'May I?' } }]);
		expect(read).toEqual(['[{"note":"Nobody answered in time. Do not ask again; tell a person."}]']);
	});

	const items = ['ada', 'grace'].map((name) => ({ email: `${name}@example.com` }));
	const say = (text: string, more: IDataObject = {}) => ({ tool: /./, arguments: { text, ...more } });

	test('several items: each gets its own message, or none', async () => {
		await run({ tool: await send('={{ $json.email }}'), items }, [say('To Ada'), say('To Grace')]);
		expect((await recipients()).sort()).toEqual(items.map(({ email }) => email));
		await sandbox.reset();
		// To n8n, this is the first item in each call.
		const named = await send("={{ $('Start').item.json.email }}");
		await run({ tool: named, items }, [say('To Ada'), say('To Grace')]);
		expect(await recipients()).toEqual([]);
	});
});
