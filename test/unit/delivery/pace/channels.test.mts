import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import type { CallSettings } from '../../../../nodes/Messaging/delivery/settings.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import { type Failure, failureBy } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { type Arrival, during, FailingService, type Treatment, tally } from './failing-service.mts';

const SECOND = 1000;

/** A service that treats what arrives like this, and one gate for the runs that begin. */
function playing(treatment: (arrival: Arrival) => Treatment) {
	const clock = new FakeClock();
	const service = new FailingService(clock, treatment);
	const gate = new KeyGate(clock, () => 0.5);
	const ended: Array<{ channel: string; at: number }> = [];
	const begin = (
		count: number,
		channelOf: (item: number) => string,
		settings: Partial<CallSettings> = {},
		maxInFlight?: number,
	) => {
		const env = environment(clock, service, { gate, maxInFlight });
		const onEnd = (item: number) => ended.push({ channel: channelOf(item), at: clock.now() });
		return sendAll(env, count, { ...settings, channelOf, onEnd });
	};
	return { clock, service, begin, ended };
}

/** A service whose channels "dead…" fail like this, while /Me and the other channels answer. */
function withDeadChannel(treatment: Treatment, until = Infinity, me: Treatment = 200) {
	const { ended, ...played } = playing(({ isMe, channel, now }) => {
		if (isMe) return me;
		return channel.startsWith('dead') && now < until ? treatment : 200;
	});
	/** When calls to healthy channels ended, of which this share of the first. */
	const healthyBy = (share: number): number => {
		const moments = ended.filter(({ channel }) => !channel.startsWith('dead')).map(({ at }) => at);
		return moments[Math.ceil(moments.length * share) - 1] ?? NaN;
	};
	return { ...played, ended, healthyBy };
}

describe.each<[Treatment, timeoutMs: number]>([
	[503, 30_000],
	['reset', 30_000],
	['hang', 5000],
])('a channel whose calls end with %s', (treatment, timeoutMs) => {
	test('holds back no message to another channel, in another run', async () => {
		const { clock, begin, ended } = withDeadChannel(treatment);
		const bulk = begin(300, () => 'dead', { timeoutMs, maxWaitMs: 60_000 });
		for (const afterMs of [0, 10, timeoutMs, 3000, 20_000]) {
			await clock.pass(afterMs);
			const began = clock.now();
			await clock.until(begin(1, () => 'fine'));
			expect(clock.now() - began).toBeLessThan(200);
		}
		const { unknown = 0, unsent = 0 } = tally(await clock.until(bulk));
		// What was in flight, and one for each try: at once, and after 1, 3, 7, 15, 30, 45 and 60 seconds.
		expect(unknown).toBeLessThanOrEqual(128 + 8);
		expect(unknown + unsent).toBe(300);
		expect(ended).toHaveLength(305);
	});

	test('holds back none of the same run, wherever they are in the list', async () => {
		const lists: Array<(item: number) => string> = [
			(item) => (item % 4 === 0 ? 'fine' : 'dead'),
			(item) => (item >= 750 ? 'fine' : 'dead'),
		];
		for (const channelOf of lists) {
			const { clock, begin, healthyBy } = withDeadChannel(treatment);
			await clock.until(begin(1000, channelOf, { timeoutMs, maxWaitMs: 60_000 }));
			// Until the first call fails, nobody can know.
			expect(healthyBy(0.9)).toBeLessThan((treatment === 'hang' ? timeoutMs : 0) + 2000);
		}
	});
});

test('two channels that fail do not wait for each other, and each has its own tries', async () => {
	const { clock, begin, healthyBy } = withDeadChannel('hang');
	const channels = ['dead 1', 'dead 2', 'fine'];
	const ends = begin(600, (item) => channels[item % 3] ?? '', { timeoutMs: 5000, maxWaitMs: 60_000 });
	const { done, unknown = 0 } = tally(await clock.until(ends));
	expect(done).toBe(200);
	expect(unknown).toBeLessThanOrEqual(128 + 2 * 8);
	expect(healthyBy(0.9)).toBeLessThan(7000);
});

test('calls without a channel form one group, and none of them closes a channel', async () => {
	const { clock, begin } = withDeadChannel(503);
	const none = begin(100, () => 'dead', { maxWaitMs: 20_000 });
	expect(tally(await clock.until(begin(100, () => '')))).toEqual({ done: 100 });
	await clock.until(none);
});

