/** Once keys in n8n's engine, across executions and runs. */
import { randomUUID } from 'node:crypto';
import { endsOf, onceEach } from './delivery-lab.ts';
import { errorOf } from './lab.ts';
import { alreadySent, orders, useOnceLab, type Order } from './once-lab.ts';
import type { Run } from './run.ts';

const lab = useOnceLab();

/** Sends them in an execution that is stopped while any four are in flight. */
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

test('the same event three times at once: one message', async () => {
	const items = orders(5);
	const runs = await Promise.all([lab.run(items), lab.run(items), lab.run(items)]);
	expect(await lab.accepted()).toEqual(onceEach(items));
	for (const { status } of runs) expect(status).toBe('success');
	expect(runs.flatMap(alreadySent).filter(Boolean)).toHaveLength(10);
});

test('Count as Sent makes a message in doubt a success without a request, and its key counts as sent', async () => {
	const items = orders(1);
	await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
	expect(endsOf(await lab.run(items))).toEqual(['unknown']);
	const calls = (await lab.calls()).length;
	for (const options of [{ whenUnknown: 'countAsSent' }, {}]) {
		expect(alreadySent(await lab.run(items, options))).toEqual([true]);
	}
	expect((await lab.calls()).length).toBe(calls);
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
	// Surrounding space is not part of the key.
	const spaced = inForm('NFC').map((item) => ({ ...item, id: ` ${item.id}\n` }));
	expect(alreadySent(await lab.run(spaced))).toEqual(keys.map(() => true));
	// Any other difference makes another key.
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

test('what nobody knows of is not sent again, until somebody allows it', async () => {
	const items = orders(1);
	await lab.client.setFaults([{ kind: 'lostResponse', bodyContains: 'text 0.', times: 1 }]);
	expect(endsOf(await lab.run(items, { maxTries: 1 }))).toEqual(['unknown']);
	await lab.client.clearFaults();

	const second = await lab.run(items);
	const error = errorOf(second.main[0][0]);
	expect(error.outcome).toBe('unknown');
	expect(error.message).toMatch(/^Not sent again/);
	expect(error.description).toContain(items[0]?.id);
	expect(error.description).toMatch(/Check at the service.*When Outcome Is Unknown/);
	expect(await lab.messages()).toHaveLength(1);

	const third = await lab.run(items, { whenUnknown: 'sendAgain' });
	expect(endsOf(third)).toEqual(['done']);
	expect(await lab.messages()).toHaveLength(2);
	const ids = (await lab.calls()).map(({ body }) => (body as { packageId: string }).packageId);
	expect(new Set(ids).size).toBe(1);
	expect(alreadySent(await lab.run(items, { whenUnknown: 'sendAgain' }))).toEqual([true]);
});

describe('n8n repeats the node', () => {
	test('a retry of the execution gives what the first try gave, and a second retry nothing twice', async () => {
		const items = orders(10);
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 6.' }]);
		const failed = await lab.execute(lab.once({ maxConcurrency: 2 }), { items });
		expect(failed.status).toBe('error');
		const again = await lab.engine.retry(failed);
		expect(again.status).toBe('error');
		await lab.client.clearFaults();

		// The older execution, which does not know what the newer one has sent.
		const retried = await lab.engine.retry(failed);
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
});

/** The hints of a new run. */
const warning = /duplicates/;
describe('where every item has a key, nobody is told that a new run sends anything again', () => {
	test('after the tries of Retry On Fail', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, path: 'SendMessage', bodyContains: 'text 0.', times: 1 },
			{ kind: 'lostResponse', path: 'SendMessage', bodyContains: 'text 1.', times: 1 },
		]);
		const run = await lab.execute(lab.once(), {
			items: orders(4),
			settings: { onError: 'continueErrorOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		});
		const hints = run.hints.map(({ message }) => message).join(' ');
		expect(hints).toMatch(/Of 4 items, 3 went out \(\d of them in an earlier try.*1 may have gone out/);
		expect(hints).not.toMatch(warning);
	});

	test('in the error of a retry that was cut short before their turn', async () => {
		const items = orders(4);
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 3.' }]);
		const failed = await lab.execute(lab.once({ maxConcurrency: 1 }), { items });
		const retried = await lab.engine.retry(failed, {
			credential: { ...lab.credential, apiKey: '…' },
		});
		expect(retried.error?.message).toContain('API Key');
		expect(retried.error?.description).toMatch(/3 went out \(3 of them in an earlier try/);
		expect(retried.error?.description).not.toMatch(warning);
	});
});

describe("when n8n's store for them fails, in an engine in which the seconds of trying again are soon over", () => {
	/** Long enough for a service that takes a second, which is many more in this engine. */
	const timeout = 86_400;

	const lab = useOnceLab({ fastClock: 10 });

	afterEach(async () => await lab.engine.troubleStore('none'));

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'before sending: nothing leaves (%s)',
		async (onError) => {
			await lab.engine.troubleStore('fails');
			const items = orders(3);
			const result = await lab.run(items, { timeout }, onError);
			expect(await lab.calls()).toEqual([]);
			if (onError === 'stopWorkflow') {
				expect(result.error?.message).toMatch(/n8n could not note its key/);
			} else {
				for (const item of result.main[0]) {
					expect(errorOf(item).outcome).toBe('unsent');
					expect(errorOf(item).message).toMatch(/n8n could not note its key/);
				}
			}
			await lab.engine.troubleStore('none');
			expect(endsOf(await lab.run(items, { timeout }))).toEqual(['done', 'done', 'done']);
		},
	);

	test('after sending: a success, and a warning that names the keys', async () => {
		const items = orders(2);
		await lab.client.setFaults([{ kind: 'hold' }]);
		const handle = lab.start(lab.once({ timeout }), {
			items,
			settings: { onError: 'continueRegularOutput' },
		});
		await lab.received(2);
		await lab.engine.troubleStore('fails');
		await lab.client.clearFaults();
		const result = await handle.finished;
		await lab.engine.troubleStore('none');
		expect(endsOf(result)).toEqual(['done', 'done']);
		const [warning] = result.hints.filter(({ type }) => type === 'warning');
		for (const { id } of items) expect(warning?.message).toContain(id);
		expect(alreadySent(await lab.run(items, { timeout }))).toEqual([true, true]);
		expect(await lab.messages()).toHaveLength(2);
	});
});
