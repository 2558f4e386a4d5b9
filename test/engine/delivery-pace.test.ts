import { errorOf } from './lab.ts';
import { endedAt, endsOf, letters, mostWithin, onceEach, pause, useDeliveryLab } from './delivery-lab.ts';

const lab = useDeliveryLab();

const refusals = async () => (await lab.client.requests()).filter(({ status }) => status === 429).length;
const everyRequest = () => lab.client.requests();

describe('a plan that /Me shows', () => {
	test.each(['fixed', 'sliding'] as const)(
		'is kept, and no request meets a 429: %s window',
		async (algorithm) => {
			await lab.client.setPlan({ limit: 20, seconds: 1, algorithm });
			const items = letters(70);

			const run = await lab.execute(lab.send(), { items });

			expect(endsOf(run)).toEqual(items.map(() => 'done'));
			expect(await refusals()).toBe(0);
			expect(mostWithin(await everyRequest(), 1000)).toBeLessThanOrEqual(20);
			expect(await lab.accepted()).toEqual(onceEach(items));
			expect(await lab.questions()).toBe(1);
			// 71 requests, the question among them, are three whole windows and a part of the fourth.
			expect(run.durationMs).toBeGreaterThan(2900);
			expect(run.durationMs).toBeLessThan(12_000);
		},
	);

	test('is kept by two executions together', async () => {
		await lab.client.setPlan({ limit: 20, seconds: 1, algorithm: 'sliding' });
		const first = letters(30);
		const second = letters(60).slice(30);

		const runs = await Promise.all([first, second].map((items) => lab.execute(lab.send(), { items })));

		expect(runs.map(endsOf).flat()).toEqual(Array(60).fill('done'));
		expect(await refusals()).toBe(0);
		expect(mostWithin(await everyRequest(), 1000)).toBeLessThanOrEqual(20);
		expect(await lab.accepted()).toEqual(onceEach([...first, ...second]));
		expect(await lab.questions()).toBe(1);
	});

	test('is not kept with Keep to Plan off, and nobody asks for it', async () => {
		await lab.client.setPlan({ limit: 100_000, seconds: 60, algorithm: 'sliding' });
		await lab.execute(lab.send({ keepToPlan: false }), { items: letters(30) });
		expect(await lab.questions()).toBe(0);
	});

	test('at most four calls leave while it is asked for', async () => {
		await lab.client.setFaults([
			{ kind: 'latency', path: '/Me$', ms: 600 },
			{ kind: 'latency', path: 'SendMessage', ms: 5 },
		]);
		await lab.execute(lab.send(), { items: letters(40) });

		const question = (await everyRequest()).find(({ path }) => path.endsWith('/Me'))!;
		const before = (await lab.calls()).filter(({ startedMs }) => startedMs < endedAt(question));
		expect(before.length).toBeLessThanOrEqual(4);
		expect(before.length).toBeGreaterThan(1);
	});

	test('is not asked for in a run of one call, and only once in many runs', async () => {
		await lab.execute(lab.send(), { items: letters(1) });
		expect(await lab.questions()).toBe(0);
		for (let run = 0; run < 3; run++) {
			expect(endsOf(await lab.execute(lab.send(), { items: letters(3) }))).toEqual(Array(3).fill('done'));
		}
		expect(await lab.questions()).toBe(1);
		expect(await lab.calls()).toHaveLength(10);
	});

	test.each([
		['answers 500', { kind: 'status', status: 500 }],
		['answers 404', { kind: 'status', status: 404 }],
		['breaks the connection', { kind: 'reset' }],
		['answers something else', { kind: 'reply', body: 'hello' }],
	] as const)('is done without when /Me %s', async (_what, fault) => {
		await lab.client.setFaults([{ ...fault, path: '/Me$' }]);
		const items = letters(30);
		const run = await lab.execute(lab.send(), { items });
		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(await lab.questions()).toBe(1);
	});
});

