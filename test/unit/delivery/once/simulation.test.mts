/**
 * Workers that share n8n's store while statements are slow or fail, and while workers die or freeze: nothing is sent twice,
 * and nothing is lost in silence. The cases are data. Set ONCE_SEEDS to run more rounds of each.
 */
import { type Access, goOn, releasedNever } from './n8n-store.mts';
import { drawn, numbered, type Process, processes, send } from './processes.mts';

type Random = () => number;

/** Some executions of some workers. */
interface Case {
	readonly workers: number;
	/** How long reading a row takes, or writing it; or all about the next access. */
	readonly takes: (random: Random) => number | Access;
	/** When each execution starts, at which worker, under which keys; and how long a message takes, if not up to 50 ms. */
	readonly executions: (random: Random) => Array<{
		readonly at: number;
		readonly worker: number;
		readonly keys: readonly string[];
		readonly takesMs?: number;
	}>;
	/** How many workers die, and how often one freezes for up to 15 seconds, at any moment of the first half minute. */
	readonly deaths?: number;
	readonly freezes?: number;
	/** Whether a worker has died with the lease. */
	readonly leaseLeft?: boolean;
	/** How claims may end. */
	readonly ends: readonly string[];
	/** The longest time, in milliseconds, that an execution may take. */
	readonly within?: number;
}

const seeds = Array.from({ length: Number(process.env['ONCE_SEEDS'] ?? 5) }, (_, n) => n + 1);
const about = (meanMs: number, random: Random): number => -meanMs * Math.log(1 - random());
/** A mean of so many milliseconds; and one in so many takes longer by another mean. */
const mostly =
	(meanMs: number, oneIn = Infinity, stallMs = 0) =>
	(random: Random): number =>
		about(meanMs, random) + (random() < 1 / oneIn ? about(stallMs, random) : 0);
/** Each access takes this long, a fifth more or less; one in so many fails, before or after it has taken effect. */
const failing =
	(meanMs: number, oneIn: number) =>
	(random: Random): Access => ({
		...{ readMs: about(meanMs, random), writeMs: about(meanMs, random) },
		fails: random() > 1 / oneIn ? undefined : random() < 0.5 ? 'before' : 'after',
	});
const seconds = (ms: number) => (random: Random) => ms * (0.8 + 0.4 * random());

/** So many executions at any worker within a time, each of one of five events. */
const events =
	(workers: number, count: number, withinMs: number): Case['executions'] =>
	(random) =>
		Array.from({ length: count }, (_, n) => ({
			at: random() * withinMs,
			worker: Math.floor(random() * workers),
			keys: numbered(4, `event ${n % 5}`),
		}));
/** A run of 300 messages, and two workers that start in the middle of it with the rest of them. */
const joined: Case['executions'] = (random) => {
	const keys = numbered(300);
	const from = Math.floor(random() * 300);
	const at = 100 + random() * 700;
	const others = [1, 2].map((worker) => ({ at: at + random() * 25, worker, keys: keys.slice(from) }));
	return [{ at: 0, worker: 0, keys }, ...others];
};
/** Each worker sends messages of its own, one execution each, as fast as it can. */
const own =
	(workers: number, count: number): Case['executions'] =>
	() =>
		Array.from({ length: workers * count }, (_, n) => ({
			at: 0,
			worker: n % workers,
			keys: [`message ${n}`],
		}));
const sameEvent =
	(...at: number[]): Case['executions'] =>
	() =>
		at.map((ms, worker) => ({ at: ms, worker, keys: ['event'], takesMs: 1000 }));

const once = ['free', 'sent'];
/** `busy`: a lease that a frozen or dead worker holds keeps others of the process waiting. */
const anyEnd = [...once, 'inDoubt', 'busy', 'The item was not sent: its key could not be noted'];

