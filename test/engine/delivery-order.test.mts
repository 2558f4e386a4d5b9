import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { isOverBefore, letters, mostInFlight, orders, textOf, useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

test('messages to one recipient leave in item order, one after the other, while those to others run beside them', async () => {
	// Latencies that would change the order without lanes.
	await lab.client.setFaults([{ kind: 'latency', ms: 1, jitterMs: 40 }]);
	const items = letters(60, 6);

	const run = await lab.execute(lab.send(), { items });

	const calls = await lab.calls();
	const recipientOf = ({ body }: LoggedRequest) =>
		(body as { content: { to: { email: string } } }).content.to.email;
	const lanes = Map.groupBy(calls, recipientOf);
	expect(lanes.size).toBe(6);
	for (const lane of lanes.values()) {
		expect(lane.every((call, n) => n === 0 || isOverBefore(lane[n - 1]!, call))).toBe(true);
		const numbers = lane.map(({ body }) => Number(/\d+/.exec(textOf(body) ?? '')?.[0]));
		expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
	}
	expect(mostInFlight(calls)).toBeGreaterThan(2);
	expect(run.json.map(textOf)).toEqual(items.map(({ text }) => text));
	expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
});

test('or side by side, with the option Ordering: None', async () => {
	await lab.client.setFaults([{ kind: 'latency', ms: 100 }]);
	const items = letters(10, 1);

	const run = await lab.execute(lab.send({ ordering: 'none' }), { items });

	expect(mostInFlight(await lab.calls())).toBeGreaterThanOrEqual(4);
	expect(run.json.map(textOf)).toEqual(items.map(({ text }) => text));
});

test('with a pause and once keys, messages leave in the order of the list', async () => {
	const items = orders(8);
	await lab.execute(lab.send({ pauseBetween: 0.3, onceKey: '={{ $json.id }}' }), { items });
	expect((await lab.calls()).map(({ body }) => textOf(body))).toEqual(items.map(({ text }) => text));
});

test('a test by hand ends when its messages have gone out, also if the plan is used up then', async () => {
	// One for GET /Me, and none for a hint.
	await lab.client.setPlan({ limit: 4, seconds: 3600 });
	const run = await lab.execute(lab.send(), { items: letters(3), mode: 'manual' });
	expect(run.status).toBe('success');
	expect(await lab.messages()).toHaveLength(3);
});
