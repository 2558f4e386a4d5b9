/** Once keys, in n8n's engine: across executions and runs. */
import { randomUUID } from 'node:crypto';
import { endsOf, onceEach, textOf } from './delivery-lab.ts';
import { byId, errorOf } from './lab.ts';
import { alreadySent, orders, useOnceLab, type Order } from './once-lab.ts';
import type { Run } from './run.ts';
import { messagingNode, nodeName, startName, startNode, workflow } from './workflow.ts';

const lab = useOnceLab();

/** Sends them in an execution that is stopped while four are under way, whichever have come first. */
async function stopped(items: Order[]): Promise<Order[]> {
	await lab.client.setFaults([{ kind: 'hold' }]);
	const handle = lab.start(lab.once({ maxConcurrency: 4 }), { items });
	await lab.received(4);
	await handle.cancel();
	await handle.finished;
	await lab.client.clearFaults();
	await lab.quiet();
	return items;
}

const hints = ({ hints: given }: Run) => given.map(({ message }) => message);

test('a message with the same key is not sent again by a later execution', async () => {
	const items = orders(3);
	const first = await lab.run(items);
	expect(endsOf(first)).toEqual(['done', 'done', 'done']);
	expect(first.json.map(({ onceKey }) => onceKey)).toEqual(items.map(({ id }) => id));
	const calls = (await lab.calls()).length;

	const second = await lab.run(items);

	expect((await lab.calls()).length).toBe(calls);
	expect(second.status).toBe('success');
	expect(second.json).toEqual(
		items.map(({ id }, n) => ({
			alreadySent: true,
			onceKey: id,
			packageId: first.json[n]?.['packageId'],
			channelId: lab.channel().channelId,
		})),
	);
	expect(second.main[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	expect(hints(second)).toEqual([
		'Of 3 items, 3 went out (3 of them before, under the same key). What had gone out before was not sent again.',
	]);
	expect(await lab.accepted()).toEqual(onceEach(items));
});

test('what a try before has sent comes with its key as well', async () => {
	const items = orders(3);
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 }]);
	const result = await lab.execute(lab.once(), {
		items,
		settings: {
			onError: 'continueRegularOutput',
			...{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		},
	});
	expect(result.json.map(({ onceKey }) => onceKey)).toEqual(items.map(({ id }) => id));
	expect(await lab.accepted()).toEqual(onceEach(items));
});

test('some had gone out, some not: only those are sent, in order', async () => {
	const items = orders(6, 1);
	await lab.run([items[1], items[3]] as Order[]);
	const second = await lab.run(items);
	expect(alreadySent(second)).toEqual([false, true, false, true, false, false]);
	expect((await lab.messages()).map(({ text }) => text)).toEqual([1, 3, 0, 2, 4, 5].map((n) => `text ${n}.`));
});

test('the same event three times at once: one message', async () => {
	const items = orders(5);
	const runs = await Promise.all([lab.run(items), lab.run(items), lab.run(items)]);
	expect(await lab.accepted()).toEqual(onceEach(items));
	for (const { status } of runs) expect(status).toBe('success');
	expect(runs.flatMap(alreadySent).filter(Boolean)).toHaveLength(10);
});

test('a key that a Mac has written is the same one: accents of their own or not, it is what people see', async () => {
	const [day] = orders(1);
	const keys = ['Büro 7 é', 'Ω', '가', 'ệ', '\u212b'].map((key) => `${day?.id} ${key}`);
	const inForm = (form: 'NFC' | 'NFD') =>
		keys.map((key, n) => ({ to: `r${n}@example.com`, text: `text ${n}.`, id: key.normalize(form) }));
	const first = await lab.run(inForm('NFD'));
	expect(endsOf(first)).toEqual(keys.map(() => 'done'));
	const calls = (await lab.calls()).length;

	// The same key twice in one run, and in a later one.
	const second = await lab.run([...inForm('NFC'), ...inForm('NFD')]);

	expect(alreadySent(second)).toEqual([...keys, ...keys].map(() => true));
	expect((await lab.calls()).length).toBe(calls);
	const packageIds = first.json.map(({ packageId }) => packageId);
	expect(second.json.map(({ packageId }) => packageId)).toEqual([...packageIds, ...packageIds]);
	expect(second.json.map(({ onceKey }) => onceKey)).toEqual(
		[...keys, ...keys].map((key) => key.normalize('NFC')),
	);
	// Everything else that differs is another key.
	const third = await lab.run(keys.map((key) => ({ to: 'a@b.c', text: 'text.', id: key.toUpperCase() })));
	expect(alreadySent(third)).toEqual(keys.map((key) => key === key.toUpperCase()));
});

