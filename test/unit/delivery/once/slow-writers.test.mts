/** Workers that share n8n's store while reads and writes are slow. Set ONCE_SEEDS to run more rounds. */
import fc from 'fast-check';

import { KeyRow } from '../../../../nodes/Messaging/delivery/once/key-row.ts';
import { OnceKeys } from '../../../../nodes/Messaging/delivery/once/once-keys.ts';
import type { Ticket } from '../../../../nodes/Messaging/delivery/once/ticket.ts';
import { runs } from '../../../runs.mts';
import { FakeClock } from '../fake-clock.mts';
import { type Access, N8nStore } from './n8n-store.mts';
import { drawn } from './processes.mts';

const signal = new AbortController().signal;

function runOf(row: KeyRow, shared: N8nStore, mostKeys = 10_000): OnceKeys {
	return new OnceKeys(row, { scope: 'x', store: shared.store(), messages: 300, mostKeys, signal });
}

interface Slowness {
	/** The mean duration of a read or a write. */
	ms: number;
	/** The share of accesses that take longer, and by how much: on average, or `always`. */
	stalls?: { share: number; ms: number; always?: boolean };
}

/** Plays workers that handle five events of four messages, each delivered three times within a second. */
async function play(seed: number, workerCount: number, { ms, stalls }: Slowness) {
	const clock = new FakeClock();
	const random = drawn(seed);
	const about = (mean: number): number => -mean * Math.log(1 - random());
	const takes = (): number =>
		about(ms) + (stalls !== undefined && random() < stalls.share ? stalled(stalls) : 0);
	const stalled = (stall: { ms: number; always?: boolean }): number =>
		stall.always === true ? stall.ms : about(stall.ms);
	const shared = new N8nStore(clock, (): Access => ({ readMs: takes(), writeMs: takes() }));
	const workers = Array.from({ length: workerCount }, () => new KeyRow(clock, random));
	const times = new Map<string, number>();
	let takenForSent = 0;
	let inDoubt = 0;

	const send = async (ticket: Ticket): Promise<void> => {
		const claimed = await ticket.claimed;
		if (claimed === 'sent' && !times.has(ticket.key)) takenForSent += 1;
		if (claimed === 'open') inDoubt += 1;
		if (claimed !== 'free') return ticket.end('open');
		times.set(ticket.key, (times.get(ticket.key) ?? 0) + 1);
		await clock.sleep(random() * 50);
		ticket.end('sent');
	};
	const deliver = async (row: KeyRow, event: number): Promise<void> => {
		await clock.sleep(random() * 1000);
		const run = runOf(row, shared);
		await Promise.all([0, 1, 2, 3].map(async (n) => await send(run.want(`${event}-${n}`, 60_000))));
		await run.close();
	};
	const deliveries = Array.from({ length: 15 }, async (_, n) => {
		const worker = workers[Math.floor(random() * workerCount)] as KeyRow;
		await deliver(worker, n % 5);
	});
	await clock.until(Promise.all(deliveries));
	// What a look at a sent key leaves in the row is removed soon.
	await clock.pass(60_000);
	const leftOpen = shared.marks.filter((mark) => mark.endsWith(' open')).length;
	const twice = [...times.values()].filter((count) => count > 1).length;
	return { sent: times.size, twice, takenForSent, inDoubt, leftOpen };
}

const seedCount = Number(process.env['ONCE_SEEDS'] ?? 5);
const seeds = Array.from({ length: seedCount }, (_, n) => n + 1);

test.each<[number, string, Slowness]>([
	[2, 'fast', { ms: 3 }],
	[3, 'fast', { ms: 3 }],
	[2, 'slow', { ms: 30 }],
	[3, 'slow', { ms: 30 }],
	[3, 'slower', { ms: 60 }],
	[2, 'fast, but for one in ten', { ms: 5, stalls: { share: 0.1, ms: 150 } }],
	[3, 'fast, but for one in ten', { ms: 5, stalls: { share: 0.1, ms: 150 } }],
	[3, 'slow, and one in ten much slower', { ms: 20, stalls: { share: 0.1, ms: 300 } }],
	[
		3,
		'fast, but one in twenty takes two seconds',
		{ ms: 5, stalls: { share: 0.05, ms: 2000, always: true } },
	],
])(
	'%i workers whose writes are %s: each message goes out once, and none is in doubt',
	async (workerCount, _, slowness) => {
		for (const seed of seeds) {
			const result = await play(seed, workerCount, slowness);
			expect({ seed, ...result }).toEqual({
				...{ seed, sent: 20, twice: 0, takenForSent: 0, inDoubt: 0, leftOpen: 0 },
			});
		}
	},
);

