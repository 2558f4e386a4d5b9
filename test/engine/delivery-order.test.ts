import type { IDataObject } from 'n8n-workflow';
import type { LoggedRequest } from '../../dev/sandbox/types.ts';
import { isOverBefore, letters, mostInFlight, onceEach, textOf, useDeliveryLab } from './delivery-lab.ts';
import { byId } from './lab.ts';

const lab = useDeliveryLab();

/** The requests grouped by body, each group in order of arrival. */
function grouped(requests: LoggedRequest[], by: (body: IDataObject) => unknown): LoggedRequest[][] {
	return [...Map.groupBy(requests, ({ body }) => by(body as IDataObject)).values()];
}

/** Whether each request began only after the previous one had ended. */
function oneAfterTheOther(requests: LoggedRequest[]): boolean {
	return requests.every((request, n) => n === 0 || isOverBefore(requests[n - 1]!, request));
}

const recipientOf = (body: IDataObject) => (body['content'] as { to: { email: string } }).to.email;

/** Latencies that would change the order without queues. */
const unsteady = [{ kind: 'latency', ms: 1, jitterMs: 40 }] as const;

describe('messages to one recipient', () => {
	test('leave in item order, one after the other, while those to others run beside them', async () => {
		await lab.client.setFaults([...unsteady]);
		const items = letters(60, 6);

		const run = await lab.execute(lab.send(), { items });

		const calls = await lab.calls();
		const lanes = grouped(calls, recipientOf);
		expect(lanes).toHaveLength(6);
		for (const lane of lanes) {
			expect(oneAfterTheOther(lane)).toBe(true);
			const numbers = lane.map(({ body }) => Number(/\d+/.exec(textOf(body) ?? '')?.[0]));
			expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
		}
		expect(mostInFlight(calls)).toBeGreaterThan(2);
		expect(run.json.map(textOf)).toEqual(items.map(({ text }) => text));
		expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	});

	test('are the same recipient however the address is written, and not on another channel', async () => {
		await lab.client.setFaults([{ kind: 'latency', ms: 60 }]);
		const items = ['Ada@Example.com', 'ada@example.com'].map((to) => ({ to, text: to }));
		await lab.execute(lab.send(), { items });
		expect(oneAfterTheOther(await lab.calls())).toBe(true);

		await lab.client.clearRequests();
		await lab.execute(lab.send({}, { channelId: byId('={{ $json.channel }}') }), {
			items: ['Support E-mail', 'Shop Newsletter'].map((name) => ({
				to: 'ada@example.com',
				text: name,
				channel: lab.channel(name).channelId,
			})),
		});
		expect(oneAfterTheOther(await lab.calls())).toBe(false);
	});

	test('leave side by side with the option Ordering: None', async () => {
		await lab.client.setFaults([{ kind: 'latency', ms: 100 }]);
		const items = letters(10, 1);

		const run = await lab.execute(lab.send({ ordering: 'none' }), { items });

		const calls = await lab.calls();
		expect(oneAfterTheOther(calls)).toBe(false);
		expect(mostInFlight(calls)).toBeGreaterThanOrEqual(4);
		expect(run.json.map(textOf)).toEqual(items.map(({ text }) => text));
	});
});

describe.each(['edit', 'delete'] as const)('%s', (operation) => {
	const items = Array.from({ length: 18 }, (_, n) => ({ chat: `chat-${n % 3}`, message: `m-${n}` }));
	const parameters = (options = {}) => ({
		resource: 'message',
		operation,
		channelId: byId(lab.channel().channelId),
		chatId: '={{ $json.chat }}',
		messageId: '={{ $json.message }}',
		...(operation === 'edit' ? { newText: 'New' } : {}),
		options,
	});
	const settings = { onError: 'continueRegularOutput' } as const;

	test('of one chat happen in item order, one after the other', async () => {
		await lab.client.setFaults([...unsteady]);

		await lab.execute(parameters(), { items, settings });

		const calls = await lab.calls();
		expect(calls).toHaveLength(items.length);
		for (const lane of grouped(calls, (body) => body['chatId'])) {
			expect(oneAfterTheOther(lane)).toBe(true);
			const numbers = lane.map(({ body }) => Number((body as { messageId: string }).messageId.slice(2)));
			expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
		}
		expect(mostInFlight(calls)).toBeGreaterThan(1);
	});
});

test('changes of one resource keep their order', async () => {
	await lab.client.setFaults([...unsteady]);
	const { channelId } = lab.channel('Support Ticket Hook');
	const items = Array.from({ length: 8 }, (_, n) => ({ n }));

	await lab.execute(
		{
			resource: 'channel',
			operation: 'updateParameters',
			channelId: byId(channelId),
			parametersMode: 'json',
			inputMode: 'json',
			parameters: '={{ { "url": "https://a.example/" + $json.n } }}',
		},
		{ items, settings: { onError: 'continueRegularOutput' } },
	);

	const calls = await lab.calls();
	expect(calls.map(({ body }) => (body as { parameters: IDataObject }).parameters['url'])).toEqual(
		items.map(({ n }) => `https://a.example/${n}`),
	);
	expect(oneAfterTheOther(calls)).toBe(true);
});

describe('how many are in flight', () => {
	test.each([1, 40])('a fixed bound of %i', async (maxConcurrency) => {
		await lab.client.setFaults([{ kind: 'hold' }]);
		const items = letters(maxConcurrency + 3);

		const { finished } = lab.start(lab.send({ maxConcurrency, keepToPlan: false }), { items });
		await lab.received(maxConcurrency);
		await lab.client.clearFaults();
		await finished;

		expect(mostInFlight(await lab.calls())).toBe(maxConcurrency);
		expect(await lab.accepted()).toEqual(onceEach(items));
	});
});
