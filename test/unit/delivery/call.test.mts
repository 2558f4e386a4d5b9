import { makeCall } from '../../../nodes/Messaging/delivery/call.ts';
import type { CallSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Failure, isFailure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import { KeyGate } from '../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from './fake-clock.mts';
import { type Arrival, FailingService, type Treatment } from './pace/failing-service.mts';
import { environment, SEND, sendAll, STANDARD } from './run.mts';
import { endsSoon } from '../../waiting.mts';

/** Makes one call to a service to which this happens, again and again the last; GET /Me succeeds if it can be reached. */
async function call(
	script: Treatment[],
	{
		method = 'POST',
		settings = {},
		given = {},
		clock = new FakeClock(),
	}: {
		method?: ApiCall['method'];
		settings?: Partial<CallSettings> & { channel?: string };
		given?: Parameters<typeof environment>[2];
		clock?: FakeClock;
	} = {},
) {
	const watched: string[] = [];
	const me = script.includes('refused') ? 'refused' : 200;
	const treatment = ({ isMe, number }: Arrival): Treatment =>
		isMe ? me : (script[Math.min(number, script.length) - 1] ?? 200);
	const service = new FailingService(clock, treatment, 5);
	const env = environment(clock, service, given);
	const watch = {
		started: () => void watched.push('started'),
		failed: ({ outcome }: Failure) => void watched.push(outcome),
	};
	const made = makeCall(env, { method, path: '/x' }, { ...STANDARD, ...settings }, { watch });
	const result = await clock.until(made);
	return { result, tries: service.sent.length, watched, env, clock };
}

const outcome = (result: Reply | Failure) => (isFailure(result) ? result.outcome : 'done');

const MAY_REPEAT = { settings: { whenUnknown: 'sendAgain' } } as const;

test.each<[script: Treatment[], given: Parameters<typeof call>[1], tries: number, outcome: string]>([
	[['refused'], {}, 4, 'unsent'],
	[['blocked'], MAY_REPEAT, 1, 'unsent'],
	[[502], {}, 1, 'unknown'],
	[['reset'], MAY_REPEAT, 4, 'unknown'],
	[['canceled'], MAY_REPEAT, 1, 'unknown'],
	// Being told "later" uses up no try.
	[[429, 429, 200], { settings: { maxTries: 1 } }, 3, 'done'],
	[[{ status: 503, retryAfter: 2, isProblem: true }, 200], { settings: { maxTries: 1 } }, 2, 'done'],
	[[{ status: 503, retryAfter: 2 }, 200], { settings: { maxTries: 1 } }, 1, 'unknown'],
	[['refused', 429, 429, 'refused', 429, 'refused'], { settings: { maxTries: 3 } }, 6, 'unsent'],
])(
	'a call that ends with %j, given %j, is made %i times, and then it is %s',
	async (script, given, tries, expected) => {
		const ended = await call(script, given);
		expect([ended.tries, outcome(ended.result)]).toEqual([tries, expected]);
	},
);

test('the watch is told of every request that leaves, and of every one that fails', async () => {
	const refused = await call(['refused', 429, 200]);
	expect(refused.watched.join(' ')).toBe('started unsent started rejected started');
	const bold = await call(['reset', 'refused', 400], MAY_REPEAT);
	expect(bold.watched.join(' ')).toBe('started unknown started unsent started rejected');
});

describe('when it is told "later" for too long', () => {
	test('Max Wait is its own: a run beside it that succeeds does not lengthen it', async () => {
		const clock = new FakeClock();
		const fine = environment(clock, {
			id: '',
			request: async () => ({ status: 200, headers: {}, body: {} }),
		});
		let isOver = false;
		const beside = (async () => {
			while (!isOver) {
				await makeCall(fine, SEND, STANDARD);
				await clock.sleep(50);
			}
		})();
		const { result } = await call([429], {
			clock,
			given: { gate: fine.gate },
			settings: { maxWaitMs: 3000 },
		});
		isOver = true;
		expect(result).toMatchObject({ outcome: 'rejected', statusCode: 429 });
		expect(clock.now()).toBeLessThanOrEqual(3100);
		await clock.until(beside);
	});

	test('a call that never left because of that is unsent, and says what to do', async () => {
		const first = await call([{ status: 429, retryAfter: 100 }], { settings: { maxWaitMs: 150_000 } });
		const second = await call([200], {
			settings: { maxWaitMs: 10_000 },
			given: { gate: first.env.gate },
			clock: first.clock,
		});
		expect([second.tries, outcome(second.result)]).toEqual([0, 'unsent']);
		expect((second.result as Failure).description).toMatch(/Max Wait/);
	});

	test.each([429, 503])(
		'%i that asks for longer than Max Wait ends it at once, with the time',
		async (status) => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-23T16:30:00Z'));
			const { result, tries, watched, clock, env } = await call(
				[{ status, retryAfter: 86_400, isProblem: true }],
				{
					given: { timezone: 'Europe/Berlin' },
				},
			);
			// GET /Me comes first, and takes as long.
			expect([tries, clock.now()]).toEqual([1, 10]);
			expect(watched).toEqual(['started', 'rejected']);
			expect(result).toMatchObject({
				outcome: 'unsent',
				statusCode: status,
				message: 'The service asks to come back at 17:30 on 24 November 2026',
				description: expect.stringMatching(/longer than the node waits/) as string,
			});
			const next = await clock.until(makeCall(env, SEND, STANDARD));
			expect(next).toMatchObject({
				outcome: 'unsent',
				statusCode: null,
				message: (result as Failure).message,
			});
			jest.restoreAllMocks();
		},
	);
});