test('the same key twice in one run: the same message is sent once, and another one is an error', async () => {
	const [first, second] = orders(2) as [Order, Order];
	const result = await lab.run([first, first, { ...first, to: second.to }, { ...first, text: second.text }]);
	expect(endsOf(result)).toEqual(['done', 'done', 'unsent', 'unsent']);
	expect(alreadySent(result)).toEqual([false, true, false, false]);
	expect(errorOf(result.main[0][2]).message).toMatch(/two items with different messages have the same key/);
	expect(await lab.accepted()).toEqual({ 'text 0.': 1 });
});

test('the same key for two messages is an error in each try, also once the first of them is sent', async () => {
	const [first, second] = orders(2) as [Order, Order];
	// n8n repeats a node whose first item has failed.
	const items = [{ ...second, to: '' }, first, { ...first, text: second.text }];
	const settings = {
		onError: 'continueRegularOutput',
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 1,
	} as const;
	const result = await lab.execute(lab.once({ maxConcurrency: 1 }), { items, settings });
	expect(endsOf(result)).toEqual(['unsent', 'done', 'unsent']);
	expect(await lab.accepted()).toEqual({ 'text 0.': 1 });
});

test('the second of the same key has a try of its own where the first failed for good', async () => {
	const [first] = orders(1) as [Order];
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 }]);
	const result = await lab.run([first, first]);
	expect(endsOf(result)).toEqual(['rejected', 'done']);
	expect(await lab.accepted()).toEqual({ 'text 0.': 1 });
});

test('what was refused, or never left, can be sent later', async () => {
	const items = orders(2);
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.' }]);
	expect(endsOf(await lab.run(items))).toEqual(['rejected', 'done']);
	await lab.client.clearFaults();
	expect(alreadySent(await lab.run(items))).toEqual([false, true]);
	expect(await lab.accepted()).toEqual(onceEach(items));

	const others = orders(1);
	const nowhere = await lab.lab.engine.run({
		items: others.map((json) => ({ json })),
		credential: { ...lab.credential, baseUrl: 'http://127.0.0.1:9' },
		node: { parameters: lab.once({ maxTries: 1 }), onError: 'continueRegularOutput' },
	});
	expect(errorOf(nowhere.main[0][0]).outcome).toBe('unsent');
	expect(endsOf(await lab.run(others))).toEqual(['done']);
});

test.each([
	['lostResponse', 1],
	['status', 0],
] as const)(
	'what nobody knows of (%s) is not sent again, until somebody allows it',
	async (kind, accepted) => {
		const items = orders(1);
		await lab.client.setFaults([
			kind === 'status'
				? { kind, status: 500, bodyContains: 'text 0.' }
				: { kind, bodyContains: 'text 0.', times: 1 },
		]);
		expect(endsOf(await lab.run(items, { maxTries: 1 }))).toEqual(['unknown']);
		await lab.client.clearFaults();

		const second = await lab.run(items);
		const error = errorOf(second.main[0][0]);
		expect(error.outcome).toBe('unknown');
		expect(error.message).toMatch(/^Not sent again/);
		expect(error.description).toContain(items[0]?.id);
		expect(error.description).toMatch(/Check at the service.*When Outcome Is Unknown/);
		expect(await lab.messages()).toHaveLength(accepted);

		const third = await lab.run(items, { whenUnknown: 'sendAgain' });
		expect(endsOf(third)).toEqual(['done']);
		expect(await lab.messages()).toHaveLength(accepted + 1);
		const ids = (await lab.calls()).map(({ body }) => (body as { packageId: string }).packageId);
		expect(new Set(ids).size).toBe(1);
		expect(alreadySent(await lab.run(items, { whenUnknown: 'sendAgain' }))).toEqual([true]);
	},
);

test('a refusal after an unclear try leaves it unclear', async () => {
	const items = orders(1);
	await lab.client.setFaults([{ kind: 'lostResponse', bodyContains: 'text 0.', times: 1 }]);
	await lab.run(items, { maxTries: 1 });
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.' }]);
	expect(endsOf(await lab.run(items, { whenUnknown: 'sendAgain' }))).toEqual(['unknown']);
	await lab.client.clearFaults();
	expect(endsOf(await lab.run(items))).toEqual(['unknown']);
	expect(await lab.messages()).toHaveLength(1);
});

