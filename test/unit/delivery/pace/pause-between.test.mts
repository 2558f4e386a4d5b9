/** Pause Between Messages: the time from the end of one message of a channel to the start of the next. */
import type { CallOptions } from '../../../../nodes/Messaging/delivery/call.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { type Arrival, FailingService, tally, type Treatment } from './failing-service.mts';

const LATENCY_MS = 20;

/** Runs with a pause, and when their messages started at the service, by channel. */
function pausing(treatment: (arrival: Arrival) => Treatment = () => 200) {
	const clock = new FakeClock();
	const started = new Map<string, number[]>();
	const service = new FailingService(
		clock,
		(arrival) => {
			if (!arrival.isMe) {
				started.set(arrival.channel, [...(started.get(arrival.channel) ?? []), arrival.now - LATENCY_MS / 2]);
			}
			return treatment(arrival);
		},
		LATENCY_MS,
	);
	const { gate } = environment(clock, service);
	const begin = (
		count: number,
		pauseMs: number,
		settings: Parameters<typeof sendAll>[2] = {},
		maxInFlight?: number,
	) => sendAll(environment(clock, service, { gate, maxInFlight, pauseMs }), count, settings);
	/** The times from the end of each message of a channel to the start of the next. */
	const gaps = (channel = ''): number[] =>
		(started.get(channel) ?? []).slice(1).map((at, n, all) => {
			const before = n === 0 ? (started.get(channel)?.[0] ?? 0) : (all[n - 1] ?? 0);
			return at - before - LATENCY_MS;
		});
	return { clock, service, started, begin, gaps };
}

test.each([undefined, 1])(
	'each message starts that long after the end of the last one (Max Concurrency: %s)',
	async (most) => {
		const { clock, begin, gaps } = pausing();
		expect(tally(await clock.until(begin(20, 1500, {}, most)))).toEqual({ done: 20 });
		expect(gaps()).toHaveLength(19);
		for (const gap of gaps()) expect(gap).toBeCloseTo(1500, 0);
	},
);

test('in the order of the list', async () => {
	const { clock, begin } = pausing();
	const ended: number[] = [];
	await clock.until(begin(20, 100, { onEnd: (item) => ended.push(item) }));
	expect(ended).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

test('other channels go on, and so do runs without a pause', async () => {
	const { clock, begin, gaps } = pausing();
	const channelOf = (item: number): string => (item % 2 === 0 ? 'slow' : 'other');
	void begin(20, 10_000, { channelOf });
	await clock.pass(100);
	const began = clock.now();
	await clock.until(begin(50, 0, { channelOf: () => 'slow' }));
	await clock.until(begin(1, 10_000, { channelOf: () => 'third' }));
	expect(clock.now() - began).toBeLessThan(500);
	await clock.pass(100_000);
	expect(Math.min(...gaps('other'))).toBeGreaterThanOrEqual(10_000);
});

test('all runs that set it share the turns of a channel', async () => {
	const { clock, begin, gaps } = pausing();
	const runs = [begin(10, 1000), begin(10, 1000), begin(10, 1000)];
	await clock.until(Promise.all(runs));
	expect(gaps()).toHaveLength(29);
	expect(Math.min(...gaps())).toBeGreaterThanOrEqual(1000);
});

test.each<[string, Treatment]>([
	['429', { status: 429, retryAfter: 3 }],
	['502', 502],
	['a refused connection', 'refused'],
])('it is kept through %s, and a retry holds up its channel', async (_what, trouble) => {
	const { clock, begin, gaps } = pausing(({ isMe, number }) => (!isMe && number % 5 === 3 ? trouble : 200));
	const { done = 0, unknown = 0 } = tally(await clock.until(begin(20, 1000)));
	expect(done + unknown).toBe(20);
	// A refused connection does not reach the service.
	for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(1000);
});

test('a message that gives its turn back before it is tried again, as its key is slow to claim, holds up its channel', async () => {
	let calls = 0;
	const { clock, service } = pausing(({ isMe }) =>
		!isMe && ++calls === 3 ? { status: 429, retryAfter: 3 } : 200,
	);
	const env = environment(clock, service, { pauseMs: 1000 });
	const again: CallOptions['again'] = async (call) => {
		const turn = await env.queue.enter(call);
		if (turn.kind === 'start') turn.cancel();
		await clock.sleep(500);
		return await env.queue.enter(call);
	};
	const ended: number[] = [];
	await clock.until(sendAll(env, 6, { again, onEnd: (item) => ended.push(item) }));
	expect(ended).toEqual([0, 1, 2, 3, 4, 5]);
});

test('it does not count for Max Wait', async () => {
	const { clock, begin } = pausing();
	expect(tally(await clock.until(begin(20, 60_000, { maxWaitMs: 5000 })))).toEqual({ done: 20 });
});

test('a run that ends while others wait for its turn gives the turn back', async () => {
	const clock = new FakeClock();
	const service = new FailingService(clock, () => 'hang');
	const { gate } = environment(clock, service);
	const stop = new AbortController();
	const env = environment(clock, service, { gate, pauseMs: 100, signal: stop.signal });
	const hanging = sendAll(env, 3, { timeoutMs: 5000 });
	await clock.pass(6000);
	stop.abort();
	await clock.until(hanging);
	const other = environment(clock, service, { gate, pauseMs: 100 });
	const ends = await clock.until(sendAll(other, 1, { timeoutMs: 1000, maxWaitMs: 60_000 }));
	expect(ends).toHaveLength(1);
});
