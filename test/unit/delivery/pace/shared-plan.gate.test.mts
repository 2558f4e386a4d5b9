import type { SimulationSettings } from './simulated-service.mts';
import { numbers, Workers } from './workers.mts';

/** The round trip takes at least this long, and up to this much longer, random for each request. */
function latency(leastMs: number, upToMs: number): SimulationSettings['latency'] {
	const next = numbers(18);
	const way = () => leastMs + upToMs * next();
	return () => ({ thereMs: way(), backMs: way() });
}

const near = () => latency(2.5, 0);
const uneven = () => latency(2.5, 30);
const far = () => latency(20, 5);

/** Starts workers this many milliseconds after the first. */
async function startAt(workers: Workers, moments: readonly number[]): Promise<void> {
	for (const moment of moments) {
		await workers.clock.pass(moment - workers.clock.now());
		workers.start();
	}
}

const together = [0, 0, 0];
const oneByOne = [0, 300, 800];

const services = [
	['sliding', 'seconds'],
	['sliding', 'date'],
	['sliding', 'none'],
	['fixed', 'seconds'],
	['fixed', 'date'],
	['fixed', 'none'],
] as const;

describe.each(services)(
	'three workers and one plan, %s window, Retry-After as %s',
	(algorithm, retryAfter) => {
		const common = { algorithm, retryAfter, visible: true, phaseMs: 370 };

		test.each([
			['near, begun together', near, together],
			['near, begun one by one', near, oneByOne],
			['at uneven latency, begun together', uneven, together],
			['at uneven latency, begun one by one', uneven, oneByOne],
			['far away, begun one by one', far, oneByOne],
		] as const)(
			'of 50 per second share it, and the last one takes it back: %s',
			async (_how, way, moments) => {
				const workers = new Workers({ ...common, limit: 50, seconds: 1, latency: way() });
				await startAt(workers, moments);
				await workers.clock.pass(10_000 - workers.clock.now());
				const shared = await workers.during(60_000);
				expect(shared.refused).toBeLessThanOrEqual(0.05);
				// A date in whole seconds from a clock in whole seconds asks for a pause of up to two seconds: two windows. A third
				// would be fair. In forty runs with other seeds, the smallest share over a minute was 0.17.
				const [used, each] = retryAfter === 'date' ? [0.8, 0.17] : [0.85, 0.17];
				expect(shared.used).toBeGreaterThanOrEqual(used);
				expect(Math.min(...shared.each)).toBeGreaterThanOrEqual(each);

				workers.leaveOne();
				await workers.clock.pass(30_000);
				const alone = await workers.during(10_000);
				workers.stop();
				expect(alone.used).toBeGreaterThanOrEqual(0.95);
				expect(alone.refused).toBe(0);
			},
		);

		test.each([
			['near', near],
			['at uneven latency', uneven],
		])('of 300 in ten seconds: %s', async (_where, way) => {
			const workers = new Workers({ ...common, limit: 300, seconds: 10, latency: way() });
			await startAt(workers, oneByOne);
			// Three windows.
			await workers.clock.pass(30_000);
			const shared = await workers.during(120_000);
			workers.stop();
			expect(shared.used).toBeGreaterThanOrEqual(0.85);
			expect(Math.min(...shared.each)).toBeGreaterThanOrEqual(0.17);
			expect(shared.refused).toBeLessThanOrEqual(0.1);
		});

		test('of 5 per second: each has its part', async () => {
			const workers = new Workers({ ...common, limit: 5, seconds: 1, latency: uneven() });
			await startAt(workers, oneByOne);
			await workers.clock.pass(60_000);
			const shared = await workers.during(120_000);
			workers.stop();
			// A pause of one second costs a full window, and a refusal every three seconds is already more than 5%.
			expect(shared.used).toBeGreaterThanOrEqual(0.75);
			expect(Math.min(...shared.each)).toBeGreaterThanOrEqual(0.15);
			expect(shared.refused).toBeLessThanOrEqual(0.1);
		});
	},
);

describe('who comes later', () => {
	test.each(['sliding', 'fixed'] as const)(
		'finds its way in, however regularly the first one sends: %s',
		async (algorithm) => {
			const workers = new Workers({
				limit: 50,
				seconds: 1,
				algorithm,
				visible: true,
				latency: near(),
			});
			workers.start();
			const alone = await workers.during(20_000);
			expect(alone.refused).toBe(0);

			workers.start();
			await workers.clock.pass(15_000);
			const shared = await workers.during(30_000);
			workers.stop();
			expect(Math.min(...shared.each)).toBeGreaterThanOrEqual(0.2);
			expect(shared.used).toBeGreaterThanOrEqual(0.85);
		},
	);
});
