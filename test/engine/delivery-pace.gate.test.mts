import { endsOf, letters, onceEach, useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

const refusals = async () => (await lab.client.requests()).filter(({ status }) => status === 429).length;

// Durations are tested in test/unit/delivery with a fake clock. Here the sandbox judges: it refuses what exceeds the
// plan.
describe('a plan that /Me shows', () => {
	test('is kept by two executions together', async () => {
		await lab.client.setPlan({ limit: 20, seconds: 1, algorithm: 'sliding' });
		const first = letters(30);
		const second = letters(60).slice(30);

		const runs = await Promise.all([first, second].map((items) => lab.execute(lab.send(), { items })));

		expect(runs.map(endsOf).flat()).toEqual(Array(60).fill('done'));
		expect(await refusals()).toBe(0);
		expect(await lab.accepted()).toEqual(onceEach([...first, ...second]));
		const questions = (await lab.requests()).filter(({ operationId }) => operationId === 'apiKey.getCurrent');
		expect(questions).toHaveLength(1);
	});
});

describe('a plan that /Me does not show', () => {
	test.each([
		['fixed', 'date'],
		['sliding', 'seconds'],
	] as const)('everything arrives: %s window, Retry-After as %s', async (algorithm, retryAfter) => {
		// More than two windows hold, so there are refusals wherever the first window ends.
		await lab.client.setPlan({ limit: 12, seconds: 2, algorithm, visible: false, retryAfter });
		const items = letters(30);

		const run = await lab.execute(lab.send({ maxTries: 1 }), { items });

		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(await lab.accepted()).toEqual(onceEach(items));
		expect(await refusals()).toBeGreaterThan(0);
		expect(run.hintTexts).toEqual([expect.stringMatching(/come back later/)]);
	});
});
