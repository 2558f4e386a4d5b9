import fc from 'fast-check';

import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, nobody, runJobs } from '../run.mts';
import { runs } from '../../../runs.mts';

interface Job {
	lane: string | undefined;
	takesMs: number;
	halts: boolean;
}

/** Runs jobs and records what happened when. */
async function observe(jobs: readonly Job[], maxInFlight?: number) {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	// With a known plan, 32 calls may be in flight at once.
	gate.slots.plan = { limit: 1_000_000, windowMs: 1000 };
	const log: Array<{ what: 'started' | 'ended'; item: number; at: number }> = [];
	let underWay = 0;
	let most = 0;
	const halt = new AbortController();
	const broken: string[] = [];
	const all = jobs.map(({ halts, lane, takesMs }, item) => ({
		lane,
		run: async () => {
			if (halt.signal.aborted) broken.push(`${item} started after the halt`);
			underWay += 1;
			most = Math.max(most, underWay);
			log.push({ what: 'started', item, at: clock.now() });
			await clock.sleep(takesMs);
			log.push({ what: 'ended', item, at: clock.now() });
			underWay -= 1;
			if (halts) halt.abort();
		},
	}));
	await clock.until(runJobs(clock, all, { gate, maxInFlight, signal: halt.signal }));
	const of = (what: string) => log.filter((entry) => entry.what === what).map(({ item }) => item);
	return {
		log,
		started: of('started'),
		ended: of('ended'),
		most,
		underWay,
		halted: halt.signal.aborted,
		broken,
		clock,
	};
}

const anyLane = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
const anyJob: fc.Arbitrary<Job> = fc.record({
	lane: anyLane,
	takesMs: fc.integer({ min: 0, max: 50 }),
	halts: fc.nat({ max: 99 }).map((n) => n === 0),
});
const anyBound = fc.integer({ min: 1, max: 20 });

/** Jobs of a lane may not overlap, and start in item order. */
function laneFaults(jobs: readonly Job[], log: Awaited<ReturnType<typeof observe>>['log']): string[] {
	const faults: string[] = [];
	const busy = new Map<string, number>();
	const last = new Map<string, number>();
	for (const { what, item } of log) {
		const lane = jobs[item]?.lane;
		if (lane === undefined) continue;
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

test('any mix of lanes, latencies and bounds: each job once, in lane order, never more than the bound, and none after a halt', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(anyJob, { maxLength: 80 }), anyBound, async (items, bound) => {
			const run = await observe(items, bound);

			expect(run.broken).toEqual([]);
			expect(run.most).toBeLessThanOrEqual(bound);
			expect(run.underWay).toBe(0);
			expect(new Set(run.started).size).toBe(run.started.length);
			expect([...run.ended].sort((a, b) => a - b)).toEqual([...run.started].sort((a, b) => a - b));
			expect(laneFaults(items, run.log)).toEqual([]);
			if (run.halted) return;
			expect(run.started).toHaveLength(items.length);
		}),
		runs(300),
	);
});

const job = (lane?: string, takesMs = 10): Job => ({ lane, takesMs, halts: false });

test('a long lane holds up no other: jobs behind it overtake it', async () => {
	const items = [...Array.from({ length: 50 }, () => job('slow', 100)), job('fast', 1), job(undefined, 1)];

	const run = await observe(items, 4);

	const ended = (item: number) => run.log.find((entry) => entry.what === 'ended' && entry.item === item)?.at;
	expect(ended(50)).toBeLessThan(10);
	expect(ended(51)).toBeLessThan(10);
	expect(ended(49)).toBe(5000);
});

test('one at a time they start in their order, also behind others of their lane', async () => {
	const items = Array.from({ length: 100 }, (_, n) => job(n % 3 === 0 ? 'lane' : undefined));

	expect((await observe(items, 1)).started).toEqual(items.map((_, item) => item));
});

test('one turn starts a portion of requests only', async () => {
	const items = Array.from({ length: 200 }, () => job(undefined, 0));
	const run = await observe(items, 128);

	expect(run.log.findIndex(({ what }) => what === 'ended')).toBe(16);
	expect(run.ended).toHaveLength(200);
});

test('a run without jobs ends', async () => {
	expect((await observe([])).started).toEqual([]);
});

test('a run with a bug fails alone: others at the same gate go on', async () => {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	const { queue } = environment(clock, nobody, { gate });
	queue.take = () => {
		throw new Error('A bug');
	};
	const job = { lane: undefined, channel: '', maxWaitMs: 0, changes: false, run: () => Promise.resolve() };
	const over = expect(queue.offer([job])).rejects.toThrow('A bug');
	let done = 0;
	const jobs = Array.from({ length: 10 }, () => ({ run: () => Promise.resolve(void (done += 1)) }));
	await clock.until(runJobs(clock, jobs, { gate }));
	await over;
	expect(done).toBe(10);
});

test.each([1, 5, 6, 12])('a run that is halted after %s ms ends, also while jobs get ready', async (ms) => {
	const clock = new FakeClock();
	const halt = new AbortController();
	let ran = 0;
	const jobs = Array.from({ length: 100 }, () => ({
		getReady: async () => {
			await clock.sleep(5);
			return !halt.signal.aborted;
		},
		run: async () => {
			ran += 1;
			await clock.sleep(10);
		},
	}));
	const over = runJobs(clock, jobs, { maxInFlight: 4, signal: halt.signal });
	await clock.pass(ms);
	const before = ran;
	halt.abort();
	await clock.until(over);
	expect(ran).toBe(before);
});