test('two servers that are refused again and again come back apart, and neither too early', async () => {
	const secondTry = async (random: () => number): Promise<number> => {
		const clock = new FakeClock();
		const gate = new KeyGate(clock, random);
		const later = { status: 429, retryAfter: 10 };
		await call([later, later, 200], { clock, given: { gate } });
		return clock.now();
	};
	const [one, other] = [await secondTry(() => 0.1), await secondTry(() => 0.9)];
	expect(one).toBeGreaterThanOrEqual(20_000);
	expect(other - one).toBeGreaterThanOrEqual(500);
	expect(other).toBeLessThanOrEqual(21_100);
});

test('a channel whose pause is over does not make the refusal of another channel one of the key', async () => {
	const clock = new FakeClock();
	const given = { gate: new KeyGate(clock, () => 0.5) };
	const later = { status: 429, retryAfter: 100 };
	await call([later], { clock, given, settings: { channel: 'a', maxWaitMs: 0 } });
	await clock.pass(60_000);
	const halt = new AbortController();
	const service = new FailingService(clock, ({ isMe }) => (isMe ? 200 : later), 5);
	const refused = makeCall(environment(clock, service, { ...given, signal: halt.signal }), SEND, {
		...{ ...STANDARD, channel: 'b' },
	});
	await clock.pass(100);
	const before = clock.now();
	expect(outcome((await call([200], { clock, given, settings: { channel: 'c' } })).result)).toBe('done');
	expect(clock.now() - before).toBeLessThan(1000);
	halt.abort();
	await clock.until(refused);
});

describe('when its message expires while it waits', () => {
	test.each<[script: Treatment[], given: Parameters<typeof call>[1], tries: number, outcome: string]>([
		[[{ status: 429, retryAfter: 5 }, 200], { settings: { notAfter: 1000 } }, 1, 'unsent'],
		[[{ status: 429, retryAfter: 5 }, 200], { settings: { notAfter: 60_000 } }, 2, 'done'],
		[[200], { settings: { notAfter: 0 } }, 0, 'unsent'],
		// It may have been processed.
		[['reset', 200], { settings: { whenUnknown: 'sendAgain', notAfter: 10 } }, 1, 'unknown'],
	])('%j, given %j: %i tries, %s', async (script, given, tries, expected) => {
		const { result, env, clock, ...ended } = await call(script, given);
		expect([ended.tries, outcome(result)]).toEqual([tries, expected]);
		if (expected === 'unsent') expect((result as Failure).message).toContain('the deadline is past');
		// The place in the queue is free again.
		const next = await clock.until(makeCall(env, SEND, STANDARD));
		expect(outcome(next)).not.toBe('unsent');
	});

	test('the rest of a list that the plan holds back does not outlive it', async () => {
		const clock = new FakeClock();
		const me = { resourcePlan: { limit: 2, seconds: 10 } };
		const service = { id: '', request: async () => ({ status: 200, headers: {}, body: me }) };
		const env = environment(clock, service);
		const ends = await clock.until(sendAll(env, 6, { notAfter: 9000 }));
		expect(ends.map(outcome)).toContain('unsent');
		expect(clock.now()).toBeGreaterThanOrEqual(9000);
		expect(ends.map(outcome).slice(0, 1)).toEqual(['done']);
	});
});

describe('when its run is over', () => {
	test.each<[Treatment, string]>([
		['refused', 'unsent'],
		[500, 'unknown'],
	])('a call that waits after %s wakes at once, and is %s', async (treatment, expected) => {
		const clock = new FakeClock();
		const halt = new AbortController();
		const service = new FailingService(clock, ({ isMe }) => (isMe && treatment === 500 ? 200 : treatment), 5);
		const env = environment(clock, service, { signal: halt.signal, random: () => 1 });
		const made = makeCall(env, SEND, { ...STANDARD, whenUnknown: 'sendAgain' });
		await clock.pass(100);
		halt.abort();
		await clock.pass(0);
		const result = await endsSoon(made, 'The call');
		expect([service.sent.length, outcome(result), clock.now()]).toEqual([1, expected, 100]);
	});

	test('a call whose turn has not come is unsent', async () => {
		const { result, tries } = await call([200], { given: { signal: AbortSignal.abort() } });
		expect([tries, outcome(result)]).toEqual([0, 'unsent']);
	});
});

test('the time that a call waited for the service is noted', async () => {
	const { env } = await call([{ status: 429, retryAfter: 7 }, 200]);
	expect(env.queue.waitedMs).toMatchObject({ later: 7000, outage: 0, channel: 0, plan: 0, me: 5 });
});
