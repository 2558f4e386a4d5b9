/** Once keys when n8n's store for them fails, in an engine in which the seconds of trying again are soon over. */
import { endsOf } from './delivery-lab.ts';
import { errorOf } from './lab.ts';
import { alreadySent, orders, useOnceLab } from './once-lab.ts';

/** Time enough for a service that takes a second, which is many more here. */
const timeout = 86_400;

const lab = useOnceLab({ fastClock: 10 });

afterEach(async () => await lab.lab.engine.troubleStore('none'));

test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'before sending: nothing leaves (%s)',
	async (onError) => {
		await lab.lab.engine.troubleStore('fails');
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
		await lab.lab.engine.troubleStore('none');
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
	await lab.lab.engine.troubleStore('fails');
	await lab.client.clearFaults();
	const result = await handle.finished;
	await lab.lab.engine.troubleStore('none');
	expect(endsOf(result)).toEqual(['done', 'done']);
	const [warning] = result.hints.filter(({ type }) => type === 'warning');
	for (const { id } of items) expect(warning?.message).toContain(id);
	expect(alreadySent(await lab.run(items, { timeout }))).toEqual([true, true]);
	expect(await lab.messages()).toHaveLength(2);
});

test('the warning outlives a retry of the node, which has nothing to note of what has gone out', async () => {
	const items = orders(3);
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.' }, { kind: 'hold' }]);
	const handle = lab.start(lab.once({ timeout, maxConcurrency: 3 }), {
		items,
		settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
	});
	await lab.received(3);
	await lab.lab.engine.troubleStore('fails');
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 0.' }]);
	const result = await handle.finished;
	await lab.lab.engine.troubleStore('none');

	expect(endsOf(result).slice(1)).toEqual(['done', 'done']);
	expect(await lab.accepted()).toEqual({ 'text 1.': 1, 'text 2.': 1 });
	const [warning] = result.hints.filter(({ message }) => message.includes('could not note how'));
	expect(warning?.message).toContain(items[1]?.id);
	expect(warning?.message).toContain(items[2]?.id);
});
