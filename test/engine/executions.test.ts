import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { eventually } from './eventually.ts';
import { byId, errorOf, once, useLab } from './lab.ts';
import { messagingNode, node, nodeName, startName, startNode, workflow } from './workflow.ts';

const lab = useLab();

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

describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'Retry On Fail with %s',
	(onError) => {
		test('sends no message twice, and says in the end what failed', async () => {
			// The first item's failure makes n8n run the whole node again, in every On Error mode.
			const wrong = [{ to: '' }, ...items];

			const run = await lab.execute(send(), {
				items: wrong,
				settings: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			});

			const sent = await recipients();
			expect(new Set(sent).size).toBe(sent.length);
			if (onError === 'stopWorkflow') {
				expect(run.status).toBe('error');
			} else {
				expect(sent).toEqual(everyone);
				const failed = onError === 'continueErrorOutput' ? run.main[1] : run.main[0].slice(0, 1);
				expect(failed).toHaveLength(1);
				expect(errorOf(failed[0])).toMatchObject({ outcome: 'unsent' });
			}
		});
	},
);

describe('a failed execution that is retried from the executions page', () => {
	async function failing() {
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'edsger' }]);
		const failed = await lab.execute(send(), { items });
		await lab.client.clearFaults();
		expect(failed.status).toBe('error');
		expect(failed.error?.context).toMatchObject({ itemIndex: 2 });
		return failed;
	}

	test('with the original workflow sends what has not gone out', async () => {
		const retried = await lab.engine.retry(await failing());

		expect(retried.status).toBe('success');
		expect(retried.main[0].map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(
			retried.json.map(({ content }) => ((content as IDataObject)['to'] as IDataObject)['email']),
		).toEqual(items.map(({ to }) => to));
		expect(await recipients()).toEqual(everyone);
	});

	test('with the node mended since, too', async () => {
		const retried = await lab.engine.retry(await failing(), {
			node: { parameters: send({ text: 'Mended' }) },
		});

		expect(retried.status).toBe('success');
		expect(await recipients()).toEqual(everyone);
		const { messages } = await lab.client.state();
		expect(messages.map(({ text }) => text)).toEqual(['Hello', 'Hello', 'Mended']);
	});
});

test('two executions side by side keep to themselves', async () => {
	const [first, second] = await Promise.all([
		lab.execute(send({ text: 'first' }), { items }),
		lab.execute(send({ text: 'second' }), { items }),
	]);

	const texts = (run: typeof first) => run.json.map(({ content }) => (content as IDataObject)['text']);
	expect(texts(first)).toEqual(items.map(() => 'first'));
	expect(texts(second)).toEqual(items.map(() => 'second'));
	expect((await lab.client.state()).messages).toHaveLength(6);
});

describe.each([
	['stopWorkflow', 'Acme Support key'],
	['continueRegularOutput', 'Acme Shop key'],
	['continueErrorOutput', 'Globex Helpdesk key'],
] as const)('an execution that is stopped (%s)', (onError, keyName) => {
	test('while requests are on their way ends, and nothing goes out any more', async () => {
		await lab.client.setFaults([{ kind: 'hang' }]);
		const handle = lab.engine.start({
			credential: lab.credential,
			items: Array.from({ length: 200 }, (_, index) => ({ json: { to: `${index}@example.com` } })),
			node: { parameters: send(), onError },
		});
		await eventually(async () => (await lab.requests()).length > 0, 'a request');
		await handle.cancel();
		// It ends although nothing is ever answered.
		const run = await handle.finished;

		expect(run.status).toBe('canceled');
		const received = await lab.requests();
		expect(received.length).toBeLessThan(200);
		expect(received.every(({ status }) => status === null)).toBe(true);
		await lab.client.clearFaults();
		await lab.execute(send({ text: 'Another execution' }), { items: items.slice(1) });
		const after = (await lab.requests()).slice(received.length);
		expect(after.map(({ body }) => (body as { content: IDataObject }).content['text'])).toEqual([
			'Another execution',
			'Another execution',
		]);
	});

	test('while it waits for the service wakes up', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 429, headers: { 'retry-after': '3600' } }]);
		// A key of its own: the pause that the service asks for holds for all executions with the same key.
		const apiKey = lab.state.apiKeys.find(({ name }) => name === keyName)?.apiKey ?? '';
		const handle = lab.engine.start({
			credential: { ...lab.credential, apiKey },
			items: items.map((json) => ({ json })),
			node: { parameters: send(), onError },
		});
		await eventually(async () => (await lab.requests()).some(({ status }) => status === 429), 'a 429');
		await handle.cancel();
		// It ends although the service asked for an hour.
		const run = await handle.finished;

		expect(run.status).toBe('canceled');
	});
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
