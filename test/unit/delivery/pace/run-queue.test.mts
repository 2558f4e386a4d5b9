import fc from 'fast-check';

import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from '../fake-clock.mts';
import { runJobs } from '../run.mts';
import { runs } from '../../../runs.mts';

interface Job {
	lane: string | undefined;
	takesMs: number;
	halts: boolean;
}

/** One item of a test run: a job in a lane or in none, or `null`. */
type Item = Job | null;

/** Runs the items and records what happened when. */
async function observe(items: Item[], maxInFlight?: number, drawMs = 0) {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	// With a known plan, 32 calls may be in flight at once.
	gate.slots.plan = { limit: 1_000_000, windowMs: 1000 };
	const log: Array<{ what: 'drawn' | 'started' | 'ended'; item: number; at: number }> = [];
	let drawn = 0;
	let underWay = 0;
	let most = 0;
	const halt = new AbortController();
	const broken: string[] = [];
	let inTurn = 0;
	let mostInTurn = 0;
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		inTurn = 0;
		await sleep(ms, signal);
	};
	const next = () => {
		const item = drawn++;
		const made = items[item];
		if (made === undefined) return undefined;
		clock.spend(drawMs);
		mostInTurn = Math.max(mostInTurn, ++inTurn);
		log.push({ what: 'drawn', item, at: clock.now() });
		if (made === null) return null;
		const { halts, lane, takesMs } = made;
		const run = async () => {
			if (halt.signal.aborted) broken.push(`${item} started after the halt`);
			underWay += 1;
			most = Math.max(most, underWay);
			log.push({ what: 'started', item, at: clock.now() });
			await clock.sleep(takesMs);
			log.push({ what: 'ended', item, at: clock.now() });
			underWay -= 1;
			if (halts) halt.abort();
		};
		return { lane, run };
	};
	await clock.until(runJobs(clock, next, { gate, maxInFlight, signal: halt.signal }));
	const of = (what: string) => log.filter((entry) => entry.what === what).map(({ item }) => item);
	return {
		log,
		drawn: of('drawn'),
		started: of('started'),
		ended: of('ended'),
		most,
		mostInTurn,
		underWay,
		halted: halt.signal.aborted,
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
				const run = await observe(items, bound);

				expect(run.broken).toEqual([]);
				expect(run.most).toBeLessThanOrEqual(bound);
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

const job = (lane?: string, takesMs = 10): Item => ({ lane, takesMs, halts: false });

test('a long lane holds up no other: jobs behind it overtake it', async () => {
	const items = [...Array.from({ length: 50 }, () => job('slow', 100)), job('fast', 1), job(undefined, 1)];

	const run = await observe(items, 4);

	const ended = (item: number) => run.log.find((entry) => entry.what === 'ended' && entry.item === item)?.at;
	expect(ended(50)).toBeLessThan(10);
	expect(ended(51)).toBeLessThan(10);
	expect(ended(49)).toBe(5000);
});

test('without lanes items start in their order', async () => {
	const items = Array.from({ length: 100 }, () => job());

	expect((await observe(items, 7)).started).toEqual(items.map((_, item) => item));
});

/** How often this happens before the first job ends. */
const beforeFirstEnd = ({ log }: Awaited<ReturnType<typeof observe>>, what: string): number => {
	const end = log.findIndex((entry) => entry.what === 'ended');
	return log.slice(0, end).filter((entry) => entry.what === what).length;
};

test('items are drawn only as they can be started: thousands are not read ahead', async () => {
	const items = Array.from({ length: 5000 }, () => job('one lane', 1));
	const run = await observe(items, 16);

	expect(beforeFirstEnd(run, 'drawn')).toBeLessThanOrEqual(1001);
	expect(run.ended).toHaveLength(5000);
});

test('one turn of the event loop draws for a few milliseconds only', async () => {
	const run = await observe(Array(300).fill(null), 16, 1);

	expect(run.drawn).toHaveLength(300);
	expect(run.mostInTurn).toBeLessThanOrEqual(8);
});

test('one turn starts a portion of requests only', async () => {
	const items = Array.from({ length: 200 }, () => job(undefined, 0));
	const run = await observe(items, 128);

	expect(beforeFirstEnd(run, 'started')).toBe(16);
	expect(run.ended).toHaveLength(200);
});

test('no items, no jobs, and only items without jobs: all end', async () => {
	expect((await observe([], 1)).started).toEqual([]);
	expect((await observe([null, null], 1)).drawn).toEqual([0, 1]);
});

test('a run whose jobs can not be made fails alone: others at the same gate go on', async () => {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	let made = 0;
	const broken = runJobs(
		clock,
		() => {
			if (made++ === 3) throw new Error('No more');
			return { run: async () => await clock.sleep(10) };
		},
		{ gate },
	);
	const over = expect(broken).rejects.toThrow('No more');
	let left = 10;
	let done = 0;
	const next = () => (left-- > 0 ? { run: async () => void (done += 1) } : undefined);
	await clock.until(runJobs(clock, next, { gate }));
	await over;
	expect(done).toBe(10);
});

describe('what jobs need', () => {
	/** A run of jobs that need something, behind a gate that is closed for ten seconds after this many have left. */
	function needy(closesAfter: number) {
		const clock = new FakeClock();
		const gate = new KeyGate(clock, () => 0);
		const claimed: number[] = [];
		const givenBack: number[] = [];
		const left: number[] = [];
		let drawn = 0;
		const next = () => {
			if (drawn >= 100) return undefined;
			const item = drawn++;
			return {
				preparation: {
					getReady: async () => {
						claimed.push(item);
						await clock.sleep(5);
						return true;
					},
					release: () => void givenBack.push(item),
				},
				run: async () => {
					left.push(item);
					await clock.sleep(10);
				},
				end: () => (left.length === closesAfter ? ('later' as const) : ('answered' as const)),
			};
		};
		const halt = new AbortController();
		const over = runJobs(clock, next, { gate, maxInFlight: 4, signal: halt.signal });
		return { clock, claimed, givenBack, halt, left, over };
	}

	test('is claimed for as many more as may be in flight, and for nothing else', async () => {
		const { clock, claimed, over } = needy(Infinity);
		await clock.pass(1);
		expect(claimed).toEqual([0, 1, 2, 3]);
		await clock.until(over);
		expect(claimed).toHaveLength(100);
	});

	test.each([1, 5, 6, 12])('a run that is halted after %s ms ends, also while jobs get it', async (ms) => {
		const { clock, halt, left, over } = needy(Infinity);
		await clock.pass(ms);
		const before = left.length;
		halt.abort();
		await clock.until(over);
		expect(left).toHaveLength(before);
	});

	test('is given back if the gate closes before they have left, and claimed for one when it opens', async () => {
		const { clock, claimed, givenBack, left, over } = needy(8);
		await clock.pass(1000);
		const before = left.length;
		expect(claimed.length - givenBack.length).toBe(before);
		expect(givenBack.length).toBeGreaterThan(0);
		while (left.length === before) await clock.passToNext();
		expect(left).toHaveLength(before + 1);
		expect(clock.now()).toBeGreaterThan(10_000);
		await clock.until(over);
		expect([...left].sort((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, n) => n));
	});
});
