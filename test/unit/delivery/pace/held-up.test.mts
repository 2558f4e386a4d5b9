/** What a call waits for, and what must not hold it up: lists of other runs, other channels, items that can't be sent. */
import { makeCall } from '../../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
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
	const claiming = (ms: number) => {
		const claims: number[] = [];
		const getReady = async () => {
			claims.push(clock.now());
			await clock.sleep(ms);
			return true;
		};
		return { claims, preparation: { getReady, release: () => {} } };
	};
	/** Sends to channel 'a', with settings for each item. */
	const sendEach = async (env: ReturnType<typeof environment>, all: Array<Partial<CallSettings>>) => {
		const ends: Array<Reply | Failure> = [];
		let n = 0;
		await clock.until(
			env.queue.offer(() => {
				const item = n++;
				if (item >= all.length) return undefined;
				const settings = { ...STANDARD, ...all[item], channel: 'a' };
				return {
					lane: undefined,
					channel: 'a',
					maxWaitMs: settings.maxWaitMs,
					notAfter: settings.notAfter,
					changes: true,
					preparation: undefined,
					run: async (first) => void (ends[item] = await makeCall(env, SEND, settings, { first })),
				};
			}),
		);
		return ends;
	};
	return { clock, service, run, claiming, sendEach };
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
		const { clock, run, claiming } = playing(limited(status));
		void sendAll(run(), 3000, a);
		await clock.pass(5000);
		const began = clock.now();
		await clock.until(sendAll(run(), 1, { ...a, preparation: claiming(30).preparation }));
		expect(clock.now() - began).toBeLessThan(5000);
	},
);

test.each([2000, 30_000])(
	'a message with a key does not wait for the whole list of another run (pause of %i ms)',
	async (pauseMs) => {
		const { clock, run, claiming } = playing();
		void sendAll(run({ pauseMs }), 500, a);
		await clock.pass(5000);
		const began = clock.now();
		await clock.until(sendAll(run({ pauseMs }), 1, { ...a, preparation: claiming(30).preparation }));
		expect(clock.now() - began).toBeLessThan(2.5 * pauseMs);
	},
);

test('a key is claimed two seconds before the pause is over at the earliest', async () => {
	const { clock, run, claiming } = playing();
	const { claims, preparation } = claiming(30);
	await clock.until(sendAll(run({ pauseMs: 60_000 }), 3, { ...a, preparation }));
	const [first = NaN, second = NaN, third = NaN] = claims;
	expect(claims).toHaveLength(3);
	for (const after of [second - first, third - second]) expect(after).toBeGreaterThan(58_000);
});

test('with a pause and keys: in the order of the list, each key claimed once', async () => {
	const { clock, run, claiming } = playing();
	const { claims, preparation } = claiming(5);
	const order: number[] = [];
	await clock.until(
		sendAll(run({ pauseMs: 1000 }), 30, { ...a, preparation, onEnd: (item) => order.push(item) }),
	);
	expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n));
	expect(claims).toHaveLength(30);
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

test.each(['items without a job', 'a pause'])(
	'a run that draws many jobs holds up no other: %s',
	async (why) => {
		const { clock, run } = playing();
		const channelOf = (): string => {
			clock.spend(1);
			return 'slow';
		};
		if (why === 'a pause') void sendAll(run({ pauseMs: 2000 }), 5000, { channelOf });
		else {
			let drawn = 0;
			void run().queue.offer(() => {
				clock.spend(1);
				return drawn++ < 5000 ? null : undefined;
			});
		}
		await clock.pass(30);
		const began = clock.now();
		await clock.until(sendAll(run(), 1, { channelOf: () => 'other' }));
		expect(clock.now() - began).toBeLessThan(200);
	},
);

test.each([false, true])('a slow channel of the run holds up no other; with keys: %s', async (keyed) => {
	const { clock, service, claiming } = playing();
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
			...(keyed && { preparation: claiming(5).preparation }),
			onEnd: (i) => {
				if (i >= 200) ended.push(clock.now());
			},
		}),
	);
	expect(ended[0]).toBeLessThan(1000);
});