const cases: Record<string, Case> = {
	'statements are fast': { workers: 3, takes: mostly(3), executions: events(3, 15, 1000), ends: once },
	'statements are slow': { workers: 3, takes: mostly(30), executions: events(3, 15, 1000), ends: once },
	'statements are slower': { workers: 3, takes: mostly(60), executions: events(3, 15, 1000), ends: once },
	'one statement in ten is slow': {
		...{ workers: 3, takes: mostly(5, 10, 150), executions: events(3, 15, 1000), ends: once },
	},
	'statements are slow, and one in ten is much slower': {
		...{ workers: 3, takes: mostly(20, 10, 300), executions: events(3, 15, 1000), ends: once },
	},
	'one statement in twenty takes two seconds': {
		workers: 3,
		takes: (random) => about(5, random) + (random() < 0.05 ? 2000 : 0),
		...{ executions: events(3, 15, 1000), ends: once },
	},
	'a long run, and two that join it': { workers: 3, takes: mostly(3), executions: joined, ends: once },
	'the same with slow statements': { workers: 3, takes: mostly(15), executions: joined, ends: once },
	'ten workers without a pause, none of which waits for long': {
		...{ workers: 10, takes: (random) => random() * 4, executions: own(10, 30), ends: ['free'] },
		// Nine others are in front, with about 12 ms each; but the next one is drawn by lot.
		within: 2500,
	},
	'a second for each statement: one worker': {
		...{ workers: 1, takes: seconds(1000), executions: own(1, 5), ends: ['free'] },
	},
	'a second for each statement: ten workers': {
		...{ workers: 10, takes: seconds(1000), executions: own(10, 3), ends: ['free'] },
	},
	'a second for each statement: two workers with the same event': {
		...{ workers: 2, takes: seconds(1000), executions: sameEvent(0, 5000), ends: once },
	},
	'four seconds for each statement: nothing is sent': {
		...{ workers: 3, takes: seconds(4000), executions: own(3, 3) },
		ends: ['The item was not sent: its key could not be noted'],
	},
	'a worker has died with the lease: two workers with the same event': {
		...{ workers: 2, takes: mostly(3), leaseLeft: true, executions: sameEvent(0, 10), ends: once },
		within: 25_000,
	},
	'a worker has died with the lease: ten workers': {
		...{ workers: 10, takes: mostly(20), leaseLeft: true, executions: own(10, 1), ends: ['free'] },
		within: 25_000,
	},
	'workers die': {
		...{ workers: 5, takes: mostly(10), executions: events(5, 60, 30_000), deaths: 3, ends: anyEnd },
	},
	'workers freeze, and die': {
		...{ workers: 5, takes: mostly(30), executions: events(5, 60, 30_000), deaths: 2, freezes: 6 },
		ends: anyEnd,
	},
	'statements are slow and stall, workers freeze, and die': {
		...{ workers: 4, takes: mostly(20, 10, 300), executions: events(4, 40, 30_000), deaths: 2, freezes: 4 },
		ends: anyEnd,
	},
	'statements fail, and workers die': {
		...{ workers: 4, takes: failing(10, 10), executions: events(4, 40, 30_000), deaths: 2, ends: anyEnd },
	},
};

/** Plays a case. Returns how often each message was sent, how the claims ended, and how long executions took at most. */
async function play(each: Case, seed: number) {
	const random = drawn(seed);
	const nextAccess = (): Access => {
		const access = each.takes(random);
		return typeof access === 'object' ? access : { readMs: access, writeMs: each.takes(random) as number };
	};
	const { clock, made, shared } = processes(each.workers, nextAccess, random);
	if (each.leaseLeft === true) shared.put('workflow', releasedNever);
	const sent = new Map<string, number>();
	const ends: string[] = [];
	let longest = 0;
	const execute = async (
		worker: Process,
		keys: readonly string[],
		takesMs = random() * 50,
	): Promise<void> => {
		const began = clock.now();
		const run = worker.run({ messages: 300 });
		const sendOne = async (key: string): Promise<void> => {
			const claim = run.claim(key, 60_000);
			void claim.result.then((found) => {
				const isLost = found === 'sent' && !sent.has(key);
				ends.push(isLost ? 'lost' : typeof found === 'string' ? found : found.message);
			});
			await send(claim, 'sent', async () => {
				await goOn(clock, worker.life);
				sent.set(key, (sent.get(key) ?? 0) + 1);
				await worker.clock.sleep(takesMs);
			});
		};
		await Promise.all(keys.map(sendOne));
		await run.close();
		longest = Math.max(longest, clock.now() - began);
	};
	const happen = (times: number, what: (worker: Process) => void): void => {
		for (let n = 0; n < times; n++) {
			const worker = (): Process => made[Math.floor(random() * each.workers)] as Process;
			void clock.sleep(random() * 30_000).then(() => what(worker()));
		}
	};
	happen(each.deaths ?? 0, (worker) => worker.kill());
	happen(each.freezes ?? 0, (worker) => worker.freeze(500 + random() * 14_400));
	// Executions that begin at the same time come one after the other at each worker.
	const before = new Map<string, Promise<void>>();
	for (const { at, keys, takesMs, worker } of each.executions(random)) {
		const turn = `${worker} ${at}`;
		const begins = before.get(turn) ?? clock.sleep(at);
		before.set(
			turn,
			begins.then(async () => await execute(made[worker] as Process, keys, takesMs)),
		);
	}
	// Those of workers that have died don't end.
	await clock.until(Promise.race([Promise.all(before.values()), clock.sleep(600_000)]));
	return { clock, ends, longest, sent, shared };
}

test.each(Object.entries(cases))('%s', async (_, each) => {
	for (const seed of seeds) {
		const { clock, ends, longest, sent, shared } = await play(each, seed);
		expect([seed, [...sent].filter(([, times]) => times > 1)]).toEqual([seed, []]);
		expect([seed, shared.overlaps]).toEqual([seed, 0]);
		expect(ends.filter((end) => !each.ends.includes(end))).toEqual([]);
		expect(longest).toBeLessThan(each.within ?? Infinity);
		if (each.ends === anyEnd) continue;
		const keys = new Set(each.executions(() => 0).flatMap((one) => one.keys));
		expect(sent.size).toBe(each.ends.includes('free') ? keys.size : 0);
		// What a check of a sent key adds to the row is removed soon.
		await clock.pass(60_000);
		expect(shared.marks.filter((mark) => mark.endsWith(' open'))).toEqual([]);
	}
});