test('a try that gets no answer holds up no other channel, also after a pause', async () => {
	const { clock, begin } = playing(({ isMe, channel, now }) => {
		if (channel === 'dead') return 'hang';
		return !isMe && now < 32_000 ? { status: 429, retryAfter: 1 } : 200;
	});
	void begin(40, () => 'dead');
	// The calls in flight have timed out, and another one is tried.
	await clock.pass(31_000);
	expect(tally(await clock.until(begin(40, () => 'fine')))).toEqual({ done: 40 });
	expect(clock.now()).toBeLessThan(35_000);
});

test('a channel that is back takes the rest', async () => {
	const { clock, begin } = withDeadChannel(503, 20 * SECOND);
	const ends = await clock.until(begin(1000, (item) => (item % 2 === 0 ? 'dead' : 'fine')));
	const { done = 0, unknown = 0 } = tally(ends);
	expect(done + unknown).toBe(1000);
	expect(unknown).toBeLessThanOrEqual(128 + 6);
	expect(clock.now()).toBeLessThan(40 * SECOND);
});

test('a message to it is unsent when Max Wait is over, counted from when the channel closed, and says so', async () => {
	const { clock, begin, ended } = withDeadChannel(503);
	const ends = await clock.until(begin(300, () => 'dead', { maxWaitMs: 10_000 }));
	const last = ends.at(-1) as Failure;
	expect(last.outcome).toBe('unsent');
	expect(last.message).toBe('The item was not sent: the channel was failing');
	expect(ended.at(-1)?.at).toBeLessThan(11_000);
});

test.each<[string, Treatment]>([
	['refuses the key', 401],
	['fails', 500],
	['never answers', 'hang'],
])('where GET /Me %s, a channel that fails once does not stop the others for good', async (_what, me) => {
	const { clock, begin } = withDeadChannel(503, 100, me);
	const ends = await clock.until(begin(600, (item) => (item % 3 === 0 ? 'dead' : 'fine')));
	const { done = 0, unknown = 0 } = tally(ends);
	expect(done + unknown).toBe(600);
	expect(unknown).toBeLessThanOrEqual(128);
});

describe('Max Wait counts from when the gate closed', () => {
	const BEGINS = 150;

	test.each([0, 40_000])('or from when the run began, here %i ms later', async (laterMs) => {
		const { clock, begin } = playing(during(BEGINS, Infinity, 502));
		const first = begin(2000, () => '', { maxWaitMs: 600_000 });
		await clock.pass(1000 + laterMs);
		expect(tally(await clock.until(begin(40, () => '', { maxWaitMs: 10_000 })))).toEqual({ unsent: 40 });
		expect(clock.now()).toBeCloseTo(1000 + laterMs + 10_000, -2);
		await clock.until(first);
	});

	test('a short closure before does not count', async () => {
		const { clock, begin } = withDeadChannel(503);
		const dead = begin(40, () => 'dead', { maxWaitMs: 600_000 });
		// Its one call at a time is held back for a moment at each try of the other channel.
		const ends = begin(2000, () => 'fine', { maxWaitMs: 1000 }, 1);
		expect(tally(await clock.until(ends))).toEqual({ done: 2000 });
		await clock.until(dead);
	});
});

describe('a channel that does not answer yet', () => {
	const YEARS = 2e9;

	test('holds up no message of another run to another channel, also after a refusal, whatever its Timeout', async () => {
		for (const timeoutMs of [30_000, YEARS]) {
			const { clock, begin } = playing(({ channel, isMe, number }) =>
				!isMe && number === 1 ? 429 : channel === 'dead' ? 'hang' : 200,
			);
			await clock.until(begin(1, () => 'limited', { timeoutMs }));
			void begin(100, () => 'dead', { timeoutMs });
			for (let n = 0; n < 40; n++) void begin(1, () => 'dead', { timeoutMs });
			for (let n = 0; n < 20; n++) {
				await clock.pass(997);
				const began = clock.now();
				const fine = begin(1, () => 'fine', { timeoutMs, maxWaitMs: 2000 });
				expect(tally(await clock.until(fine))).toEqual({ done: 1 });
				expect(clock.now() - began).toBeLessThanOrEqual(2000);
			}
		}
	});

	test('gets the rest when it answers', async () => {
		const { clock, begin } = withDeadChannel('hang', 10);
		expect(tally(await clock.until(begin(200, () => 'dead', { timeoutMs: 40_000 }))).done).toBeGreaterThan(
			190,
		);
	});

	test('holds up none of a run with many such channels, neither before they fail nor after', async () => {
		const { clock, begin } = withDeadChannel('hang');
		void begin(800, (item) => `dead ${item % 40}`, { timeoutMs: 30_000 });
		const waits: number[] = [];
		for (let n = 0; n < 100; n++) {
			await clock.pass(997);
			const began = clock.now();
			await clock.until(begin(1, () => 'fine'));
			waits.push(clock.now() - began);
		}
		expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
	});

	test('a message to it waits for calls of other runs as long as Max Wait allows, and says so', async () => {
		const { clock, begin } = withDeadChannel('hang');
		void begin(100, () => 'dead', { timeoutMs: YEARS });
		await clock.pass(5000);
		const [end] = await clock.until(begin(1, () => 'dead', { timeoutMs: YEARS, maxWaitMs: 4000 }));
		expect(end).toMatchObject({
			outcome: 'unsent',
			message: 'The item was not sent: too many other calls were without an answer',
		});
		expect(clock.now()).toBeCloseTo(9000, -2);
	});
});