describe('an option that would protect nothing is refused before anything leaves', () => {
	test.each([
		['empty', ''],
		['blank', '  '],
		['a value that is missing', '={{ $json.missing }}'],
		['null', '={{ null }}'],
		['an object', '={{ { a: 1 } }}'],
		['an object in text', '=order {{ {} }}'],
		['the word undefined', 'undefined'],
		['no number', '={{ NaN }}'],
		['yes or no', '={{ 1 === 1 }}'],
		['no date', '={{ "order of " + DateTime.fromISO("soon").toString() }}'],
		['a number that has been rounded', '={{ 9007199254740993 }}'],
		['a text whose expression finds nothing', '=order-{{ $json.missing }}'],
		['a text in which one of several finds nothing', '={{ $json.id }}-{{ $json.missing }}'],
		['an expression in which a part finds nothing', '={{ "order-" + $json.missing }}'],
	])('%s', async (_what, onceKey) => {
		const items = orders(2);
		const result = await lab.execute(lab.send({ onceKey, keepToPlan: false }), {
			items,
			settings: { onError: 'continueRegularOutput' },
		});
		for (const [n, item] of result.main[0].entries()) {
			expect(errorOf(item).outcome).toBe('unsent');
			expect(errorOf(item).message).toContain('"Send Only Once Per"');
			expect(errorOf(item).description).toContain(`Item ${n}`);
		}
		expect(await lab.calls()).toEqual([]);
	});

	test.each(['', '__EMPTY__'])('a workflow that was never saved (id "%s")', async (id) => {
		const flow = workflow(
			[startNode(), messagingNode(lab.once(), { onError: 'continueRegularOutput' })],
			[[startName, nodeName]],
		);
		const result = await lab.lab.engine.run({
			workflow: { ...flow, id },
			credential: lab.credential,
			items: orders(2).map((json) => ({ json })),
		});
		for (const item of result.main[0]) {
			expect(errorOf(item).outcome).toBe('unsent');
			expect(errorOf(item).message).toBe('Save the workflow first');
		}
		expect(await lab.calls()).toEqual([]);
	});

	test.each([0, -1, 1.5, 'many', 999, 20_001])('%s keys to remember', async (onceHistory) => {
		const result = await lab.run(orders(1), { onceHistory });
		expect(errorOf(result.main[0][0]).message).toContain('"Keys to Remember"');
		expect(await lab.calls()).toEqual([]);
	});
});

test('of more keys than are remembered the oldest go first', async () => {
	const items = orders(1001);
	const history = { onceHistory: 1000 };
	for (const part of [items.slice(0, 1), items.slice(1, 1000), items.slice(1000)]) {
		await lab.run(part, history);
	}
	const again = async (item: number) => alreadySent(await lab.run(items.slice(item, item + 1), history));
	expect(await again(1000)).toEqual([true]);
	expect(await again(1)).toEqual([true]);
	expect(await again(0)).toEqual([false]);
});

