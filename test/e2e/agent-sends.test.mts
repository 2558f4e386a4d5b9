/** What a model reads in n8n's AI Agent when it sends, and what goes out if it repeats its calls. */
import type { INodeParameters } from 'n8n-workflow';

import { fromAI } from '../cases/values.mts';
import { type AgentOptions, runsAgents } from './agent.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox, sendEach, accepted } = enterStage();
beforeEach(async () => {
	await sandbox.reset();
});

const run = runsAgents(stage, n8n);

/** What a model reads that sends these texts, one after the other. */
async function readBy(texts: readonly string[], options: AgentOptions): Promise<string[]> {
	const { read } = await run(
		options,
		texts.map((text) => ({ tool: /./, arguments: { text } })),
	);
	return read;
}

const send = async (options: INodeParameters = {}): Promise<INodeParameters> =>
	await sendEach({
		toEmail: 'ada@example.com',
		text: fromAI('text', 'The text'),
		options: { maxTries: 1, ...options },
	});
const inDoubt = /MAYBE SENT \(outcome: unknown\): .*Do not call again; tell a person\./;

it.each([undefined, 'continueRegularOutput'] as const)(
	'a model that repeats what is in doubt is told not to, and sends once with a key: On Error %s',
	async (onError) => {
		await sandbox.setFaults([{ kind: 'lostResponse', path: '/SendMessage' }]);
		const more = onError === undefined ? {} : { onError };
		const [only] = await readBy(['Without a key'], { tool: await send(), ...more });
		expect(only).toMatch(inDoubt);

		const tool = await send({ onceKey: "={{ $('Start').item.json.question }}" });
		const items = [{ question: `question 1, ${onError ?? 'standard'}` }];
		const read = await readBy(['Hello', 'Hello', 'Hello, once more'], { tool, items, ...more });
		expect(read).toEqual(
			[inDoubt, inDoubt, /NOT SENT .*same key\. Do not call again; tell a person\./].map(
				(words) => expect.stringMatching(words) as string,
			),
		);
		expect(await accepted()).toEqual({ 'Without a key': 1, Hello: 1 });
	},
);

test('AI Agent 2 reads it as well, although its model reads nothing of an error', async () => {
	await sandbox.setFaults([{ kind: 'lostResponse', path: '/SendMessage' }]);
	const { read } = await run({ tool: await send(), version: 2.2 }, [
		{ tool: /./, arguments: { text: 'Hello' } },
	]);
	expect(read).toEqual([expect.stringMatching(inDoubt)]);
});
