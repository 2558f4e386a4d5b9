/** A service that refuses a steady share of the calls, whatever the rate: one of several replicas is broken or overloaded. */
import { nginxPage } from '../../../cases/answers.mts';
import { drawn } from '../once/processes.mts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { FailingService, tally, type Treatment } from './failing-service.mts';

const PAGE = { status: 503, page: nginxPage(503, 'Service Temporarily Unavailable') };

/** Sends a list of one channel to a service that treats each call by a random number. */
async function sendTo(treat: (random: number) => Treatment, count: number, seed: number) {
	const clock = new FakeClock();
	const random = drawn(seed);
	let refused = 0;
	const service = new FailingService(clock, ({ isMe }) => {
		const treatment = isMe ? 200 : treat(random());
		if (treatment !== 200) refused += 1;
		return treatment;
	});
	const ends = tally(
		await clock.until(sendAll(environment(clock, service), count, { channelOf: () => 'one' })),
	);
	return { ...ends, refused, seconds: clock.now() / 1000 };
}

const seeds = [1, 2, 3, 4, 5, 6];
const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1];

describe.each([
	['429', 429],
	['429, Retry-After: 0', { status: 429, retryAfter: 0 }],
	['503 that proves that nothing was processed', { status: 503, retryAfter: 0, isProblem: true }],
] as Array<[string, Treatment]>)('%s', (_, refusal) => {
	test.each([
		[0.1, 10],
		[0.33, 25],
	])('a share of %d: all of 200 messages are sent within %d seconds', async (share, most) => {
		for (const seed of seeds) {
			const { done, seconds } = await sendTo((random) => (random < share ? refusal : 200), 200, seed);
			expect(done).toBe(200);
			expect(seconds).toBeLessThan(most);
		}
	});
});

test.each([
	[0.05, 30],
	[0.1, 30],
	[0.33, 60],
])(
	'503 pages, a share of %d: the list ends within %d seconds, and only what met one is in doubt',
	async (share, most) => {
		for (const seed of seeds) {
			const { done, refused, seconds, unknown } = await sendTo(
				(random) => (random < share ? PAGE : 200),
				200,
				seed,
			);
			expect([done, unknown]).toEqual([200 - refused, refused]);
			expect(seconds).toBeLessThan(most);
		}
	},
);

test('a mix of failures: 400 messages end within a quarter of a minute in the median, and within half a minute', async () => {
	const mixed = (random: number): Treatment => {
		if (random < 0.06) return PAGE;
		if (random < 0.1) return 500;
		if (random < 0.14) return 'reset';
		return random < 0.18 ? 429 : 200;
	};
	const times: number[] = [];
	for (const seed of seeds) {
		const { done = 0, seconds, unknown = 0 } = await sendTo(mixed, 400, seed);
		expect(done + unknown).toBe(400);
		times.push(seconds);
	}
	expect(median(times)).toBeLessThan(15);
	expect(Math.max(...times)).toBeLessThan(30);
});

test('with one call in flight at a time, too, the list ends', async () => {
	const clock = new FakeClock();
	const random = drawn(1);
	const service = new FailingService(clock, ({ isMe }) => (isMe || random() > 0.33 ? 200 : PAGE));
	const env = environment(clock, service, { maxInFlight: 1 });
	const { done = 0, unknown = 0 } = tally(await clock.until(sendAll(env, 200)));
	expect(done + unknown).toBe(200);
	expect(clock.now()).toBeLessThan(120_000);
});
