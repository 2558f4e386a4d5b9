import { makeCall } from '../../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import type { CallSettings } from '../../../../nodes/Messaging/delivery/settings.ts';
import type { Failure } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock, rest } from '../fake-clock.mts';
import { environment, sendAll, STANDARD } from '../run.mts';
import { type Arrival, during, FailingService, type Treatment, tally } from './failing-service.mts';

/** Sends this many messages to a service that fails like this; returns the outcomes and what the service received. */
async function send(
	count: number,
	treatment: (arrival: Arrival) => Treatment,
	settings: Partial<CallSettings> = {},
	given: Parameters<typeof environment>[2] = {},
) {
	const clock = new FakeClock();
	const service = new FailingService(clock, treatment);
	const env = environment(clock, service, given);
	const ends = await clock.until(sendAll(env, count, settings));
	return { ends, ...tally(ends), service, env, tookMs: clock.now() };
}

/** When an outage begins: by then the run has reached its full concurrency. */
const BEGINS = 150;
const SECOND = 1000;

describe('an outage in a run of 2,000', () => {
	test.each<[string, Treatment, seconds: number, whom: 'all' | 'sends', tries: number]>([
		['502 for 5 seconds', 502, 5, 'all', 0],
		['502 for 30 seconds', 502, 30, 'all', 0],
		['resets for 2 seconds', 'reset', 2, 'all', 0],
		['no answers for 5 seconds', 'hang', 5, 'all', 0],
		['502 for 30 seconds, and /Me works', 502, 30, 'sends', 6],
	])(
		'%s: only what was in flight has no known end, and one for each try',
		async (_what, treatment, seconds, whom, tries) => {
			const run = await send(2000, during(BEGINS, BEGINS + seconds * SECOND, treatment, whom), {
				timeoutMs: 3000,
			});
			expect(run.unknown).toBeLessThanOrEqual(128 + tries);
			expect(run.done).toBe(2000 - (run.unknown ?? 0));
			// No duplicates: each message left once.
			expect(run.service.sent).toHaveLength(2000);
		},
	);

	test('connections refused for half an hour: all arrive, since it has answered before, and few requests ask whether it is over', async () => {
		const treatment = during(BEGINS, BEGINS + 1800 * SECOND, 'refused');
		const run = await send(2000, treatment, { maxWaitMs: 3_600_000, maxTries: 1 });
		expect(run).toMatchObject({ done: 2000 });
		expect(run.service.asked.length).toBeLessThan(1800 / 15 + 10);
		expect(run.env.queue.waitedMs.outage).toBeGreaterThan(1799 * SECOND);
	});
});

describe('when it is over', () => {
	test('one call is tried first, and then few at once: a service that comes up is not overrun', async () => {
		const { service } = await send(2000, during(BEGINS, BEGINS + 5 * SECOND, 502));
		const later = service.sent.filter((at) => at > BEGINS + 1000);
		const [trial = NaN] = later;
		expect(later.filter((at) => at < trial + 20)).toHaveLength(1);
		expect(later.filter((at) => at < trial + 40)).toHaveLength(1 + 8);
		expect(later.filter((at) => at < trial + 60)).toHaveLength(1 + 8 + 16);
	});

	test('it is noticed by /Me, asked at once, and then 1, 2, 4, 8, 15, 15 seconds later', async () => {
		const { service } = await send(2000, during(BEGINS, BEGINS + 60 * SECOND, 502));
		const waits = service.asked.slice(1).map((at, n, all) => Math.round(at - (all[n - 1] ?? NaN)));
		// Half of the 10% jitter, and the answer's 20 ms.
		expect(waits.slice(1)).toEqual([1070, 2120, 4220, 8420, 15_770, 15_770, 15_770]);
	});

	test('an answer to /Me does not make the waits short again, but an answer to a call does', async () => {
		const failsTwice = ({ now, isMe }: Arrival): Treatment =>
			!isMe && ((now >= BEGINS && now < 5000) || (now >= 7770 && now < 13_000)) ? 502 : 200;
		const { service } = await send(6000, failsTwice);
		const triesAfter = (from: number) => {
			const tries = service.sent.filter((at) => at > from).slice(0, 4);
			return tries.map((at) => Math.round((at - from) / 100) / 10);
		};
		// The first try follows as soon as /Me has answered.
		expect(triesAfter(200).slice(0, 3)).toEqual([1.1, 3.2, 7.4]);
		expect(triesAfter(7800).slice(0, 3)).toEqual([0, 1.1, 3.2]);
	});
});

describe('if GET /Me is asked whether it is over', () => {
	test('and says "later": a call is tried then', async () => {
		const run = await send(500, ({ isMe, now, number }) => {
			if (isMe) return now < 50 ? 200 : 429;
			return number === 100 ? 502 : 200;
		});
		expect(run).toMatchObject({ done: 499, unknown: 1 });
		expect(run.service.asked.length).toBeLessThan(5);
		expect(run.tookMs).toBeLessThan(5000);
	});

	test('for a call that reads, and a page comes that is not there: it is asked no more often than after 502', async () => {
		const clock = new FakeClock();
		const missing = { status: 404, page: '404 page not found' };
		const service = new FailingService(clock, ({ isMe }) => (isMe ? missing : 502));
		const read = { method: 'GET', path: '/api/v1/Admin/Channel' } as const;
		await clock.until(makeCall(environment(clock, service), read, { ...STANDARD, maxWaitMs: 60_000 }));
		expect(service.asked.length).toBeLessThan(10);
	});
});

