/** Limits of single recipients, which must not stop a channel; and what that costs where the channel itself is limited. */
import { isFailure } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { type Arrival, FailingService, tally, type Treatment } from './failing-service.mts';

/** A service that refuses these recipients, again and again. */
const refusing =
	(limited: readonly string[], retryAfter: number) =>
	({ isMe, recipient }: Arrival): Treatment =>
		!isMe && limited.includes(recipient) ? { status: 429, retryAfter } : 200;

function playing(treatment: (arrival: Arrival) => Treatment) {
	const clock = new FakeClock();
	const service = new FailingService(clock, treatment);
	const { gate } = environment(clock, service);
	const begin = (recipients: readonly string[], maxWaitMs = 40_000, getReady?: () => Promise<boolean>) =>
		sendAll(environment(clock, service, { gate }), recipients.length, {
			...{ maxWaitMs, getReady },
			channelOf: () => 'channel',
			recipientOf: (item) => recipients[item] ?? '',
		});
	return { clock, service, begin };
}

const people = (count: number): string[] => Array.from({ length: count }, (_, n) => `person ${n}`);

/** Which of 300 are limited. */
const limitedSets: ReadonlyArray<[string, (n: number) => boolean]> = [
	['the first', (n) => n === 0],
	['one in the middle', (n) => n === 150],
	['the first ten', (n) => n < 10],
	['every 29th', (n) => n % 29 === 0],
	['the last ten', (n) => n >= 290],
];

test.each(limitedSets)('%s of 300 recipients limited: all others get their message', async (_, isLimited) => {
	const all = people(300);
	const limited = all.filter((__, n) => isLimited(n));
	const { clock, begin } = playing(refusing(limited, 5));
	const ends = await clock.until(begin(all));
	expect(ends.map((end) => !isFailure(end))).toEqual(all.map((__, n) => !isLimited(n)));
	// No limited one waits for longer than it may.
	expect(clock.now()).toBeLessThanOrEqual(80_000);
});

test('a limited recipient is asked again when the service says so, and not before', async () => {
	let refused = 0;
	const { clock, begin } = playing((arrival) => {
		const treatment = refusing(['person 3'], 5)(arrival);
		refused += treatment === 200 ? 0 : 1;
		return treatment;
	});
	await clock.until(begin(people(300), 38_000));
	expect(clock.now()).toBeLessThanOrEqual(38_500);
	expect(refused).toBeLessThanOrEqual(8);
});

test('limits of recipients slow a long list down only when they are met first', async () => {
	const all = people(1000);
	let lastAt = 0;
	const { clock, begin } = playing((arrival) => {
		const isLimited = Array.from({ length: 10 }, (_, n) => `person ${5 * n}`).includes(arrival.recipient);
		if (!arrival.isMe && !isLimited) lastAt = arrival.now;
		return arrival.isMe || !isLimited ? 200 : { status: 429, retryAfter: 5 };
	});
	await clock.until(begin(all, 120_000));
	expect(lastAt).toBeLessThan(40_000);
});

test('a channel that takes calls at a steady rate is not asked too often', async () => {
	/** Fifty a second, fifty at once. */
	let tokens = 50;
	let at = 0;
	let refused = 0;
	const { clock, begin } = playing(({ isMe, now }) => {
		if (isMe) return 200;
		tokens = Math.min(50, tokens + (now - at) / 20);
		at = now;
		if (tokens >= 1) {
			tokens -= 1;
			return 200;
		}
		refused += 1;
		return { status: 429, retryAfter: 1 };
	});
	expect(tally(await clock.until(begin(people(1000), 300_000)))).toEqual({ done: 1000 });
	expect(refused).toBeLessThan(200);
});

test('the others do not wait for a limited recipient', async () => {
	const reached = new Set<string>();
	const { clock, begin } = playing((arrival) => {
		if (!arrival.isMe) reached.add(arrival.recipient);
		return refusing(['person 3'], 5)(arrival);
	});
	void begin(people(300), 300_000);
	await clock.pass(2000);
	expect(reached.size).toBe(300);
});

test('a recipient that asks to wait for longer than its message may does not end the others', async () => {
	const { clock, begin } = playing(refusing(['person 3'], 3600));
	const ends = await clock.until(begin(people(50)));
	expect(tally(ends)).toEqual({ done: 49, unsent: 1 });
});

test('jobs that have to get ready are tried in place of a refused one, too', async () => {
	const reached = new Set<string>();
	const { clock, begin } = playing((arrival) => {
		if (!arrival.isMe) reached.add(arrival.recipient);
		return refusing(['person 0'], 5)(arrival);
	});
	void begin(people(30), 40_000, () => Promise.resolve(true));
	await clock.pass(2000);
	expect(reached.size).toBe(30);
});

