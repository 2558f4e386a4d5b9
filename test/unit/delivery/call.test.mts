import { makeCall, type CallEnvironment } from '../../../nodes/Messaging/delivery/call.ts';
import type { CallSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Failure, isFailure } from '../../../nodes/Messaging/service/endings.ts';
import { type Service } from '../../../nodes/Messaging/service/connect.ts';
import { failureOfTransport } from '../../../nodes/Messaging/service/failure.ts';
import { ME } from '../../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import type { TransportFailure } from '../../../nodes/Messaging/service/transport.ts';
import { FakeClock, rest } from './fake-clock.mts';
import { environment, SEND, STANDARD } from './run.mts';
import { soon } from '../../soon.mts';

type Method = ApiCall['method'];

/** A service's answer to one request: a status, perhaps with Retry-After in seconds, or an error code. */
type Scripted = number | string | { status: number; retryAfter: number };

/** Makes one call to a service with these answers, repeating the last; GET /Me always succeeds. */
async function call(
	script: Scripted[],
	{
		method = 'POST',
		settings = {},
		given = {},
		clock = new FakeClock(),
	}: {
		method?: Method;
		settings?: Partial<CallSettings>;
		given?: Partial<CallEnvironment>;
		clock?: FakeClock;
	} = {},
) {
	const sentAt: number[] = [];
	const watched: string[] = [];
	const service: Service = {
		id: 'scripted',
		request: async (sent): Promise<Reply | Failure> => {
			if (sent.path === ME.path) return { status: 200, headers: {}, body: {} };
			const step = script[Math.min(sentAt.length, script.length - 1)] ?? 200;
			sentAt.push(clock.now());
			await clock.sleep(5);
			if (typeof step === 'string') return failureOfTransport(broken(step), sent);
			if (typeof step === 'number') return { status: step, headers: {}, body: { title: `Status ${step}` } };
			return { status: step.status, headers: { 'retry-after': String(step.retryAfter) }, body: {} };
		},
	};
	const env = environment(clock, service, given);
	const watch = {
		left: () => void watched.push('left'),
		cameBack: ({ outcome }: Failure) => void watched.push(outcome),
	};
	const made = makeCall(env, { method, path: '/x' }, { ...STANDARD, ...settings }, watch);
	const result = await clock.until(made);
	return { result, tries: sentAt.length, sentAt, watched, env, clock };
}

/** The network error for a code; the prefix "connect" means while connecting. */
function broken(step: string): TransportFailure {
	const [code = '', stage] = step.split(' ').reverse();
	return { code, stage: stage === 'connect' ? 'connecting' : stage === 'tls' ? 'securing' : 'underWay' };
}

const outcome = (result: Reply | Failure) => (isFailure(result) ? result.outcome : 'done');

describe('what the network or the service makes of a call, as far as it decides about the next try', () => {
	test.each([
		'connect ECONNREFUSED',
		'connect ENOTFOUND',
		'connect EAI_AGAIN',
		'connect ETIMEDOUT',
		'tls ECONNRESET',
		'tls CERT_HAS_EXPIRED',
	])('%s never reached the service: tried as often as allowed, unsent', async (code) => {
		const { result, tries } = await call([code]);
		expect([tries, outcome(result)]).toEqual([4, 'unsent']);
	});

	test.each<Scripted>([
		500,
		502,
		503,
		504,
		'ECONNABORTED',
		'ECONNRESET',
		'EPIPE',
		'EPROTO',
		'ECONNREFUSED',
		'',
	])('%s may have been processed: repeated only where that does no harm', async (step) => {
		const careful = await call([step]);
		expect([careful.tries, outcome(careful.result)]).toEqual([1, 'unknown']);
		const harmless = await call([step], { method: 'PUT' });
		expect([harmless.tries, outcome(harmless.result)]).toEqual([4, 'unknown']);
		const bold = await call([step], { settings: { whenUnknown: 'sendAgain' } });
		expect([bold.tries, outcome(bold.result)]).toEqual([4, 'unknown']);
	});

	test.each<[Scripted, string]>([
		[307, 'rejected'],
		[401, 'rejected'],
		[422, 'rejected'],
		[501, 'unknown'],
		['connect BLOCKED', 'unsent'],
		['ERR_CANCELED', 'unknown'],
	])('%s is not repeated, whatever is allowed: %s', async (step, expected) => {
		const { tries, result } = await call([step], { settings: { whenUnknown: 'sendAgain' } });
		expect([tries, outcome(result)]).toEqual([1, expected]);
	});

	test.each<Scripted>([429, { status: 429, retryAfter: 2 }, { status: 503, retryAfter: 2 }])(
		'%j is waited out, and uses no try',
		async (step) => {
			const { result, tries } = await call([step, step, step, 200], { settings: { maxTries: 1 } });
			expect([tries, outcome(result)]).toEqual([4, 'done']);
		},
	);
});

