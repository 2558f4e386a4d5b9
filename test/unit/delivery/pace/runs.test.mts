import fc from 'fast-check';

import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll, successes } from '../run.mts';
import { mostInAnyWindow, SimulatedService, type SimulationSettings } from './simulated-service.mts';
import { drawn } from '../once/processes.mts';
import { runs } from '../../../runs.mts';

/** A service that answers after 5 ms. */
const nearService = (clock: FakeClock, settings: Omit<SimulationSettings, 'latency'>) =>
	new SimulatedService(clock, { latency: () => ({ thereMs: 2.5, backMs: 2.5 }), ...settings });

/** The share of the plan that was used, from the first request to the last. */
function utilisation({ counted }: SimulatedService, limit: number, seconds: number): number {
	const first = Math.min(...counted);
	const full = counted.length - limit;
	// Requests of the last window start right after a whole number of windows.
	const lastWindowBegins = [...counted].sort((one, other) => one - other)[full] ?? first;
	return full / ((lastWindowBegins - first) * (limit / (seconds * 1000)));
}

const anyLatency = fc.tuple(
	fc.nat({ max: 300 }),
	fc.nat({ max: 300 }),
	fc.integer({ min: 1, max: 1_000_000 }),
);

/** Latencies that differ so much that requests overtake each other. */
function latencies([thereMs, backMs, seed]: [number, number, number]): SimulationSettings['latency'] {
	const next = drawn(seed);
	return () => ({ thereMs: thereMs * next(), backMs: backMs * next() });
}

test('no window of a service, fixed or sliding, wherever it is cut, ever holds more than the plan', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				limit: fc.integer({ min: 5, max: 40 }),
				seconds: fc.integer({ min: 1, max: 10 }),
				algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
				phaseMs: fc.nat({ max: 10_000 }),
				latency: anyLatency,
				bound: fc.constantFrom(undefined, 1, 7, 128),
			}),
			async ({ latency, bound, ...settings }) => {
				const clock = new FakeClock();
				const service = new SimulatedService(clock, {
					...settings,
					latency: latencies(latency),
					visible: true,
				});
				const env = environment(clock, service, { maxInFlight: bound });
				const count = settings.limit * 4 + 3;
				const ends = await clock.until(sendAll(env, count));

				expect(successes(ends)).toBe(count);
				expect(service.refused).toEqual([]);
				expect(mostInAnyWindow(service.counted, settings.seconds * 1000)).toBeLessThanOrEqual(settings.limit);
				expect(service.asked).toHaveLength(1);
			},
		),
		runs(40),
	);
}, 60_000);

describe('the share of a plan of 50 per second that is used, at 5 ms, /Me counted in', () => {
	/** The service after a run of 750, all of which have arrived. */
	async function sent(settings: Omit<SimulationSettings, 'latency' | 'limit' | 'seconds'>) {
		const clock = new FakeClock();
		const service = nearService(clock, { limit: 50, seconds: 1, ...settings });
		const ends = await clock.until(sendAll(environment(clock, service), 750));
		expect(successes(ends)).toBe(750);
		expect(service.accepted).toHaveLength(750);
		return service;
	}

	test.each(['fixed', 'sliding'] as const)(
		'at least 95 %% of a plan that /Me shows, %s',
		async (algorithm) => {
			const service = await sent({ algorithm, phaseMs: 370, visible: true });
			expect(service.refused).toEqual([]);
			expect(service.counted).toHaveLength(751);
			expect(utilisation(service, 50, 1)).toBeGreaterThanOrEqual(0.95);
		},
	);

	test.each([
		['fixed', 'seconds', 0],
		['fixed', 'seconds', 370],
		['fixed', 'seconds', 800],
		['sliding', 'seconds', 0],
		['fixed', 'none', 370],
		['sliding', 'none', 0],
		['fixed', 'date', 0],
	] as const)(
		'at least 85 %% of a plan that it does not show: %s window, Retry-After as %s, cut at %i ms',
		async (algorithm, retryAfter, phaseMs) => {
			const service = await sent({ algorithm, phaseMs, visible: false, retryAfter });
			expect(service.refused.length).toBeGreaterThan(0);
			expect(utilisation(service, 50, 1)).toBeGreaterThanOrEqual(0.85);
		},
	);
});

test.each(['fixed', 'sliding'] as const)(
	'a bulk send beside one message a second from elsewhere uses at least 90 %% of the plan: %s window',
	async (algorithm) => {
		const clock = new FakeClock();
		const service = nearService(clock, { limit: 50, seconds: 1, algorithm, phaseMs: 370, visible: true });
		const over = new AbortController();
		const elsewhere = new KeyGate(clock, drawn(1));
		const others = async () => {
			while (!over.signal.aborted) {
				void sendAll(environment(clock, service, { gate: elsewhere }), 1);
				await clock.sleep(1000);
			}
		};
		const beside = others();
		const bulk = environment(clock, service, { gate: new KeyGate(clock, drawn(7)) });
		expect(successes(await clock.until(sendAll(bulk, 3000)))).toBe(3000);
		over.abort();
		await clock.until(beside);
		expect(utilisation(service, 50, 1)).toBeGreaterThanOrEqual(0.9);
		expect(service.refused.length).toBeLessThan(20);
	},
);

test.each([
	[1, 3],
	[1, 1],
	[5, 5],
	[20, 2],
])(
	'an unseen plan of %i per %i s that names the time refuses at most ten calls a window',
	async (limit, seconds) => {
		const clock = new FakeClock();
		const service = new SimulatedService(clock, {
			...{ limit, seconds, algorithm: 'fixed', retryAfter: 'seconds', visible: false },
			latency: latencies([5, 5, 1]),
		});
		expect(successes(await clock.until(sendAll(environment(clock, service), 100)))).toBe(100);
		// Until it is known how many may be in flight.
		const atFirst = 60;
		expect(service.refused.length).toBeLessThanOrEqual(atFirst + (10 * 100) / limit);
	},
);

test('an unseen plan, whatever it is: everything arrives, and nothing counts as a try', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				limit: fc.integer({ min: 1, max: 30 }),
				seconds: fc.integer({ min: 1, max: 5 }),
				algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
				phaseMs: fc.nat({ max: 5000 }),
				retryAfter: fc.constantFrom('seconds' as const, 'date' as const, 'none' as const),
				latency: anyLatency,
			}),
			async ({ latency, ...settings }) => {
				// If the limit lets the list through more slowly than within Max Wait, some of it may end then.
				fc.pre((100 / settings.limit) * settings.seconds <= 300);
				const clock = new FakeClock();
				const service = new SimulatedService(clock, {
					...settings,
					latency: latencies(latency),
					visible: false,
				});
				const env = environment(clock, service);
				const ends = await clock.until(sendAll(env, 100, { maxTries: 1, maxWaitMs: 300_000 }));

				expect(successes(ends)).toBe(100);
				expect(service.accepted).toHaveLength(100);
			},
		),
		runs(30),
	);
}, 60_000);
