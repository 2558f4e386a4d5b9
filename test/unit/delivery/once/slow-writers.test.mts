/** Workers that share n8n's store while reads and writes are slow. Set ONCE_SEEDS to run more rounds. */
import { FakeClock } from '../fake-clock.mts';
import { N8nStore } from './n8n-store.mts';
import { drawn, Process } from './processes.mts';

const seeds = Array.from({ length: Number(process.env['ONCE_SEEDS'] ?? 5) }, (_, n) => n + 1);
const numbered = (count: number, name: string): string[] =>
	Array.from({ length: count }, (_, n) => `${name} ${n}`);

/** Workers with one store. */
class Workers {
	readonly clock = new FakeClock();
	readonly random: () => number;
	readonly shared: N8nStore;
	/** How often each key was sent. */
	readonly sent = new Map<string, number>();
	/** How the claims ended; `lost` if a key counts as sent that was not. */
	readonly ends: string[] = [];

	/** @param takes how long a read, or a write, takes */
	constructor(seed: number, takes: (random: () => number) => number) {
		this.random = drawn(seed);
		this.shared = new N8nStore(this.clock, () => ({
			readMs: takes(this.random),
			writeMs: takes(this.random),
		}));
	}

	/** Another worker. */
	worker(): Process {
		return new Process(this.clock, this.shared, this.random);
	}

	/** Sends under these keys, all at once, in an execution that begins at this time. Returns how long that took. */
	async execution(worker: Process, keys: readonly string[], at = 0): Promise<number> {
		const { clock, ends, random, sent } = this;
		await clock.sleep(at);
		const began = clock.now();
		const run = worker.run({ messages: 300 });
		const send = async (key: string): Promise<void> => {
			const ticket = run.claim(key, 60_000);
			const claimed = await ticket.result;
			if (claimed === 'sent' && !sent.has(key)) ends.push('lost');
			else ends.push(typeof claimed === 'string' ? claimed : claimed.message);
			if (claimed === 'free') {
				sent.set(key, (sent.get(key) ?? 0) + 1);
				await clock.sleep(random() * 50);
			}
			ticket.end(claimed === 'free' ? 'sent' : 'inDoubt');
		};
		await Promise.all(keys.map(send));
		await run.close();
		return clock.now() - began;
	}

	/** Each key went out once, and none was in doubt for anybody. */
	async expectOnce(keys: number, executions: Array<Promise<unknown>>): Promise<void> {
		await this.clock.until(Promise.all(executions));
		expect([...this.sent.values()]).toEqual(Array(keys).fill(1));
		expect([...new Set(this.ends)].filter((end) => end !== 'free')).toEqual(['sent']);
		// What a look at a sent key leaves in the row is removed soon.
		await this.clock.pass(60_000);
		expect(this.shared.marks.filter((mark) => mark.endsWith(' open'))).toEqual([]);
	}
}

const about = (meanMs: number, random: () => number): number => -meanMs * Math.log(1 - random());

/** A mean of so many milliseconds; and one in so many takes longer by another mean. */
const mostly =
	(meanMs: number, oneIn = Infinity, stallMs = 0) =>
	(random: () => number): number =>
		about(meanMs, random) + (random() < 1 / oneIn ? about(stallMs, random) : 0);

