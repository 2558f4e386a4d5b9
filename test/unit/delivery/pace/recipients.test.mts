/** Limits of single recipients, which must not stop a channel; and what that costs where the channel itself is limited. */
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
	const begin = (recipients: readonly string[], maxWaitMs = 40_000) =>
		sendAll(environment(clock, service, { gate }), recipients.length, {
			maxWaitMs,
			channelOf: () => 'channel',
			recipientOf: (item) => recipients[item] ?? '',
		});
	return { clock, service, begin };
}

const people = (count: number): string[] => Array.from({ length: count }, (_, n) => `person ${n}`);

test.each([1, 10])(
	'%i limited recipients among 300: all others get their message, and soon',
	async (count) => {
		const limited = Array.from({ length: count }, (_, n) => `person ${n * 29}`);
		const { clock, begin } = playing(refusing(limited, 5));
		const ends = await clock.until(begin(people(300)));
		const { done, ...others } = tally(ends);
		expect(done).toBe(300 - count);
		expect((others.rejected ?? 0) + (others.unsent ?? 0)).toBe(count);
	},
);

test('an execution behind ten messages to a limited recipient does not wait for them', async () => {
	const { clock, begin } = playing(refusing(['limited'], 5));
	void begin(
		Array.from({ length: 10 }, () => 'limited'),
		300_000,
	);
	await clock.pass(30_000);
	for (let n = 0; n < 5; n++) {
		const began = clock.now();
		expect(tally(await clock.until(begin(['somebody'])))).toEqual({ done: 1 });
		expect(clock.now() - began).toBeLessThan(100);
		await clock.pass(3000);
	}
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

test('where the channel is limited, hardly more calls are refused than if recipients were not told apart', async () => {
	/** Ten a second are taken, in windows of a second; the rest is told the time to the next one. */
	const refusals = async (recipientOf: (n: number) => string): Promise<number> => {
		let refused = 0;
		let window = -1;
		let taken = 0;
		const { clock, begin } = playing(({ isMe, now }) => {
			if (isMe) return 200;
			if (Math.floor(now / 1000) !== window) [window, taken] = [Math.floor(now / 1000), 0];
			if (taken++ < 10) return 200;
			refused += 1;
			return { status: 429, retryAfter: Math.ceil((1000 - (now % 1000)) / 1000) };
		});
		const recipients = Array.from({ length: 600 }, (_, n) => recipientOf(n));
		expect(tally(await clock.until(begin(recipients, 300_000)))).toEqual({ done: 600 });
		return refused;
	};
	const alike = await refusals(() => 'one');
	expect(await refusals(String)).toBeLessThanOrEqual(1.4 * alike);
});
