import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { isOverBefore, letters, mostInFlight, textOf, useDeliveryLab } from './delivery-lab.mts';

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