test('the same 40 keys at three processes, three times at once, with stalls of up to 200 ms: each once, none in doubt', async () => {
	for (const seed of seeds) {
		const clock = new FakeClock();
		const random = drawn(seed);
		const takes = (): number => 2 + (random() < 0.2 ? random() * 200 : 0);
		const shared = new N8nStore(clock, () => ({ readMs: takes(), writeMs: takes() }));
		const ends: string[] = [];
		const execution = async (row: KeyRow): Promise<void> => {
			const run = runOf(row, shared);
			const one = async (n: number): Promise<void> => {
				const ticket = run.want(`key ${n}`, 60_000);
				const claimed = await ticket.claimed;
				ends.push(typeof claimed === 'string' ? claimed : claimed.outcome);
				await clock.sleep(random() * 50);
				ticket.end(claimed === 'free' ? 'sent' : 'open');
			};
			await Promise.all(Array.from({ length: 40 }, async (_, n) => await one(n)));
			await run.close();
		};
		const rows = [0, 1, 2].map(() => new KeyRow(clock, random));
		await clock.until(Promise.all([...rows, ...rows, ...rows].map(execution)));
		const count = (end: string): number => ends.filter((other) => other === end).length;
		expect({ seed, mine: count('free'), sent: count('sent') }).toEqual({ seed, mine: 40, sent: 320 });
	}
});

test.each([3, 15])(
	'a run of 300 messages, and two workers that start in the middle with the same ones, each write of about %i ms: each goes out once',
	async (ms) => {
		const count = 300;
		for (const seed of seeds) {
			const clock = new FakeClock();
			const random = drawn(seed);
			const takes = (): number => -ms * Math.log(1 - random());
			const shared = new N8nStore(clock, () => ({ readMs: takes(), writeMs: takes() }));
			const times = Array.from({ length: count }, () => 0);
			const come = { at: 100 + random() * 700, from: Math.floor(random() * count) };
			const worker = async (at: number, from: number): Promise<void> => {
				await clock.sleep(at);
				const run = runOf(new KeyRow(clock, random), shared);
				const send = async (n: number): Promise<void> => {
					const ticket = run.want(`event ${n}`, 60_000);
					if ((await ticket.claimed) !== 'free') return ticket.end('open');
					times[n] = (times[n] ?? 0) + 1;
					await clock.sleep(random() * 50);
					ticket.end('sent');
				};
				await Promise.all(times.map(async (_, n) => n < from || (await send(n))));
				await run.close();
			};
			const others = [0, 1].map(async () => await worker(come.at + random() * 25, come.from));
			await clock.until(Promise.all([worker(0, 0), ...others]));
			expect(times).toEqual(times.map(() => 1));
		}
	},
);

test('ten workers that write without a pause: none waits for the lock for long', async () => {
	for (const seed of seeds) {
		const clock = new FakeClock();
		const random = drawn(seed);
		const shared = new N8nStore(clock, () => ({ readMs: random() * 4, writeMs: random() * 4 }));
		const waits: number[] = [];
		const worker = async (name: number): Promise<void> => {
			const row = new KeyRow(clock, random);
			for (let n = 0; n < 30; n++) {
				const run = runOf(row, shared);
				const began = clock.now();
				const ticket = run.want(`worker ${name} message ${n}`, 60_000);
				expect(await ticket.claimed).toBe('free');
				waits.push(clock.now() - began);
				ticket.end('sent');
				await run.close();
			}
		};
		await clock.until(Promise.all(Array.from({ length: 10 }, async (_, name) => await worker(name))));
		expect(waits).toHaveLength(300);
		// Holding the lock takes about 12 ms: 110 ms with nine others in front.
		expect(Math.max(...waits)).toBeLessThan(1500);
	}
}, 600_000);