describe('a plan that nobody shows', () => {
	test.each([
		['fixed', 'seconds'],
		['sliding', 'seconds'],
		['fixed', 'date'],
		['sliding', 'none'],
	] as const)('everything arrives: %s window, Retry-After as %s', async (algorithm, retryAfter) => {
		await lab.client.setPlan({ limit: 15, seconds: 1, algorithm, visible: false, retryAfter });
		const items = letters(40);

		const run = await lab.execute(lab.send({ maxTries: 1 }), { items });

		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(await lab.accepted()).toEqual(onceEach(items));
		expect(await refusals()).toBeGreaterThan(0);
		expect(run.hints.map(({ message }) => message)).toEqual([expect.stringMatching(/come back later/)]);
	});
});

describe.each([
	[429, '2'],
	[503, '2'],
] as const)('one %i with Retry-After', (status, retryAfter) => {
	const fault = {
		kind: 'status',
		status,
		headers: { 'retry-after': retryAfter },
		path: 'SendMessage',
		skip: 20,
		times: 1,
	} as const;

	test('pauses everybody, and one call probes before the others go on', async () => {
		await lab.client.setFaults([{ kind: 'latency', ms: 100, path: 'SendMessage' }, fault]);
		const items = letters(80);

		const run = await lab.execute(lab.send({ maxTries: 1 }), { items });

		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		const calls = await lab.calls();
		expect(calls).toHaveLength(81);
		const answered = calls.findIndex((call) => call.status === status);
		// What was on its way arrives; then nothing for as long as the service asked; then one, and nothing beside it.
		const probe = calls.find((call, n) => n > answered && call.startedMs - calls[n - 1]!.startedMs > 1500)!;
		expect(probe.startedMs - endedAt(calls[answered]!)).toBeGreaterThan(1900);
		expect(calls.indexOf(probe) - answered).toBeLessThanOrEqual(128);
		expect(calls.filter(({ n, startedMs }) => n > probe.n && startedMs < endedAt(probe))).toEqual([]);
	});

	test('pauses other executions with the same key as well', async () => {
		await lab.client.setFaults([{ ...fault, skip: 0 }]);
		const first = lab.execute(lab.send({ maxTries: 1 }), { items: letters(1) });
		await lab.received(1);
		await pause(100);
		const second = lab.execute(lab.send({ maxTries: 1 }), { items: letters(4).slice(1) });
		expect((await Promise.all([first, second])).map(endsOf).flat()).toEqual(Array(4).fill('done'));

		const requests = await everyRequest();
		const told = endedAt(requests.find((request) => request.status === status)!);
		for (const { startedMs } of requests.slice(1)) expect(startedMs - told).toBeGreaterThan(1900);
	});
});

describe('Max Wait', () => {
	test('a service that only says "later" is given up on, with its own words', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 429, path: 'SendMessage' }]);
		const run = await lab.execute(lab.send({ maxWait: 1 }), {
			items: letters(20),
			settings: { onError: 'continueRegularOutput' },
		});

		const ends = endsOf(run);
		expect(ends).toHaveLength(20);
		expect(ends.every((end) => end === 'rejected' || end === 'unsent')).toBe(true);
		expect(ends).toContain('rejected');
		const refused = run.main[0].find((item) => errorOf(item).statusCode === 429);
		expect(errorOf(refused).description).toMatch(/plan/);
		expect(await lab.messages()).toEqual([]);
		expect(run.durationMs).toBeLessThan(8000);
	});

	test('it is not reached as long as something succeeds now and then', async () => {
		// One success in three, and each refusal asks for a second: far longer than Max Wait in all.
		await lab.client.setFaults([
			{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path: 'SendMessage', every: 2 },
		]);
		const items = letters(4, 1);
		const run = await lab.execute(lab.send({ maxWait: 2, maxTries: 1 }), { items });
		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(run.durationMs).toBeGreaterThan(2500);
	});
});
