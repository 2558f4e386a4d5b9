/** Answering each message once, and parts of an answer under one key, in n8n's engine. */
import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { orders } from './delivery-lab.mts';
import { errorOf, useLab } from './lab.mts';
import { loopAround, messagingNode } from './workflow.mts';

const lab = useLab();

const from = { type: 'EMAIL', email: 'ada@example.com', name: 'Ada' };
/** A message that came in; message IDs count within a chat. */
const message = (sender: object, text: string, messageId: unknown = 850) => ({
	channelId: lab.channelId(),
	content: { type: 'TEXT', text, messageId, from: sender },
});

/** Answers messages, each with its own text. */
const answer = async (items: object[], given: INodeParameters = {}) =>
	await lab.execute(
		{ resource: 'message', operation: 'reply', text: '=You wrote {{ $json.content.text }}', ...given },
		{ items: items.map((item) => ({ ...item })), settings: { onError: 'continueRegularOutput' } },
	);

test('a message is answered once, also when the name of its sender comes and goes; that of another sender is, too', async () => {
	const { email } = { email: `${randomUUID()}@example.com` };
	const ada = { ...from, email };
	const first = await answer([message(ada, 'one')]);
	expect(first.json).toMatchObject([{ onceKey: expect.stringContaining(email) as string }]);
	const { name: _, ...nameless } = ada;
	const again = await answer([message(nameless, 'one')]);
	expect(again.json).toMatchObject([{ alreadySent: true, packageId: first.json[0]?.['packageId'] }]);
	const grace = { ...from, email: `grace-${email}` };
	expect((await answer([message(grace, 'two')])).json).toMatchObject([{ content: { to: grace } }]);
	expect(await lab.accepted()).toEqual({ 'You wrote one': 1, 'You wrote two': 1 });
});

describe('several runs in one execution', () => {
	const run = async (parameters: INodeParameters, items: object[]) =>
		await lab.engine.run({
			workflow: loopAround(messagingNode(parameters, { onError: 'continueRegularOutput' })),
			credential: lab.credential,
			items: items.map((json) => ({ json: { ...json } })),
		});

	test('the parts of an answer under one key: the first one is sent, the others fail', async () => {
		const [order] = orders(1);
		const parts = ['part 1', 'part 2', 'part 3', 'part 1'].map((text) => ({ ...order, text }));
		const done = (await run(lab.once(), parts)).output('Done');
		expect(done).toHaveLength(4);
		expect(done[0]?.json).toHaveProperty('packageId');
		for (const item of done.slice(1, 3)) {
			expect(errorOf(item)).toMatchObject({ outcome: 'unsent' });
			expect(errorOf(item).message).toContain('same key');
			expect(errorOf(item).description).toContain('part');
		}
		expect(done[3]?.json).toMatchObject({ alreadySent: true });
		expect(await lab.accepted()).toEqual({ 'part 1': 1 });
	});
});
