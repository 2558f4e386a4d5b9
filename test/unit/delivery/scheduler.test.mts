import fc from 'fast-check';

import { schedule, type Work } from '../../../nodes/Messaging/delivery/scheduler.ts';
import { FakeClock } from './fake-clock.mts';
import { runs } from '../../runs.mts';

interface Job {
	item: number;
	lane: string | undefined;
	takesMs: number;
	halts: boolean;
}

/** One item of a test run: a job in a lane or in none, or `null`. */
type Item = Omit<Job, 'item'> | null;

/** Runs the items and records what happened when. */
async function observe(items: Item[], limiter: { readonly bound: number }, drawMs = 0) {
	const clock = new FakeClock();
	const log: Array<{ what: 'drawn' | 'started' | 'ended'; item: number; at: number }> = [];
	let drawn = 0;
	let underWay = 0;
	let most = 0;
	let halted = false;
	const broken: string[] = [];
	let inTurn = 0;
	let mostInTurn = 0;
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms) => {
		inTurn = 0;
		await sleep(ms);
	};
	const work: Work<Job> = {
		next: () => {
			const item = drawn++;
			const made = items[item];
			if (made === undefined) return undefined;
			clock.spend(drawMs);
			mostInTurn = Math.max(mostInTurn, ++inTurn);
			log.push({ what: 'drawn', item, at: clock.now() });
			return made === null ? null : { ...made, item };
		},
		laneOf: ({ lane }) => lane,
		run: async ({ item, takesMs, halts }) => {
			if (halted) broken.push(`${item} started after the halt`);
			underWay += 1;
			most = Math.max(most, underWay);
			if (underWay > limiter.bound) broken.push(`${underWay} under way, the bound is ${limiter.bound}`);
			log.push({ what: 'started', item, at: clock.now() });
			await clock.sleep(takesMs);
			log.push({ what: 'ended', item, at: clock.now() });
			underWay -= 1;
			if (halts) halted = true;
		},
		halted: () => halted,
	};
	await clock.until(schedule(work, limiter, clock));
	const of = (what: string) => log.filter((entry) => entry.what === what).map(({ item }) => item);
	return {
		log,
		drawn: of('drawn'),
		started: of('started'),
		ended: of('ended'),
		most,
		mostInTurn,
		underWay,
		halted,
		broken,
		clock,
	};
}

const anyLane = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
const anyItem = (halts: fc.Arbitrary<boolean>): fc.Arbitrary<Item> =>
	fc.oneof(
		{ weight: 6, arbitrary: fc.record({ lane: anyLane, takesMs: fc.integer({ min: 0, max: 50 }), halts }) },
		{ weight: 1, arbitrary: fc.constant(null) },
	);
const anyBound = fc.integer({ min: 1, max: 20 });

/** Jobs of a lane may not overlap, and start in item order. */
function laneFaults(items: Item[], log: Awaited<ReturnType<typeof observe>>['log']): string[] {
	const faults: string[] = [];
	const busy = new Map<string, number>();
	const last = new Map<string, number>();
	for (const { what, item } of log) {
		const lane = items[item]?.lane;
		if (lane === undefined || what === 'drawn') continue;
		if (what === 'ended') busy.delete(lane);
		else {
			if (busy.has(lane)) faults.push(`${item} started while ${busy.get(lane)} of its lane was under way`);
			if ((last.get(lane) ?? -1) > item) faults.push(`${item} started after ${last.get(lane)}`);
			busy.set(lane, item);
			last.set(lane, item);
		}
	}
	return faults;
}

const jobs = (items: Item[]): number[] => items.flatMap((item, index) => (item === null ? [] : [index]));

test('any mix of lanes, latencies and bounds: each job once, in lane order, never more than the bound, and none after a halt', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyItem(fc.nat({ max: 99 }).map((n) => n === 0)), { maxLength: 80 }),
			anyBound,
			async (items, bound) => {
				const run = await observe(items, { bound });

				expect(run.broken).toEqual([]);
				expect(run.underWay).toBe(0);
				expect(new Set(run.started).size).toBe(run.started.length);
				expect([...run.ended].sort((a, b) => a - b)).toEqual([...run.started].sort((a, b) => a - b));
				expect(laneFaults(items, run.log)).toEqual([]);
				if (run.halted) return;
				expect(run.drawn).toEqual(items.map((_, item) => item));
				expect([...run.started].sort((a, b) => a - b)).toEqual(jobs(items));
			},
		),
		runs(300),
	);
});

