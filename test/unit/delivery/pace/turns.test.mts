import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll, successes } from '../run.mts';
import { mostInAnyWindow, SimulatedService } from './simulated-service.mts';

const plans = [
	{ limit: 20, seconds: 1 },
	{ limit: 60, seconds: 20 },
	{ limit: 60, seconds: 60 },
] as const;

/** One gate, and bulk sends of 5,000 that begin one after the other. */
function bulks({ limit, seconds }: (typeof plans)[number], count: number) {
	const clock = new FakeClock();
	const latency = () => ({ thereMs: 10, backMs: 10 });
	const service = new SimulatedService(clock, {
		...{ limit, seconds, algorithm: 'sliding', visible: true, latency },
	});
	const gate = new KeyGate(clock, () => 0.5);
	const stop = new AbortController();
	const begin = (messages: number) =>
		sendAll(environment(clock, service, { gate, signal: stop.signal }), messages);
	for (let n = 0; n < count; n++) void begin(5000);
	return { clock, service, begin, stop: () => stop.abort() };
}

describe.each(plans)('with a plan of $limit in $seconds seconds', (plan) => {
	const spacingMs = (plan.seconds * 1000) / plan.limit;

	test.each([1, 5])('a single message behind %i bulk sends waits for one call of each', async (count) => {
		const { clock, service, begin, stop } = bulks(plan, count);
		const waits: number[] = [];
		// Right behind them, in the first window, and later.
		for (const afterMs of [30, 700 * plan.seconds, 1500 * plan.seconds]) {
			await clock.pass(afterMs);
			const began = clock.now();
			expect(successes(await clock.until(begin(1)))).toBe(1);
			waits.push(clock.now() - began - 20);
		}
		stop();
		await clock.pass(0);
		// One turn of each, and its own. In the first window, turns take longer: some of it is used up already.
		expect(Math.max(...waits)).toBeLessThanOrEqual(spacingMs * (count + 1) * 1.5 + 100);
		expect(service.refused).toEqual([]);
	});
});

test('the plan is used as fully by many runs as by one, and never overrun', async () => {
	const plan = plans[0];
	const { clock, service, stop } = bulks(plan, 5);
	await clock.pass(20_000);
	stop();
	expect(service.asked).toHaveLength(1);
	expect(service.refused).toEqual([]);
	expect(mostInAnyWindow(service.counted, 1000)).toBeLessThanOrEqual(20);
	expect(service.counted.length).toBeGreaterThanOrEqual(0.95 * 20 * 20);
});