describe('how often', () => {
	test('being told "later" in between does not count', async () => {
		const { tries } = await call(
			['connect ECONNREFUSED', 429, 429, 'connect ECONNREFUSED', 429, 'connect ECONNREFUSED'],
			{
				settings: { maxTries: 3 },
			},
		);
		expect(tries).toBe(6);
	});
});

test('who watches is told of every request that leaves, and of every one that fails', async () => {
	expect((await call(['connect ECONNREFUSED', 429, 200])).watched).toEqual([
		'left',
		'unsent',
		'left',
		'rejected',
		'left',
	]);
	const bold = { settings: { whenUnknown: 'sendAgain' } } as const;
	expect((await call(['ECONNRESET', 'connect ECONNREFUSED', 400], bold)).watched).toEqual([
		'left',
		'unknown',
		'left',
		'unsent',
		'left',
		'rejected',
	]);
});

describe('when it is told "later" for too long', () => {
	test('it gives up after Max Wait, with the last refusal', async () => {
		const { result, clock, tries } = await call([{ status: 429, retryAfter: 3 }], {
			settings: { maxWaitMs: 10_000 },
		});
		expect(result).toMatchObject({ outcome: 'rejected', statusCode: 429 });
		expect(tries).toBe(3);
		expect(clock.now()).toBeLessThanOrEqual(10_100);
	});

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

	test('with Max Wait 0 it does not wait at all', async () => {
		const { tries, clock } = await call([429], { settings: { maxWaitMs: 0 } });
		expect([tries, clock.now()]).toEqual([1, 5]);
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
			const { result, tries, watched, clock, env } = await call([{ status, retryAfter: 86_400 }], {
				given: { timezone: 'Europe/Berlin' },
			});
			expect([tries, clock.now()]).toEqual([1, 5]);
			expect(watched).toEqual(['left', 'rejected']);
			expect(result).toMatchObject({
				outcome: 'unsent',
				statusCode: status,
				message: 'The service asks to come back at 17:30 on 24 November (in 24 hours)',
				description: expect.stringMatching(/nothing more was sent/) as string,
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

describe('when its run is over', () => {
	test.each([
		['connect ECONNREFUSED', 'unsent'],
		[500, 'unknown'],
	])('a call that waits after %s wakes at once, and is %s', async (step, expected) => {
		const clock = new FakeClock();
		const halt = new AbortController();
		const made = call([step], {
			clock,
			settings: { whenUnknown: 'sendAgain' },
			given: { signal: halt.signal, random: () => 1, clock },
		});
		await clock.pass(100);
		const at = clock.now();
		halt.abort();
		await rest();
		const { result, tries } = await soon(made, 'The call');
		expect([tries, outcome(result), clock.now()]).toEqual([1, expected, at]);
	});

	test('a call whose turn has not come is unsent', async () => {
		const { result, tries } = await call([200], { given: { signal: AbortSignal.abort() } });
		expect([tries, outcome(result)]).toEqual([0, 'unsent']);
	});
});

test('the time that a call waited for the service is noted', async () => {
	const { env } = await call([{ status: 429, retryAfter: 7 }, 200]);
	expect(env.stats.waitedMs).toEqual({ plan: 0, pause: 7000, outage: 0, channel: 0, me: 0 });
});