test('an execution behind ten messages to a limited recipient does not wait for them', async () => {
	let refused = 0;
	const { clock, begin } = playing((arrival) => {
		const treatment = refusing(['limited'], 5)(arrival);
		refused += treatment === 200 ? 0 : 1;
		return treatment;
	});
	void begin(
		Array.from({ length: 10 }, () => 'limited'),
		300_000,
	);
	await clock.pass(30_000);
	// Each of the ten asks again when its wait is over.
	expect(refused).toBeLessThanOrEqual(10 * 6);
	for (let n = 0; n < 5; n++) {
		const began = clock.now();
		expect(tally(await clock.until(begin(['somebody'])))).toEqual({ done: 1 });
		expect(clock.now() - began).toBeLessThan(100);
		await clock.pass(3000);
	}
});

test('a limited recipient is tried after five minutes, however long the service asks to wait', async () => {
	const { clock, begin } = playing((arrival) =>
		arrival.now < 60_000 ? refusing(['person 3'], 3600)(arrival) : 200,
	);
	expect(tally(await clock.until(begin(people(10), 7_200_000)))).toEqual({ done: 10 });
	expect(clock.now()).toBeLessThan(310_000);
});

test('a limited recipient that is refused without a time is not asked at once, again and again', async () => {
	let refused = 0;
	const { clock, begin } = playing(({ isMe, recipient }) => {
		if (isMe || recipient !== 'person 3') return 200;
		refused += 1;
		return refused < 3 ? { status: 429, retryAfter: 1 } : 429;
	});
	await clock.until(begin(people(100)));
	expect(refused).toBeLessThan(100);
});

test('a refusal long after that of another recipient is that of one recipient again', async () => {
	const { clock, begin } = playing(refusing(['limited', 'other'], 30));
	void begin(['limited'], 10_000);
	await clock.pass(300_000);
	void begin(['other'], 60_000);
	await clock.pass(100);
	const began = clock.now();
	expect(tally(await clock.until(begin(['somebody'])))).toEqual({ done: 1 });
	expect(clock.now() - began).toBeLessThan(100);
});

test('after refusals of two recipients, no further one is tried before the time that the service names', async () => {
	const { clock, service, begin } = playing(({ isMe, now }) =>
		!isMe && now < 30_000 ? { status: 429, retryAfter: 30 } : 200,
	);
	const ends = [begin(people(50), 60_000)];
	for (let n = 0; n < 25; n++) {
		await clock.pass(1000);
		ends.push(begin([`another ${n}`], 60_000));
	}
	// Those in flight at first, and one trial for another recipient.
	expect(service.sent.length).toBeLessThanOrEqual(8 + 1);
	expect(tally((await clock.until(Promise.all(ends))).flat())).toEqual({ done: 75 });
});

test('a recipient that is refused without a time is not tried again and again', async () => {
	const { clock, service, begin } = playing(({ isMe, recipient }) =>
		!isMe && recipient === 'limited' ? 429 : 200,
	);
	void begin(['limited'], 60_000);
	for (let n = 0; n < 20; n++) {
		void begin(['somebody'], 60_000);
		await clock.pass(1000);
	}
	expect(service.sent.length).toBeLessThan(20 + 100);
});

test('a recipient that is limited for a moment gets its message then', async () => {
	const { clock, begin } = playing((arrival) =>
		arrival.now < 12_000 ? refusing(['limited'], 5)(arrival) : 200,
	);
	expect(tally(await clock.until(begin(['limited', ...people(20)])))).toEqual({ done: 21 });
	expect(clock.now()).toBeGreaterThan(12_000);
	expect(clock.now()).toBeLessThan(18_000);
});

test.each([
	[10, 1000, 600],
	[1, 3000, 60],
])(
	'where the channel takes %i in %i ms, hardly more calls are refused than if recipients were not told apart',
	async (limit, windowMs, count) => {
		/** The rest is told the time to the next window. */
		const refusals = async (recipientOf: (n: number) => string): Promise<number> => {
			let refused = 0;
			let window = -1;
			let taken = 0;
			const { clock, begin } = playing(({ isMe, now }) => {
				if (isMe) return 200;
				if (Math.floor(now / windowMs) !== window) [window, taken] = [Math.floor(now / windowMs), 0];
				if (taken++ < limit) return 200;
				refused += 1;
				return { status: 429, retryAfter: Math.ceil((windowMs - (now % windowMs)) / 1000) };
			});
			const recipients = Array.from({ length: count }, (_, n) => recipientOf(n));
			expect(tally(await clock.until(begin(recipients, 300_000)))).toEqual({ done: count });
			return refused;
		};
		const alike = await refusals(() => 'one');
		expect(await refusals(String)).toBeLessThanOrEqual(1.4 * alike);
	},
);

test('while several limited recipients are waited for, only the first message to somebody else may have to wait', async () => {
	const { clock, begin } = playing(refusing(people(10), 5));
	void begin([...people(10), ...people(30).map((name) => `another ${name}`)], 300_000);
	await clock.pass(20_000);
	const waits: number[] = [];
	for (let n = 0; n < 10; n++) {
		const began = clock.now();
		await clock.until(begin(['somebody']));
		waits.push(clock.now() - began);
		await clock.pass(1300);
	}
	expect(waits.slice(1).every((ms) => ms < 100)).toBe(true);
});
