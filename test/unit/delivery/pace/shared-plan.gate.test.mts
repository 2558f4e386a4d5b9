import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import { FakeClock } from '../fake-clock.mts';
import { drawn } from '../once/processes.mts';
import { environment, sendAll, successes } from '../run.mts';
import { SimulatedService, type SimulationSettings } from './simulated-service.mts';

interface Worker {
	/** When its requests arrived, and whether they were accepted. */
	readonly log: Array<{ at: number; taken: boolean }>;
	readonly stop: AbortController;
}

/** Workers that share only a key, each with its own gate, sending as fast as they can. */
class Workers {
	readonly clock = new FakeClock();
	readonly #service: SimulatedService;
	readonly #settings: SimulationSettings;
	readonly #workers: Worker[] = [];
	readonly #lists: Array<ReturnType<typeof sendAll>> = [];

	constructor(settings: SimulationSettings) {
		this.#settings = settings;
		this.#service = new SimulatedService(this.clock, settings);
	}

	/** Another worker begins to send so many messages, this many milliseconds after the first. */
	async startAt(moment: number, count = 5000): Promise<void> {
		await this.clock.pass(moment - this.clock.now());
		const gate = new KeyGate(this.clock, drawn(this.#workers.length + 18));
		const worker: Worker = { log: [], stop: new AbortController() };
		const service: Service = {
			id: 'shared',
			request: async (...request) => {
				const reply = await this.#service.request(...request);
				worker.log.push({ at: this.clock.now(), taken: !('status' in reply) || reply.status !== 429 });
				return reply;
			},
		};
		const env = environment(this.clock, service, { gate, signal: worker.stop.signal });
		this.#workers.push(worker);
		this.#lists.push(sendAll(env, count, { maxWaitMs: Infinity }));
	}

	/** Returns which share of the plan was used when all have sent their lists. */
	async untilDone(): Promise<number> {
		const sent = (await this.clock.until(Promise.all(this.#lists))).map(successes);
		const { limit, seconds } = this.#settings;
		return sent.reduce((sum, count) => sum + count) / ((limit * this.clock.now()) / (seconds * 1000));
	}

	/** Stops all from this one on. */
	stopFrom(first: number): void {
		for (const { stop } of this.#workers.slice(first)) stop.abort();
	}

	/** Lets this much time pass. Returns which share of the plan each used, and all, and which share was refused. */
	async during(ms: number): Promise<{ each: number[]; used: number; refused: number }> {
		const from = this.clock.now();
		await this.clock.pass(ms);
		const { limit, seconds } = this.#settings;
		const whole = (limit * ms) / (seconds * 1000);
		const ended = this.#workers.map(({ log }) => log.filter(({ at }) => at > from));
		const each = ended.map((requests) => requests.filter(({ taken }) => taken).length / whole);
		const all = ended.flat();
		return {
			each,
			used: each.reduce((sum, share) => sum + share, 0),
			refused: all.filter(({ taken }) => !taken).length / all.length,
		};
	}
}

/** A plan of 50 per second, round trips of this length, some of them twice as long, and when each worker begins. */
interface Case extends Pick<Required<SimulationSettings>, 'algorithm' | 'retryAfter'> {
	tripMs: number;
	isUneven: boolean;
	moments: number[];
}

function workersOf({ tripMs, isUneven, algorithm, retryAfter }: Case): Workers {
	const next = drawn(18);
	const way = () => (tripMs / 2) * (isUneven ? 1 + next() : 1);
	const latency = () => ({ thereMs: way(), backMs: way() });
	const plan = { limit: 50, seconds: 1, phaseMs: 370, visible: true };
	return new Workers({ ...plan, algorithm, retryAfter, latency });
}

const together = [0, 0, 0];
const oneByOne = [0, 300, 800];
const later = [0, 10_000, 20_000];

const cases = (['sliding', 'fixed'] as const).flatMap((algorithm, n) =>
	(['seconds', 'date', 'none'] as const).flatMap((retryAfter, m) =>
		[20].flatMap((tripMs) =>
			[together, oneByOne, later].map((moments, k): Case => {
				const workers = (n + m + k) % 2 === 0 ? 2 : 3;
				return { algorithm, tripMs, isUneven: k === 1, retryAfter, moments: moments.slice(0, workers) };
			}),
		),
	),
);

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1];

test('two or three workers that share a plan use it and send alike, and the last one takes it back', async () => {
	const used: number[] = [];
	const refused: number[] = [];
	/** The smallest part of a fair share. */
	const least: number[] = [];
	const alone: number[] = [];
	for (const each of cases) {
		const workers = workersOf(each);
		for (const moment of each.moments) await workers.startAt(moment);
		await workers.clock.pass(10_000);
		const shared = await workers.during(60_000);
		used.push(shared.used);
		refused.push(shared.refused);
		least.push(Math.min(...shared.each) * each.moments.length);

		workers.stopFrom(1);
		await workers.clock.pass(30_000);
		// A slot is free one window after the answer.
		const tripMs = each.tripMs * (each.isUneven ? 1.5 : 1);
		alone.push((await workers.during(10_000)).used * (1 + tripMs / 1000));
		workers.stopFrom(0);
		await workers.clock.pass(1000);
	}
	expect(median(used)).toBeGreaterThanOrEqual(0.85);
	expect(Math.min(...used)).toBeGreaterThanOrEqual(0.8);
	expect(median(refused)).toBeLessThanOrEqual(0.04);
	expect(Math.min(...least)).toBeGreaterThanOrEqual(0.6);
	expect(Math.min(...alone)).toBeGreaterThanOrEqual(0.95);
});

test.each([
	[100, 0.55],
	[1000, 0.75],
	[5000, 0.82],
])('workers with lists of %i each use most of the plan until the last one is done', async (count, most) => {
	const used: number[] = [];
	for (const each of cases.filter((_, n) => n % (count < 1000 ? 3 : 9) === 0)) {
		const workers = workersOf(each);
		for (const moment of each.moments.map((at) => Math.min(at, 1000))) await workers.startAt(moment, count);
		used.push(await workers.untilDone());
	}
	expect(median(used)).toBeGreaterThanOrEqual(most);
});

test.each([5, 20])('one worker alone uses 95 %% of the plan at %i ms', async (tripMs) => {
	for (const algorithm of ['sliding', 'fixed'] as const) {
		const workers = workersOf({ algorithm, tripMs, isUneven: false, retryAfter: 'seconds', moments: [0] });
		await workers.startAt(0);
		await workers.clock.pass(5000);
		const { used, refused } = await workers.during(20_000);
		workers.stopFrom(0);
		await workers.clock.pass(1000);
		expect(used).toBeGreaterThanOrEqual(0.95);
		expect(refused).toBe(0);
	}
});
