import { errorOf } from './lab.ts';
import { endsOf, isOverBefore, letters, onceEach, textOf, useDeliveryLab } from './delivery-lab.ts';

const lab = useDeliveryLab();

const refusals = async () => (await lab.client.requests()).filter(({ status }) => status === 429).length;
const everyRequest = () => lab.client.requests();

// Durations are tested in test/unit/delivery with a fake clock. Here the sandbox judges: it refuses what exceeds the
// plan.
describe('a plan that /Me shows', () => {
	test.each(['fixed', 'sliding'] as const)(
		'is kept, and no request meets a 429: %s window',
		async (algorithm) => {
			await lab.client.setPlan({ limit: 20, seconds: 1, algorithm });
			// Two full windows and part of a third, including the request for the plan.
			const items = letters(50);

			const run = await lab.execute(lab.send(), { items });

			expect(endsOf(run)).toEqual(items.map(() => 'done'));
			expect(await refusals()).toBe(0);
			expect(await lab.accepted()).toEqual(onceEach(items));
			expect(await lab.questions()).toBe(1);
		},
	);

	test('is kept by two executions together', async () => {
		await lab.client.setPlan({ limit: 20, seconds: 1, algorithm: 'sliding' });
		const first = letters(30);
		const second = letters(60).slice(30);

		const runs = await Promise.all([first, second].map((items) => lab.execute(lab.send(), { items })));

		expect(runs.map(endsOf).flat()).toEqual(Array(60).fill('done'));
		expect(await refusals()).toBe(0);
		expect(await lab.accepted()).toEqual(onceEach([...first, ...second]));
		expect(await lab.questions()).toBe(1);
	});

	test('only the first call leaves before it is known', async () => {
		await lab.client.setFaults([{ kind: 'hold', path: '/Me$' }]);
		const { finished } = lab.start(lab.send(), { items: letters(40) });
		await lab.answered(1);
		await lab.quiet();
		await lab.client.clearFaults();
		await finished;

		const request = (await everyRequest()).find(({ path }) => path.endsWith('/Me'))!;
		expect((await lab.calls()).filter((call) => !isOverBefore(request, call))).toHaveLength(1);
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

	test('is done without when /Me fails', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 500, path: '/Me$' }]);
		const items = letters(30);
		const run = await lab.execute(lab.send(), { items });
		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(await lab.questions()).toBe(1);
	});
});

describe('a plan that nobody shows', () => {
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
		expect(run.hints.map(({ message }) => message)).toEqual([expect.stringMatching(/come back later/)]);
	});
});

describe('one 429 with Retry-After', () => {
	const status = 429;
	const fault = {
		kind: 'status',
		status,
		headers: { 'retry-after': '2' },
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
		// Requests in flight end; then a single one, the probe, is sent alone. On a busy machine the last request in flight
		// may also arrive alone, but others follow it at once.
		const probe = calls.findIndex(
			(call, n) =>
				n > answered &&
				calls.slice(0, n).every((earlier) => isOverBefore(earlier, call)) &&
				calls.slice(n + 1).every((later) => isOverBefore(call, later)),
		);
		expect(probe).toBeGreaterThan(answered);
		expect(probe - answered).toBeLessThanOrEqual(128);
	});

	test('pauses other executions with the same key as well', async () => {
		await lab.client.setFaults([{ ...fault, skip: 0 }]);
		const first = lab.execute(lab.send({ maxTries: 1 }), { items: letters(1) });
		await lab.answered(1);
		const second = lab.execute(lab.send({ maxTries: 1, keepToPlan: false }), {
			items: letters(4).slice(1),
		});
		expect((await Promise.all([first, second])).map(endsOf).flat()).toEqual(Array(4).fill('done'));

		// The first call has waited longest: it probes, and no other passes it meanwhile.
		const [refused, probe, ...others] = await everyRequest();
		expect([refused, probe].map((request) => textOf(request?.body))).toEqual(['text 0.', 'text 0.']);
		expect(others.every((request) => isOverBefore(probe!, request))).toBe(true);
	});
});

test('a service that only says "later" is given up on after Max Wait, with its own words', async () => {
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
});

test('a key that is not accepted any more: nothing more is sent, and the rest is unsent', async () => {
	await lab.client.setFaults([{ kind: 'status', status: 401, path: 'SendMessage', skip: 50 }]);
	const settings = { onError: 'continueRegularOutput' } as const;
	const run = await lab.execute(lab.send(), { items: letters(500), settings });
	const ends = endsOf(run);
	const rejected = ends.filter((end) => end === 'rejected').length;
	expect(rejected).toBeLessThanOrEqual(128);
	expect(ends.filter((end) => end === 'done')).toHaveLength(50);
	expect(ends.filter((end) => end === 'unsent')).toHaveLength(450 - rejected);
	expect(await lab.calls()).toHaveLength(50 + rejected);
	expect(errorOf(run.main[0].at(-1)).message).toMatch(/no longer accepts the key/);
});
