import { endsOf, letters, textOf, useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

/** The place of a message among the others in the order of their arrival. */
async function placeOf(text: string): Promise<number> {
	const calls = await lab.calls();
	const sorted = calls.toSorted((one, other) => one.startedMs - other.startedMs);
	return sorted.findIndex(({ body }) => textOf(body) === text);
}

const single = [{ to: 'single@example.com', text: 'the single one' }];

describe('a single message beside bulk sends', () => {
	test.each([1, 5])('waits for one call of each of %i, not for their queues', async (bulks) => {
		await lab.client.setPlan({ limit: 20, seconds: 1, algorithm: 'sliding' });
		const runs = Array.from({ length: bulks }, () => lab.execute(lab.send(), { items: letters(60) }));
		await lab.answered(10);
		const before = (await lab.calls()).length;

		const run = await lab.execute(lab.send(), { items: single });

		expect(endsOf(run)).toEqual(['done']);
		// One turn of each, and what left while its execution began.
		expect((await placeOf('the single one')) - before).toBeLessThanOrEqual(bulks + 12);
		expect((await Promise.all(runs)).map(endsOf).flat()).toEqual(Array(bulks * 60).fill('done'));
		expect((await lab.client.requests()).filter(({ status }) => status === 429)).toEqual([]);
	});
});
