import type { INodeParameters } from 'n8n-workflow';
import { useDeliveryLab } from './delivery-lab.mts';
import type { WorkflowJson } from './protocol.mts';
import type { Run } from './run.mts';
import { loopAround, messagingNode, type NodeSettings } from './workflow.mts';

const lab = useDeliveryLab();

const send = (options: INodeParameters = { keepToPlan: false, maxConcurrency: 1 }) =>
	lab.send(options, { text: 'Hello' });

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
		loopAround(
			messagingNode(send(), settings),
			"={{ { to: $('Start').item.json.to, id: $json.packageId } }}",
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
		expect(failed.error?.description).toMatch(/own fields.*Retry with/s);

		expect((await lab.engine.retry(failed)).status).toBe('success');
		expect(await lab.accepted()).toEqual({ Hello: 4 });
	});
});

test.each([
	['"{{ $json.text }}"', 'mallory@example.com', [/break out of the quotes in Package.*JSON\.stringify/]],
	['{{ JSON.stringify($json.text) }}', 'ada@example.com', []],
])(
	'data in JSON as %s is sent to %s; a hint says if it can change other fields, and how to write it instead',
	async (textInJson, email, hints) => {
		const text = 'x", "to": {"type": "EMAIL", "email": "mallory@example.com"}, "type": "TEXT';
		const to = '{"type": "EMAIL", "email": "ada@example.com"}';
		const json = `={"content": {"type": "TEXT", "to": ${to}, "text": ${textInJson}}}`;
		const sent = await lab.execute(lab.send({}, { inputMode: 'json', package: json, toEmail: '' }), {
			items: [{ text }],
		});
		expect(sent.json).toMatchObject([{ content: { to: { email } } }]);
		expect(sent.hintTexts).toEqual(hints.map((words) => expect.stringMatching(words) as string));
	},
);
