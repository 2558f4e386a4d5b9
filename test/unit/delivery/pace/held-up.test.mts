/** What a call waits for, and what must not hold it up: lists of other runs, other channels, items that can't be sent. */
import { makeCall } from '../../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import type { QueuedJob } from '../../../../nodes/Messaging/delivery/pace/queued-call.ts';
import type { CallSettings } from '../../../../nodes/Messaging/delivery/settings.ts';
import type { Failure } from '../../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../../nodes/Messaging/service/reply.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, SEND, sendAll, STANDARD } from '../run.mts';
import { type Arrival, FailingService, tally, type Treatment } from './failing-service.mts';

function playing(treatment: (arrival: Arrival) => Treatment = () => 200, latency = 20) {
	const clock = new FakeClock();
	const service = new FailingService(clock, treatment, latency);
	const gate = new KeyGate(clock, () => 0.5);
	const run = (settings: Parameters<typeof environment>[2] = {}) =>
		environment(clock, service, { gate, ...settings });
	const claimFor = (ms: number) => async () => {
		await clock.sleep(ms);
		return true;
	};
	/** Sends to channel 'a', with settings for each item. */
	const sendEach = async (env: ReturnType<typeof environment>, all: Array<Partial<CallSettings>>) => {
		const ends: Array<Reply | Failure> = [];
		const jobs = all.map((given, item): QueuedJob => {
			const settings = { ...STANDARD, ...given, channel: 'a' };
			const { maxWaitMs, notAfter } = settings;
			return {
				...{ lane: undefined, channel: 'a', maxWaitMs, notAfter, changes: true },
				run: async (first) => void (ends[item] = await makeCall(env, SEND, settings, { first })),
			};
		});
		await clock.until(env.queue.offer(jobs));
		return ends;
	};
	return { clock, service, run, claimFor, sendEach };
}
const a = { channelOf: () => 'a' };
const plan = (limit: number, seconds: number): Reply => ({
	status: 200,
	headers: {},
	body: { id: '1', type: 'account', resourcePlan: { limit, seconds } },
});

/** A channel that takes five a second, five at once, and names no time. */
const limited = (status: number) => {
	let [tokens, at] = [5, 0];
	return ({ isMe, now }: Arrival): Treatment => {
		if (isMe) return 200;
		[tokens, at] = [Math.min(5, tokens + (now - at) / 200), now];
		if (tokens < 1) return status;
		tokens -= 1;
		return 200;
	};
};

test.each([429, 503])(
	'a message with a key does not wait for the whole list of another run (gap after %i)',
	async (status) => {
		const { clock, run, claimFor } = playing(limited(status));
		void sendAll(run(), 3000, a);
		await clock.pass(5000);
		const began = clock.now();
		await clock.until(sendAll(run(), 1, { ...a, getReady: claimFor(30) }));
		expect(clock.now() - began).toBeLessThan(5000);
	},
);

test.each([2000, 30_000])(
	'a message with a key does not wait for the whole list of another run (pause of %i ms)',
	async (pauseMs) => {
		const { clock, run, claimFor } = playing();
		void sendAll(run({ pauseMs }), 500, a);
		await clock.pass(5000);
		const began = clock.now();
		await clock.until(sendAll(run({ pauseMs }), 1, { ...a, getReady: claimFor(30) }));
		expect(clock.now() - began).toBeLessThan(2.5 * pauseMs);
	},
);

test('with a pause and keys: in the order of the list, each key claimed when its turn has come', async () => {
	const { clock, run } = playing();
	const claims: number[] = [];
	const order: number[] = [];
	const getReady = async (item: number) => {
		claims.push(clock.now());
		expect(order).toHaveLength(item);
		return await Promise.resolve(true);
	};
	await clock.until(
		sendAll(run({ pauseMs: 1000 }), 30, { ...a, getReady, onEnd: (item) => order.push(item) }),
	);
	expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n));
	expect(claims.slice(1).every((at, n) => at - (claims[n] ?? 0) >= 1000)).toBe(true);
});