test('a bound that changes all the time is never exceeded by a start', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyItem(fc.constant(false)), { maxLength: 60 }),
			fc.array(anyBound, { minLength: 1, maxLength: 30 }),
			async (items, bounds) => {
				let asked = 0;
				let present = bounds[0] ?? 1;
				const started = await observe(items, {
					get bound() {
						// It changes between turns, as a limiter's bound does when answers arrive.
						if (asked++ % 7 === 0) present = bounds[((asked / 7) % bounds.length) | 0] ?? 1;
						return Math.max(present, 1);
					},
				});
				expect([...started.ended].sort((a, b) => a - b)).toEqual(jobs(items));
				expect(started.most).toBeLessThanOrEqual(Math.max(...bounds));
			},
		),
		runs(60),
	);
});

const job = (lane?: string, takesMs = 10): Item => ({ lane, takesMs, halts: false });

test('a long lane holds up no other: jobs behind it overtake it', async () => {
	const items = [...Array.from({ length: 50 }, () => job('slow', 100)), job('fast', 1), job(undefined, 1)];

	const run = await observe(items, { bound: 4 });

	const ended = (item: number) => run.log.find((entry) => entry.what === 'ended' && entry.item === item)?.at;
	expect(ended(50)).toBeLessThan(10);
	expect(ended(51)).toBeLessThan(10);
	expect(ended(49)).toBe(5000);
});

test('without lanes items start in their order', async () => {
	const items = Array.from({ length: 100 }, () => job());

	expect((await observe(items, { bound: 7 })).started).toEqual(items.map((_, item) => item));
});

/** How often this happens before the first job ends. */
const beforeFirstEnd = ({ log }: Awaited<ReturnType<typeof observe>>, what: string): number => {
	const end = log.findIndex((entry) => entry.what === 'ended');
	return log.slice(0, end).filter((entry) => entry.what === what).length;
};

test('items are drawn only as they can be started: thousands are not read ahead', async () => {
	const items = Array.from({ length: 5000 }, () => job('one lane', 1));
	const run = await observe(items, { bound: 16 });

	expect(beforeFirstEnd(run, 'drawn')).toBeLessThanOrEqual(1001);
	expect(run.ended).toHaveLength(5000);
});

test('one turn of the event loop draws for a few milliseconds only', async () => {
	const run = await observe(Array(300).fill(null), { bound: 16 }, 1);

	expect(run.drawn).toHaveLength(300);
	expect(run.mostInTurn).toBeLessThanOrEqual(8);
});

test('one turn starts a portion of requests only', async () => {
	const items = Array.from({ length: 200 }, () => job(undefined, 0));
	const run = await observe(items, { bound: 128 });

	expect(beforeFirstEnd(run, 'started')).toBeLessThanOrEqual(16);
	expect(run.ended).toHaveLength(200);
});

test('no items, no jobs, and only items without jobs: all end', async () => {
	expect((await observe([], { bound: 1 })).started).toEqual([]);
	expect((await observe([null, null], { bound: 1 })).drawn).toEqual([0, 1]);
});

test('while needs could not be used, one job is drawn; then the others go on', async () => {
	const clock = new FakeClock();
	let isHeld = true;
	let drawn = 0;
	const opens = clock.sleep(10_000).then(() => (isHeld = false));
	const claimed: number[] = [];
	const all = schedule<number>(
		{
			next: () => (drawn < 100 ? drawn++ : undefined),
			laneOf: () => undefined,
			needsOf: (item) => {
				claimed.push(item);
				return { claimed: clock.sleep(5), settled: clock.sleep(30_000) };
			},
			heldBack: () => (isHeld ? 'outage' : undefined),
			run: async () => {
				if (isHeld) await opens;
			},
			halted: () => false,
		},
		{ bound: 32 },
		clock,
	);
	await clock.pass(9000);
	// One is tried, and the next one is ready.
	expect(claimed).toEqual([0, 1]);
	await clock.until(all);
	expect(claimed).toHaveLength(100);
	expect(clock.now()).toBeLessThan(11_000);
});
