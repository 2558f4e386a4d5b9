import { createWindow } from '../../dev/sandbox/requests/rate-limit.mts';
import { World, type Received, type ProblemBody } from './world.mts';

describe('windows', () => {
	test('a fixed window counts anew at each boundary', () => {
		const window = createWindow('fixed', 2, 1);
		expect([window.take(900), window.take(950)]).toEqual([0, 0]);
		expect(window.take(990)).toBe(10);
		expect([window.take(1000), window.take(1001)]).toEqual([0, 0]);
		expect(window.take(1002)).toBe(998);
	});

	test('a sliding window counts what the last second took', () => {
		const window = createWindow('sliding', 2, 1);
		expect([window.take(900), window.take(950)]).toEqual([0, 0]);
		expect(window.take(1500)).toBe(400);
		expect(window.take(1899)).toBe(1);
		expect(window.take(1900)).toBe(0);
		expect(window.take(1949)).toBe(1);
		expect(window.take(1950)).toBe(0);
	});
});

describe('over HTTP', () => {
	let world: World;
	beforeAll(async () => (world = await World.start()));
	afterAll(() => world.stop());
	beforeEach(() => world.reset());

	const me = (token?: string): Promise<Received<ProblemBody>> =>
		world.call('GET', '/api/v1/Me', token === undefined ? {} : { token });

	async function burst(count: number): Promise<Array<Received<ProblemBody>>> {
		const answers: Array<Received<ProblemBody>> = [];
		for (let index = 0; index < count; index++) answers.push(await me());
		return answers;
	}

	test.each(['fixed', 'sliding'] as const)('a %s window refuses what is over the plan', async (algorithm) => {
		await world.client.setPlan({ limit: 3, seconds: 3600, algorithm });
		const answers = await burst(5);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
		expect(answers[0]?.body).toMatchObject({ resourcePlan: { limit: 3, seconds: 3600 } });
		expect(answers[4]?.body).toMatchObject({
			title: 'Too Many Requests',
			status: 429,
			detail: 'The plan of this key allows 3 requests in 3600 seconds.',
		});
		const retryAfter = Number(answers[4]?.headers['retry-after']);
		expect(Number.isInteger(retryAfter) && retryAfter > 0 && retryAfter <= 3600).toBe(true);
	});

	test('the plan may be hidden, and Retry-After may be a date or missing', async () => {
		await world.client.setPlan({ limit: 1, seconds: 60, visible: false, retryAfter: 'date' });
		const before = Date.now();
		const [first, second] = await burst(2);
		const after = Date.now();
		expect(first?.body).toMatchObject({ resourcePlan: null });
		const date = Date.parse(String(second?.headers['retry-after']));
		// The date has whole seconds; by then the window is open again.
		expect(date % 1000).toBe(0);
		expect(date >= before && date <= after + 61_000).toBe(true);

		await world.client.setPlan({ limit: 1, seconds: 60, retryAfter: 'none' });
		expect((await burst(2))[1]?.headers).not.toHaveProperty('retry-after');
	});
});