describe('a database that takes seconds for each statement', () => {
	/** Workers that send five messages each, one after the other; returns how their claims ended. */
	const claims = async (seed: number, workerCount: number, statementMs: number): Promise<string[]> => {
		const clock = new FakeClock();
		const random = drawn(seed);
		const takes = (): number => statementMs * (0.8 + 0.4 * random());
		const shared = new N8nStore(clock, () => ({ readMs: takes(), writeMs: takes() }));
		const ends: string[] = [];
		const worker = async (name: number): Promise<void> => {
			const row = new KeyRow(clock, random);
			for (let n = 0; n < 5; n++) {
				const run = runOf(row, shared);
				const ticket = run.want(`worker ${name} message ${n}`, 60_000);
				const claimed = await ticket.claimed;
				ends.push(typeof claimed === 'string' ? claimed : claimed.message);
				if (claimed === 'free') ticket.end('sent');
				await run.close();
			}
		};
		await clock.until(
			Promise.all(Array.from({ length: workerCount }, async (_, name) => await worker(name))),
		);
		return ends;
	};

	test.each([2, 3, 10])('one, and %i workers: each message has its key in the end', async (workerCount) => {
		for (const seed of seeds) {
			expect(new Set(await claims(seed, workerCount, 1000))).toEqual(new Set(['free']));
		}
	});

	test('one, and two workers with the same event: it is sent once, and not in doubt for the other', async () => {
		for (const seed of seeds) {
			const clock = new FakeClock();
			const random = drawn(seed);
			const takes = (): number => 1000 * (0.8 + 0.4 * random());
			const shared = new N8nStore(clock, () => ({ readMs: takes(), writeMs: takes() }));
			const worker = async (at: number): Promise<unknown> => {
				await clock.sleep(at);
				const run = runOf(new KeyRow(clock, random), shared);
				const ticket = run.want('event', 60_000);
				const claimed = await ticket.claimed;
				if (claimed === 'free') ticket.end('sent');
				await run.close();
				return claimed;
			};
			expect(await clock.until(Promise.all([worker(0), worker(5000)]))).toEqual(['free', 'sent']);
		}
	});

	test('two: nothing is sent, and nothing is said of a Remove Duplicates node', async () => {
		const said = 'The item was not sent: its key could not be noted';
		for (const seed of seeds) expect(new Set(await claims(seed, 3, 2000))).toEqual(new Set([said]));
	});
});

describe('two workers', () => {
	const ms = (most: number) => fc.integer({ min: 0, max: most });

	/** The accesses of a process: those that a test sets, then fast ones. */
	const storeOf = (shared: N8nStore, next: { access: Access }, accesses: Access[]) => {
		const store = shared.store();
		const set = (): void => {
			next.access = accesses.shift() ?? { readMs: 1, writeMs: 1 };
		};
		return {
			...store,
			record: async (marks: readonly string[], most: number) => (set(), await store.record(marks, most)),
			remove: async (marks: readonly string[]) => (set(), await store.remove(marks)),
		};
	};

	test('with the same events, however their first reads of up to 150 ms and writes of up to 300 meet: each goes out once', async () => {
		const access = fc.record({ readMs: ms(150), writeMs: ms(300) });
		const worker = fc.record({
			at: fc.array(ms(600), { minLength: 2, maxLength: 4 }),
			accesses: fc.array(access, { maxLength: 3 }),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(worker, { minLength: 2, maxLength: 2 }), async (workers) => {
				const clock = new FakeClock();
				const next = { access: { readMs: 1, writeMs: 1 } };
				const shared = new N8nStore(clock, () => next.access);
				const sent = new Map<string, number>();
				const one = async ({ at, accesses }: (typeof workers)[number]): Promise<void> => {
					const row = new KeyRow(clock, () => 0.5);
					const store = storeOf(shared, next, [...accesses]);
					const deliver = async (after: number, event: number): Promise<void> => {
						await clock.sleep(after);
						const run = new OnceKeys(row, { scope: 'x', store, messages: 1, mostKeys: 10_000, signal });
						const ticket = run.want(`event ${event}`, 60_000);
						const isMine = (await ticket.claimed) === 'free';
						if (isMine) sent.set(ticket.key, (sent.get(ticket.key) ?? 0) + 1);
						ticket.end(isMine ? 'sent' : 'open');
						await run.close();
					};
					await Promise.all(at.map(deliver));
				};
				await clock.until(Promise.all(workers.map(one)));
				expect([...sent].filter(([, times]) => times > 1)).toEqual([]);
			}),
			runs(Math.min(seedCount * 10, 200)),
		);
	});
});

test('what a message waits for is the store, not the clock: with a quick one it has its key within some milliseconds', async () => {
	const clock = new FakeClock();
	const shared = new N8nStore(clock);
	const ticket = runOf(new KeyRow(clock, () => 0.5), shared).want('a', 0);
	expect(await clock.until(ticket.claimed)).toBe('free');
	expect(clock.now()).toBeLessThan(10);
	// The lock, the claim, and the release of the lock, which it does not wait for.
	expect(shared.accesses).toBeLessThanOrEqual(3);
});