describe('a poisoned message', () => {
	const poisoned =
		(every: number) =>
		({ isMe, number }: Arrival): Treatment =>
			!isMe && number % every === 0 ? 500 : 200;

	test('among 200 good ones costs one probe, and no more', async () => {
		const run = await send(200, poisoned(60));
		expect(run).toMatchObject({ done: 197, unknown: 3 });
		// One before the first call, and one for each failed message that had others waiting behind it.
		expect(run.service.asked.length).toBeLessThanOrEqual(1 + 3);
		expect(run.tookMs).toBeLessThan(1000);
	});

	test('at a service whose /Me never works, it is a call that is tried in the end', async () => {
		const run = await send(2000, ({ isMe, number }) => (isMe || number === 700 ? 500 : 200));
		expect(run).toMatchObject({ done: 1999, unknown: 1 });
		expect(run.tookMs).toBeLessThan(60_000);
	});
});

describe('for how long an item waits', () => {
	test('Max Wait, and then it is unsent, with the reason; and so are all that come after it', async () => {
		const run = await send(2000, during(BEGINS, Infinity, 502), { maxWaitMs: 10_000 });
		expect(run.unknown).toBeLessThanOrEqual(128);
		expect(run.unsent).toBe(2000 - (run.unknown ?? 0) - (run.done ?? 0));
		expect(run.tookMs).toBeLessThan(11_000);
		const last = run.ends.at(-1) as Failure;
		expect(last.message).toBe('The item was not sent: the service was failing');
		expect(last.description).toMatch(/Max Wait/);
	});

	test('items that never had to wait before wait for as long in a second outage', async () => {
		const run = await send(
			3000,
			({ now }) => ((now >= BEGINS && now < 7000) || (now >= 8000 && now < 15_000) ? 502 : 200),
			{ maxWaitMs: 9000 },
		);
		expect(run.unsent).toBeUndefined();
		expect(run.unknown).toBeLessThanOrEqual(256);
	});

	test('cancelling ends all waiting at once', async () => {
		const clock = new FakeClock();
		const stop = new AbortController();
		const service = new FailingService(clock, during(BEGINS, Infinity, 502));
		const ends = sendAll(environment(clock, service, { signal: stop.signal }), 2000);
		await clock.pass(5000);
		stop.abort();
		const before = clock.now();
		await rest();
		// Messages still queued have no outcome here: the run gives them one.
		expect(tally(await clock.until(ends)).unknown).toBeLessThanOrEqual(128);
		expect(clock.now() - before).toBeLessThan(50);
		const left = service.sent.length + service.asked.length;
		await clock.pass(60_000);
		expect(service.sent.length + service.asked.length).toBe(left);
		expect(clock.asleep).toBe(0);
	});
});

describe('where the service has never answered', () => {
	test('a name server that is away for a second does no harm', async () => {
		expect(await send(50, during(0, 1000, 'refused'), {}, { random: () => 0 })).toMatchObject({ done: 50 });
	});

	test('an answer of more than ten minutes ago is none any more', async () => {
		const clock = new FakeClock();
		const service = new FailingService(clock, ({ now }) => (now < 1000 ? 200 : 'refused'));
		const env = environment(clock, service);
		await clock.until(sendAll(env, 1));
		await clock.pass(601_000);
		const began = clock.now();
		expect(tally(await clock.until(sendAll(env, 1, { maxWaitMs: 60_000 })))).toEqual({ unsent: 1 });
		expect(clock.now() - began).toBeLessThan(10_000);
	});
});

test('a message that may have been processed stays in doubt, however long it then waits', async () => {
	const options = { whenUnknown: 'sendAgain', maxTries: 10, maxWaitMs: 3000 } as const;
	expect(await send(1, during(0, 600 * SECOND, 502), options)).toMatchObject({ unknown: 1 });
});

test('a run that begins while the service fails loses one message or two, and sends the rest when it is back', async () => {
	const run = await send(2000, during(0, 5 * SECOND, 502));
	expect(run.unknown).toBeLessThanOrEqual(2);
	expect(run.done).toBe(2000 - (run.unknown ?? 0));
});

describe('401', () => {
	test('three in a row, and nothing more of the run leaves: the rest is unsent, and says why', async () => {
		const run = await send(500, ({ isMe, number }) => (isMe ? 200 : number > 100 ? 401 : 200));
		expect(run.service.sent.length).toBeLessThanOrEqual(100 + 128);
		expect((run.rejected ?? 0) + (run.unsent ?? 0)).toBe(400);
		expect(run.rejected).toBe(run.service.sent.length - 100);
		expect(run.ends.at(-1)).toMatchObject({
			outcome: 'unsent',
			message: 'The item was not sent: the service no longer accepts the key',
		});
	});

	test('that a gateway writes says nothing about the key', async () => {
		const page = { status: 401, page: '<title>401 Authorization Required</title>' };
		const run = await send(500, ({ isMe, number }) => (isMe || number <= 100 ? 200 : page));
		expect(run.unsent ?? 0).toBe(0);
		expect(run.rejected).toBe(400);
	});

	test('single answers of 401 stop nothing, and the next run tries again', async () => {
		const clock = new FakeClock();
		const service = new FailingService(clock, ({ number }) => (number <= 400 && number > 200 ? 401 : 200));
		const gate = new KeyGate(clock, () => 0.5);
		const run = async (count: number) =>
			tally(await clock.until(sendAll(environment(clock, service, { gate }), count)));
		expect((await run(400)).unsent).toBeGreaterThan(0);
		service.sent.push(...Array<number>(300).fill(clock.now()));
		expect(await run(100)).toEqual({ done: 100 });
		const odd = new FailingService(clock, ({ number }) => (number % 3 === 0 ? 401 : 200));
		expect(tally(await clock.until(sendAll(environment(clock, odd), 300)))).toEqual({
			done: 200,
			rejected: 100,
		});
	});
});