test.each<[workers: number, string, takes: (random: () => number) => number]>([
	[2, 'fast', mostly(3)],
	[3, 'fast', mostly(3)],
	[2, 'slow', mostly(30)],
	[3, 'slow', mostly(30)],
	[3, 'slower', mostly(60)],
	[2, 'fast, but for one in ten', mostly(5, 10, 150)],
	[3, 'fast, but for one in ten', mostly(5, 10, 150)],
	[3, 'slow, and one in ten much slower', mostly(20, 10, 300)],
	[
		3,
		'fast, but one in twenty takes two seconds',
		(random) => about(5, random) + (random() < 0.05 ? 2000 : 0),
	],
])(
	'%i workers whose writes are %s, each of five events three times: each message goes out once, and none is in doubt',
	async (count, _, takes) => {
		for (const seed of seeds) {
			const workers = new Workers(seed, takes);
			const all = Array.from({ length: count }, () => workers.worker());
			const executions = Array.from({ length: 15 }, async (_each, n) => {
				const worker = all[Math.floor(workers.random() * count)] as Process;
				return await workers.execution(worker, numbered(4, `${n % 5}`), workers.random() * 1000);
			});
			await workers.expectOnce(20, executions);
		}
	},
);

test.each([3, 15])(
	'a run of 300 messages, and two workers that start in the middle with the same ones, each write of about %i ms: each goes out once',
	async (ms) => {
		for (const seed of seeds) {
			const workers = new Workers(seed, (random) => about(ms, random));
			const keys = numbered(300, 'event');
			const at = 100 + workers.random() * 700;
			const from = Math.floor(workers.random() * 300);
			const others = [0, 1].map(
				async () => await workers.execution(workers.worker(), keys.slice(from), at + workers.random() * 25),
			);
			await workers.expectOnce(300, [workers.execution(workers.worker(), keys), ...others]);
		}
	},
);

/** Workers that send one message after the other; returns how long each took. */
const oneByOne = async (workers: Workers, count: number, messages: number): Promise<number[]> => {
	const waits: number[] = [];
	const sendOn = async (name: number): Promise<void> => {
		const worker = workers.worker();
		for (const key of numbered(messages, `worker ${name}`))
			waits.push(await workers.execution(worker, [key]));
	};
	await workers.clock.until(
		Promise.all(Array.from({ length: count }, async (_, name) => await sendOn(name))),
	);
	return waits;
};

test('ten workers that write without a pause: none waits for the lock for long', async () => {
	for (const seed of seeds) {
		const workers = new Workers(seed, (random) => random() * 4);
		const waits = await oneByOne(workers, 10, 30);
		expect(workers.ends).toEqual(Array(300).fill('free'));
		// Holding the lock takes about 12 ms: 110 ms with nine others in front.
		expect(Math.max(...waits)).toBeLessThan(1500);
	}
}, 600_000);

describe('a database that takes seconds for each statement', () => {
	const slow = (seed: number, ms: number) => new Workers(seed, (random) => ms * (0.8 + 0.4 * random()));

	test.each([2, 3, 10])('one, and %i workers: each message has its key in the end', async (count) => {
		for (const seed of seeds) {
			const workers = slow(seed, 1000);
			await oneByOne(workers, count, 5);
			expect(new Set(workers.ends)).toEqual(new Set(['free']));
		}
	});

	test('one, and two workers with the same event: it is sent once, and not in doubt for the other', async () => {
		for (const seed of seeds) {
			const workers = slow(seed, 1000);
			const executions = [0, 5000].map((at) => workers.execution(workers.worker(), ['event'], at));
			await workers.expectOnce(1, executions);
		}
	});

	test('two: nothing is sent, and nothing is said of a Remove Duplicates node', async () => {
		for (const seed of seeds) {
			const workers = slow(seed, 2000);
			await oneByOne(workers, 3, 5);
			expect(new Set(workers.ends)).toEqual(new Set(['The item was not sent: its key could not be noted']));
		}
	});
});

test('what a message waits for is the store, not the clock: with a quick one it has its key within some milliseconds', async () => {
	const workers = new Workers(1, () => 1);
	const run = workers.worker().run({ messages: 1 });
	expect(await workers.clock.until(run.claim('a', 0).result)).toBe('free');
	expect(workers.clock.now()).toBeLessThan(10);
	// The lock and the claim. It does not wait for the release of the lock, and a look whether the row was empty.
	expect(workers.shared.accesses).toBeLessThanOrEqual(5);
});