describe('n8n repeats the node', () => {
	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
		'Retry On Fail works as it does without a key (%s)',
		async (onError) => {
			const items = orders(10);
			await lab.client.setFaults([
				{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 },
				{ kind: 'status', status: 400, bodyContains: 'text 6.', times: 1 },
			]);
			const result = await lab.execute(lab.once({ maxConcurrency: 3 }), {
				items,
				settings: {
					onError: onError as 'stopWorkflow',
					retryOnFail: true,
					maxTries: 3,
					waitBetweenTries: 1,
				},
			});
			expect(endsOf(result)).toEqual(items.map(() => 'done'));
			expect(await lab.accepted()).toEqual(onceEach(items));
		},
	);

	test('a retry of the execution gives what the first try gave, and a second retry nothing twice', async () => {
		const items = orders(10);
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 6.' }]);
		const failed = await lab.execute(lab.once({ maxConcurrency: 2 }), { items });
		expect(failed.status).toBe('error');
		const again = await lab.lab.engine.retry(failed);
		expect(again.status).toBe('error');
		await lab.client.clearFaults();

		// The older one, which knows nothing of what the newer one has sent.
		const retried = await lab.lab.engine.retry(failed);
		expect(retried.status).toBe('success');
		expect(await lab.accepted()).toEqual(onceEach(items));
	});

	test('an execution that was stopped: what was under way is unclear, the rest goes out in a new one', async () => {
		const items = await stopped(orders(40));

		const second = await lab.run(items);
		const ends = endsOf(second);
		expect(ends.filter((end) => end === 'unknown')).toHaveLength(4);
		expect(ends.filter((end) => end === 'done')).toHaveLength(36);
		expect(Object.values(await lab.accepted()).every((count) => count === 1)).toBe(true);
	});

	test('what is unclear does not keep the rest from going out, also where the first failure stops the workflow', async () => {
		const items = await stopped(orders(40));
		const sent = new Set((await lab.calls()).map(({ body }) => textOf(body)));
		const unclear = items.flatMap(({ text }, n) => (sent.has(text) ? [n] : []));

		const second = await lab.run(items, { maxConcurrency: 4 }, 'stopWorkflow');

		expect(second.error?.context).toMatchObject({ outcome: 'unknown' });
		expect(second.error?.description).toContain(
			`Of 40 items, 36 went out, 4 may have gone out (items ${unclear.join(', ')}).`,
		);
		expect(Object.values(await lab.accepted()).filter((count) => count === 1).length).toBeGreaterThanOrEqual(
			36,
		);
		expect(Object.values(await lab.accepted()).every((count) => count === 1)).toBe(true);
	});

	test('what is new stops the workflow and is its error, also behind something unclear', async () => {
		const items = orders(6);
		await lab.client.setFaults([{ kind: 'lostResponse', bodyContains: 'text 0.' }]);
		expect(endsOf(await lab.run(items.slice(0, 1)))).toEqual(['unknown']);
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 2.' }]);

		const second = await lab.run(items, { maxConcurrency: 1 }, 'stopWorkflow');

		expect(second.error?.context).toMatchObject({ outcome: 'rejected', itemIndex: 2 });
		expect(second.error?.description).toContain(
			'Of 6 items, 1 went out, 1 may have gone out (item 0), 1 was refused, 3 were not sent in this run.',
		);
	});

	test('of what is unclear, only what Resend Unknown is true for goes out again', async () => {
		const items = orders(3);
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage' }]);
		expect(endsOf(await lab.run(items))).toEqual(['unknown', 'unknown', 'unknown']);
		await lab.client.clearFaults();

		const second = await lab.run(items, {
			whenUnknown: `={{ $json.id === ${JSON.stringify(items[1]?.id)} ? 'sendAgain' : 'hold' }}`,
		});

		expect(endsOf(second)).toEqual(['unknown', 'done', 'unknown']);
	});
});

test('an error that stops the workflow says that a new run does not send again what has a key', async () => {
	const items = orders(4);
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 3.' }]);
	const failed = await lab.execute(lab.once(), { items });
	expect(failed.error?.description).toMatch(/Retry with currently saved workflow/);
	expect(failed.error?.description).not.toMatch(/sends all/);
});

describe('what is created', () => {
	const customer = () => randomUUID();

	test('an account', async () => {
		const parameters = (key: string) => ({
			resource: 'account',
			operation: 'create',
			name: 'Branch North',
			options: { onceKey: key, keepToPlan: false },
		});
		const key = customer();
		const first = await lab.execute(parameters(key));
		expect(first.json[0]).toMatchObject({ onceKey: key });
		const second = await lab.execute(parameters(key));
		expect(second.json).toEqual([{ alreadySent: true, onceKey: key }]);
		expect((await lab.calls()).filter(({ method }) => method === 'POST')).toHaveLength(1);
		const empty = await lab.execute(parameters(''));
		expect(empty.error?.message).toContain('"Create Only Once Per"');
	});

	test('a node that was changed to an operation without keys does not look at the one that is left over', async () => {
		const key = customer();
		const edit = {
			resource: 'message',
			operation: 'edit',
			channelId: byId(lab.channel().channelId),
			chatId: 'chat',
			messageId: 'message',
			newText: 'new',
			options: { onceKey: key, keepToPlan: false },
		};
		const runs = [await lab.execute(edit), await lab.execute(edit)];
		for (const { json } of runs) expect(json[0]?.['alreadySent']).toBeUndefined();
		expect((await lab.calls()).filter(({ method }) => method === 'PUT')).toHaveLength(2);
	});
});