test('a run with a longer pause gets its turn beside one with a shorter pause', async () => {
	const { clock, run } = playing();
	void sendAll(run({ pauseMs: 2000 }), 500, a);
	await clock.pass(5000);
	const began = clock.now();
	await clock.until(sendAll(run({ pauseMs: 5000 }), 1, a));
	expect(clock.now() - began).toBeLessThan(10_000);
});

test('what is known to be the limit of one recipient ends no message to others', async () => {
	let tries = 0;
	const { clock, run } = playing(
		({ isMe, recipient }) =>
			isMe || recipient !== '5' ? 200 : { status: 429, retryAfter: tries++ === 0 ? 2 : 600 },
		200,
	);
	expect(tally(await clock.until(sendAll(run({ maxInFlight: 1 }), 300, a)))).toEqual({
		done: 299,
		unsent: 1,
	});
});

test('a message whose own Max Wait is long enough waits, whatever that of another item is', async () => {
	const { run, sendEach } = playing(({ isMe, now }) =>
		isMe || now > 100_000 ? 200 : { status: 429, retryAfter: 100 },
	);
	const ends = await sendEach(run({ maxInFlight: 1 }), [{ maxWaitMs: 20_000 }, {}, {}]);
	expect(tally(ends).done).toBe(2);
});

test('messages that have expired take no pause', async () => {
	const { service, run, sendEach } = playing();
	const ends = await sendEach(run({ pauseMs: 60_000 }), [
		{},
		...Array.from({ length: 10 }, () => ({ notAfter: 1000 })),
		{},
	]);
	expect(tally(ends)).toEqual({ done: 2, unsent: 10 });
	expect(service.sent[1]).toBeLessThan(70_000);
});

test('messages that have expired use up nothing of the plan', async () => {
	const { service, run, sendEach } = playing(({ isMe }) => (isMe ? plan(60, 60) : 200));
	await sendEach(run(), [{}, ...Array.from({ length: 600 }, () => ({ notAfter: 1 })), {}]);
	expect(service.sent[1]).toBeLessThan(60_000);
});

test.each([false, true])('a slow channel of the run holds up no other; with keys: %s', async (keyed) => {
	const { clock, service, claimFor } = playing();
	const slow = {
		id: service.id,
		request: async (...[call, settings]: Parameters<FailingService['request']>) => {
			if ((call.body as { channelId?: string } | undefined)?.channelId === 'slow') await clock.sleep(10_000);
			return await service.request(call, settings);
		},
	};
	const ended: number[] = [];
	await clock.until(
		sendAll(environment(clock, slow), 400, {
			channelOf: (i) => (i < 200 ? 'slow' : 'fine'),
			...(keyed && { getReady: claimFor(5) }),
			onEnd: (i) => {
				if (i >= 200) ended.push(clock.now());
			},
		}),
	);
	expect(ended[0]).toBeLessThan(1000);
});

test('a pause that is longer than Max Wait, and the plan, are waited for after a failure as well', async () => {
	const fails = ({ isMe, number }: Arrival): Treatment => (isMe ? plan(20, 1200) : number === 18 ? 502 : 200);
	for (const [pauseMs, count] of [
		[0, 60],
		[600_000, 25],
	] as const) {
		const { clock, run } = playing(fails);
		const { done, unknown } = tally(await clock.until(sendAll(run({ pauseMs }), count, a)));
		expect([done, unknown]).toEqual([count - 1, 1]);
	}
});

test('a limited recipient that is told more than a window holds up no list that uses the whole plan', async () => {
	const { clock, run } = playing(({ isMe, recipient, now }) => {
		if (isMe) return plan(20, 1);
		return recipient === '100' && now < 30_000 ? { status: 429, retryAfter: 30 } : 200;
	});
	const ended: number[] = [];
	const list = sendAll(run(), 200, { ...a, onEnd: () => ended.push(clock.now()) });
	expect(tally(await clock.until(list))).toEqual({ done: 200 });
	expect(ended.at(-2)).toBeLessThan(12_000);
});
