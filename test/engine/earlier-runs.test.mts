/** The node looks across the runs of one execution: two paths that lead into it, and its error output that leads back. */
import type { INodeParameters } from 'n8n-workflow';
import { textOf, useDeliveryLab } from './delivery-lab.mts';
import { errorOf } from './lab.mts';
import { messagingNode, node, nodeName, startName, startNode, workflow } from './workflow.mts';

const lab = useDeliveryLab();
const items = ['ada', 'grace'].map((name) => ({ to: `${name}@example.com`, text: `Hello ${name}` }));
const run = async (flow: ReturnType<typeof workflow>) =>
	await lab.engine.run({
		workflow: flow,
		credential: lab.credential,
		items: items.map((json) => ({ json })),
	});

test('two paths into it, one of them through another node: all is sent twice, and the second run says so', async () => {
	const twice = await run(
		workflow(
			[
				startNode(),
				node('Set', 'harness.set', { json: '={{ { to: $json.to.toUpperCase(), text: $json.text } }}' }),
				messagingNode(lab.send({ keepToPlan: false })),
			],
			[
				[startName, nodeName],
				[startName, 'Set'],
				['Set', nodeName],
			],
		),
	);
	expect(twice.status).toBe('success');
	expect(await lab.accepted()).toEqual({ 'Hello ada': 2, 'Hello grace': 2 });
	const hints = twice
		.runsOf(nodeName)
		.map(({ hints: told = [] }) => told.map(({ message }) => message).join());
	expect(hints).toEqual([
		'',
		expect.stringMatching(/same text.* more than once: items 0 .*earlier run.* 1 .*earlier run/),
	]);
});

describe('its error output leads back into it, four times', () => {
	/** What came out of each run, and how often the service was called. */
	async function loop(options: INodeParameters = {}, times = 2) {
		// The service takes the message, and then a gateway says that it failed.
		await lab.client.setFaults([{ kind: 'reply', status: 502, bodyContains: 'grace', times }]);
		const looped = await run(
			workflow(
				[
					startNode(),
					messagingNode(lab.send({ keepToPlan: false, ...options }), { onError: 'continueErrorOutput' }),
					node('Again', 'harness.firstRuns', { runs: 4 }),
				],
				[
					[startName, nodeName],
					[nodeName, 'Again', 1],
					['Again', nodeName],
				],
			),
		);
		const runs = looped.runsOf(nodeName).map((_, n) => ({
			sent: looped.output(nodeName, 0, n).map(({ json }) => textOf(json)),
			failed: looped.output(nodeName, 1, n).map((item) => errorOf(item).outcome),
		}));
		const told = looped
			.runsOf(nodeName)
			.flatMap((_, n) => looped.output(nodeName, 1, n).map((item) => errorOf(item).description));
		return { runs, told, accepted: await lab.accepted() };
	}

	test('a message in doubt is sent once, and stays in doubt', async () => {
		const { runs, told, accepted } = await loop();
		const held = { sent: [], failed: ['unknown'] };
		expect(runs).toEqual([{ sent: ['Hello ada'], failed: ['unknown'] }, held, held, held, held]);
		expect(accepted).toEqual({ 'Hello ada': 1, 'Hello grace': 1 });
		// Under the ID of a later run, it would not be found at the service, and be sent again.
		const [{ packageId } = {}] = (await lab.messages()).filter(({ text }) => text === 'Hello grace');
		expect(told.map((text) => /packageId ([\da-f-]+)/.exec(text)?.[1])).toEqual([packageId, ...Array(4)]);
	});

	test('with When Outcome Is Unknown: Send Again it goes out until it is known', async () => {
		const { runs, accepted } = await loop({ whenUnknown: 'sendAgain', maxTries: 1 });
		expect(runs).toEqual([
			{ sent: ['Hello ada'], failed: ['unknown'] },
			{ sent: [], failed: ['unknown'] },
			{ sent: ['Hello grace'], failed: [] },
		]);
		expect(accepted).toEqual({ 'Hello ada': 1, 'Hello grace': 3 });
	});
});
