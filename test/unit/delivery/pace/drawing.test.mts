/** How many jobs of a list are drawn to find others that can start. */
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { FailingService, type Treatment } from './failing-service.mts';

/** A list that begins with so many messages to a channel that is treated so, and ends with one to another channel. */
function behind(count: number, treatment: Treatment) {
	const clock = new FakeClock();
	const service = new FailingService(clock, ({ channel, isMe }) =>
		!isMe && channel === 'stuck' ? treatment : 200,
	);
	let drawn = 0;
	let isLastDone = false;
	const env = environment(clock, service, { keepToPlan: false });
	void sendAll(env, count + 1, {
		timeoutMs: 1_000_000,
		maxWaitMs: 10_000_000,
		channelOf: (item) => {
			drawn = Math.max(drawn, item + 1);
			return item < count ? 'stuck' : 'fine';
		},
		onEnd: (item) => (isLastDone ||= item === count),
	});
	return { clock, drawn: () => drawn, isLastDone: () => isLastDone };
}

describe('beside a channel that has no place', () => {
	test('a message to another one is found among a thousand', async () => {
		const { clock, isLastDone } = behind(950, 'hang');
		await clock.pass(5000);
		expect(isLastDone()).toBe(true);
	});

	test('no more than that are drawn', async () => {
		const { clock, drawn, isLastDone } = behind(3000, 'hang');
		await clock.pass(5000);
		expect(isLastDone()).toBe(false);
		expect(drawn()).toBeLessThan(1100);
	});
});

describe('beside a channel whose circuit is open', () => {
	test('a message to another one is found among ten thousand', async () => {
		const { clock, isLastDone } = behind(9500, { status: 429, retryAfter: 200 });
		await clock.pass(20_000);
		expect(isLastDone()).toBe(true);
	});

	test('no more than that are drawn', async () => {
		const { clock, drawn } = behind(25_000, { status: 429, retryAfter: 200 });
		await clock.pass(20_000);
		expect(drawn()).toBeGreaterThan(9500);
		expect(drawn()).toBeLessThan(10_100);
	});
});
