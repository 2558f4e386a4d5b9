/** Once keys in n8n's engine, across executions and runs. */
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';
import { endsOf, onceEach, orders, useDeliveryLab, type Order } from './delivery-lab.mts';
import { errorOf } from './lab.mts';
import type { Run } from './run.mts';
import { messagingNode, nodeName, startName, startNode, workflow } from './workflow.mts';

const lab = useDeliveryLab();

/** Sends each once, and continues after a failure. */
const send = async (items: Order[], options: INodeParameters = {}, by = lab): Promise<Run> =>
	await by.execute(by.once(options), { items, settings: { onError: 'continueRegularOutput' } });

/** The items reported as sent before. */
const alreadySent = ({ json }: Run) => json.map((item) => item['alreadySent'] === true);

test('a message with the same key is not sent again by a later execution', async () => {
	const items = orders(3);
	const first = await send(items);
	expect(endsOf(first)).toEqual(['done', 'done', 'done']);
	expect(first.json.map(({ onceKey }) => onceKey)).toEqual(items.map(({ id }) => id));
	const calls = (await lab.calls()).length;

	const second = await send(items);

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
	expect(second.hintTexts.join('\n')).toContain(items[2]?.id);
	expect(await lab.accepted()).toEqual(onceEach(items));
});

test('an account with the same key is not created again', async () => {
	const items = ['Acme', 'Globex'].map((name) => ({ name, key: `${name} ${randomUUID()}` }));
	const options = { onceKey: '={{ $json.key }}' };
	const account = { resource: 'account', operation: 'create', name: '={{ $json.name }}', options };
	const create = async () => await lab.execute(account, { items });
	expect((await create()).json).toMatchObject(items.map(({ name }) => ({ name })));
	const sent = (await lab.calls()).length;
	expect((await create()).json).toEqual(items.map(({ key }) => ({ alreadySent: true, onceKey: key })));
	expect(await lab.calls()).toHaveLength(sent);
});

test('a test by hand says that it counts, unless it sent nothing', async () => {
	const items = orders(2);
	const byHand = async () => (await lab.execute(lab.once(), { items, mode: 'manual' })).hintTexts.join('\n');
	expect(await byHand()).toContain('This test');
	expect(await byHand()).not.toContain('This test');
	expect((await send(orders(2))).hintTexts).toEqual([]);
});

test('a key that is the same in every run sends in the first alone, and the next one says why', async () => {
	const digest = async () =>
		await lab.execute(lab.once({ onceKey: 'daily-digest' }), { items: [orders(1)[0]!] });
	const warnings = (run: Run) =>
		run.hints.filter(({ type }) => type === 'warning').map(({ message }) => message);
	expect(warnings(await digest())).toEqual([]);
	expect(warnings(await digest())).toHaveLength(1);
});

test('a list of more messages than Keys to Remember is remembered whole, also if a retry sent its last ones', async () => {
	const items = orders(1100);
	const options = { onceHistory: 1000 };
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 900.', times: 1 }]);
	const failed = await lab.execute(lab.once({ ...options, maxConcurrency: 4 }), { items });
	expect(failed.status).toBe('error');
	expect(await lab.messages()).not.toHaveLength(1100);
	expect((await lab.engine.retry(failed)).status).toBe('success');

	const again = await send(items, options);
	expect(new Set(alreadySent(again))).toEqual(new Set([true]));
	expect(await lab.messages()).toHaveLength(1100);
});

test('a node that remembers no keys says so: after a deploy without IDs, it has the same name and another ID', async () => {
	const none =
		'This node remembers no keys yet: it is new, or was copied, imported or given a new ID. What an earlier copy has sent is not known here.';
	const deploy = () => {
		const node = { ...messagingNode(lab.once()), id: randomUUID() };
		const deployed = workflow([startNode(), node], [[startName, nodeName]]);
		return async () => {
			const items = orders(2).map((json) => ({ json }));
			const run = await lab.engine.run({ workflow: deployed, items, credential: lab.credential });
			return run.hintTexts.filter((hint) => hint === none).length;
		};
	};
	const [first, again] = [deploy(), deploy()];
	expect([await first(), await first(), await again(), await first()]).toEqual([1, 0, 1, 0]);
});

test('more messages than can be remembered are refused, all of them, before anything is sent', async () => {
	const items = orders(20_500);
	const result = await send(items);
	expect(new Set(endsOf(result))).toEqual(new Set(['unsent']));
	const error = errorOf(result.main[0][20_499]);
	expect(error.message).toBe(
		'This run has 20,500 messages with a key. At most 20,000 can be remembered: split the list',
	);
	expect(await lab.client.requests()).toEqual([]);
});

describe("when n8n's store for them fails, in an engine in which the seconds of trying again are soon over", () => {
	const lab = useDeliveryLab({ fastClock: 10 });

	test('after sending: a success, and a warning that names the keys', async () => {
		const items = orders(2);
		// Long enough for a service that takes a second, which is many more in this engine.
		const options = { timeout: 3600 };
		await lab.client.setFaults([{ kind: 'hold', method: 'POST' }]);
		const sending = send(items, options, lab);
		await lab.received(2);
		await lab.engine.failStore(true);
		await lab.client.clearFaults();
		const result = await sending;
		await lab.engine.failStore(false);
		expect(endsOf(result)).toEqual(['done', 'done']);
		const [warning] = result.hints.filter(({ type }) => type === 'warning');
		for (const { id } of items) expect(warning?.message).toContain(id);
		expect(alreadySent(await send(items, options, lab))).toEqual([true, true]);
		expect(await lab.messages()).toHaveLength(2);
	});
});