describe('a channel that is asked to come back later', () => {
	/** A service whose channels "limited…" are refused like this. */
	const limited = (retryAfter: number, status = 429) =>
		playing(({ channel, isMe }) =>
			!isMe && channel.startsWith('limited') ? { status, retryAfter, isProblem: true } : 200,
		);

	test.each([429, 503])('holds up no other one, in another run or the same (%i)', async (status) => {
		const { clock, begin } = limited(10, status);
		void begin(60, () => 'limited', { maxWaitMs: 60_000 });
		await clock.pass(100);
		expect(tally(await clock.until(begin(60, () => 'fine', { maxWaitMs: 5000 })))).toEqual({ done: 60 });
		const mixed = await clock.until(
			begin(60, (item) => (item % 2 === 0 ? 'limited' : 'fine'), { maxWaitMs: 5000 }),
		);
		expect(tally(mixed)).toEqual({ done: 30, unsent: 30 });
		expect(clock.now()).toBeLessThan(1000);
	});

	test('does not slow down what other channels send at the plan', async () => {
		const { clock, service, begin } = limited(1);
		void begin(1000, () => 'limited', { maxWaitMs: 60_000 });
		await clock.pass(100);
		await clock.until(begin(300, () => 'fine'));
		const gap = service.sent.slice(-200).map((at, n, all) => at - (all[n - 1] ?? at));
		expect(Math.max(...gap)).toBeLessThan(100);
	});

	test('and another one: then it is the key, and all others wait', async () => {
		const { clock, service, begin } = limited(10);
		void begin(40, (item) => `limited ${item % 2}`, { maxWaitMs: 60_000 });
		await clock.pass(500);
		const before = service.sent.length;
		void begin(40, () => 'fine');
		await clock.pass(9000);
		expect(service.sent).toHaveLength(before);
	});

	test('and another one, while others are answered: those go on', async () => {
		const { clock, begin } = limited(10);
		void begin(5000, () => 'fine', {}, 4);
		for (const channel of ['limited 1', 'limited 2']) {
			await clock.pass(110);
			void begin(40, () => channel, { maxWaitMs: 60_000 });
		}
		await clock.pass(1000);
		const began = clock.now();
		expect(tally(await clock.until(begin(10, () => 'other')))).toEqual({ done: 10 });
		expect(clock.now() - began).toBeLessThan(200);
	});
});

test('a failure that asks to wait holds its channel back for that long', async () => {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	const words = { message: '', description: '' };
	const doubtful = failureBy('doubtful', words, { statusCode: 503, waitMs: 7000 });
	const left: number[] = [];
	const service: Service = {
		id: 'doubtful',
		request: async ({ path }) => {
			await clock.sleep(20);
			if (path.endsWith('/Me')) return { status: 200, headers: {}, body: {} };
			left.push(clock.now());
			return left.length === 1 ? doubtful : { status: 200, headers: {}, body: {} };
		},
	};
	const env = environment(clock, service, { gate, maxInFlight: 1 });
	expect(tally(await clock.until(sendAll(env, 3)))).toEqual({ unknown: 1, done: 2 });
	expect(left.map((at) => Math.floor(at / 1000))).toEqual([0, 7, 7]);
});

test('where most requests are refused, few leave together', async () => {
	const clock = new FakeClock();
	let takenAt = -Infinity;
	// One in 100 ms is taken, and no time is named: as a gateway with few workers left.
	const treatment = ({ isMe, now }: Arrival): Treatment => {
		if (isMe) return 200;
		if (now - takenAt < 100) return { status: 503, retryAfter: 0, isProblem: true };
		takenAt = now;
		return 200;
	};
	const service = new FailingService(clock, treatment);
	expect(tally(await clock.until(sendAll(environment(clock, service), 150)))).toEqual({ done: 150 });
	expect(service.sent.length - 150).toBeLessThan(700);
	expect(clock.now()).toBeLessThan(30_000);
});
