/** Workers that have just been started, and whose writes take long: n8n's store loses what overlaps. */
import fc from 'fast-check';

import { KeyRow } from '../../../../../nodes/Messaging/delivery/memory/once/key-row.ts';
import { OnceKeys, type Ticket } from '../../../../../nodes/Messaging/delivery/memory/once/once-keys.ts';
import { runs } from '../../../support/arbitraries.ts';
import { FakeClock } from '../../fake-clock.ts';
import { type Access, SharedRow } from './shared-row.ts';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function drawn(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const signal = new AbortController().signal;

function runOf(row: KeyRow, shared: SharedRow, clock: FakeClock, mostKeys = 10_000): OnceKeys {
	return new OnceKeys(row, { scope: 'x', store: shared.store(), mostKeys, clock, signal });
}

interface Slowness {
	/** How long a read or a write takes on the average. */
	ms: number;
	/** How many of them take longer, and by how much on the average. */
	stalls?: { share: number; ms: number };
}

/** How workers that have just been started deal with five events of four messages, each delivered three times. */
async function play(seed: number, workerCount: number, { ms, stalls }: Slowness) {
	const clock = new FakeClock();
	const random = drawn(seed);
	const about = (mean: number): number => -mean * Math.log(1 - random());
	const takes = (): number =>
		about(ms) + (stalls !== undefined && random() < stalls.share ? about(stalls.ms) : 0);
	const shared = new SharedRow(clock, (): Access => ({ readMs: takes(), writeMs: takes() }));
	const workers = Array.from({ length: workerCount }, () => new KeyRow(clock, random, { met: false }));
	const sent = new Map<string, number>();
	const takenForSent: string[] = [];

	const send = async (ticket: Ticket): Promise<void> => {
		const claimed = await ticket.claimed;
		if (claimed === 'sent' && !sent.has(ticket.key)) takenForSent.push(ticket.key);
		if (claimed !== 'mine') return ticket.end('open');
		sent.set(ticket.key, (sent.get(ticket.key) ?? 0) + 1);
		await clock.sleep(random() * 50);
		ticket.end('sent');
	};
	const deliver = async (row: KeyRow, event: number): Promise<void> => {
		await clock.sleep(random() * 1000);
		const run = runOf(row, shared, clock);
		await Promise.all([0, 1, 2, 3].map(async (n) => await send(run.want(`${event}-${n}`, 60_000))));
		await run.close();
	};
	const deliveries = Array.from({ length: 15 }, async (_, n) => {
		const worker = workers[Math.floor(random() * workerCount)] as KeyRow;
		await deliver(worker, n % 5);
	});
	await clock.until(Promise.all(deliveries));
	return { twice: [...sent.values()].filter((times) => times > 1).length, sent: sent.size, takenForSent };
}

/** Set ONCE_SEEDS to look further than the same few. */
const seedCount = Number(process.env['ONCE_SEEDS'] ?? 20);
const seeds = Array.from({ length: seedCount }, (_, n) => n + 1);

test.each<[number, string, Slowness, number]>([
	[2, 'fast', { ms: 3 }, 0],
	[3, 'fast', { ms: 3 }, 0],
	[2, 'half as slow as anybody waits', { ms: 30 }, 0],
	[3, 'half as slow as anybody waits', { ms: 30 }, 0],
	// Of 4,000 messages four, where as many seeds are looked at as that takes.
	[3, 'slower than that', { ms: 60 }, 0.002],
	// One is too slow to protest before the other has looked.
	[2, 'fast, but for one in ten', { ms: 5, stalls: { share: 0.1, ms: 150 } }, 0.002],
	// Here, too, it takes three: one who writes over another, who protests when the third has looked.
	[3, 'fast, but for one in ten', { ms: 5, stalls: { share: 0.1, ms: 150 } }, 0.01],
	[3, 'slow, and one in ten much slower', { ms: 20, stalls: { share: 0.1, ms: 300 } }, 0.01],
])(
	'%i workers whose writes are %s: nothing is taken for sent, and hardly anything is sent twice',
	async (workerCount, _, slowness, twiceAtMost) => {
		let twice = 0;
		const takenForSent: string[] = [];
		for (const seed of seeds) {
			const result = await play(seed, workerCount, slowness);
			twice += result.twice;
			takenForSent.push(...result.takenForSent);
		}
		expect(takenForSent).toEqual([]);
		expect(twice / (20 * seedCount)).toBeLessThanOrEqual(twiceAtMost);
	},
);

test.each([3, 15])(
	'a run of 300 messages, and two workers that come upon it with the same ones, each write of about %i ms: each goes out once',
	async (ms) => {
		const count = 300;
		for (const seed of seeds) {
			const clock = new FakeClock();
			const random = drawn(seed);
			const takes = (): number => -ms * Math.log(1 - random());
			const shared = new SharedRow(clock, () => ({ readMs: takes(), writeMs: takes() }));
			const times = Array.from({ length: count }, () => 0);
			const come = { at: 100 + random() * 700, from: Math.floor(random() * count) };
			const worker = async (at: number, from: number): Promise<void> => {
				await clock.sleep(at);
				const run = runOf(new KeyRow(clock, random, { met: false }), shared, clock);
				const send = async (n: number): Promise<void> => {
					const ticket = run.want(`event ${n}`, 60_000);
					if ((await ticket.claimed) !== 'mine') return ticket.end('open');
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

test('where writes are fast, every message goes out', async () => {
	for (const seed of seeds) expect(await play(seed, 3, { ms: 3 })).toMatchObject({ sent: 20 });
});

describe('first contact', () => {
	const ms = (most: number) => fc.integer({ min: 0, max: most });

	/** Somebody's accesses: those that a test sets, and quick ones after them. */
	const storeOf = (shared: SharedRow, next: { access: Access }, accesses: Access[]) => {
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

	test('two that do not know of each other, with the same events, however their first reads of up to 150 ms and writes of up to 300 meet: each goes out once', async () => {
		const access = fc.record({ readMs: ms(150), writeMs: ms(300) });
		const worker = fc.record({
			at: fc.array(ms(600), { minLength: 2, maxLength: 4 }),
			accesses: fc.array(access, { maxLength: 3 }),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(worker, { minLength: 2, maxLength: 2 }), async (workers) => {
				const clock = new FakeClock();
				const next = { access: { readMs: 1, writeMs: 1 } };
				const shared = new SharedRow(clock, () => next.access);
				const sent = new Map<string, number>();
				const one = async ({ at, accesses }: (typeof workers)[number]): Promise<void> => {
					const row = new KeyRow(clock, () => 0.5, { met: false });
					const store = storeOf(shared, next, [...accesses]);
					const deliver = async (after: number, event: number): Promise<void> => {
						await clock.sleep(after);
						const run = new OnceKeys(row, { scope: 'x', store, mostKeys: 10_000, clock, signal });
						const ticket = run.want(`event ${event}`, 60_000);
						const isMine = (await ticket.claimed) === 'mine';
						if (isMine) sent.set(ticket.key, (sent.get(ticket.key) ?? 0) + 1);
						ticket.end(isMine ? 'sent' : 'open');
						await run.close();
					};
					await Promise.all(at.map(deliver));
				};
				await clock.until(Promise.all(workers.map(one)));
				expect([...sent].filter(([, times]) => times > 1)).toEqual([]);
			}),
			runs(seedCount * 10),
		);
	});
});

/** Processes of n8n, which come one after the other. */
function house(access: () => Access = () => ({ readMs: 1, writeMs: 1 })) {
	const clock = new FakeClock();
	const shared = new SharedRow(clock, access);
	const companies: Array<{ met: boolean }> = [];
	return {
		clock,
		shared,
		comes: (): KeyRow => {
			const company = { met: false };
			companies.push(company);
			return new KeyRow(clock, () => 0.5, company);
		},
		send: async (row: KeyRow, keys: string[], mostKeys?: number) => {
			const run = runOf(row, shared, clock, mostKeys);
			const claims = keys.map(async (key) => {
				const ticket = run.want(key, 60_000);
				const claimed = await ticket.claimed;
				ticket.end(claimed === 'mine' ? 'sent' : 'open');
				return claimed;
			});
			const ends = await Promise.all(claims);
			await run.close();
			return ends;
		},
	};
}

const keysOf = (count: number, name = 'key'): string[] =>
	Array.from({ length: count }, (_, n) => `${name} ${n}`);

describe('the sign that somebody is at work', () => {
	test('is not left behind', async () => {
		const { clock, shared, comes, send } = house();
		const row = comes();
		await clock.until(send(row, ['a']));
		await clock.until(send(row, ['b']));
		await clock.pass(10_000);
		expect(shared.marks).toHaveLength(2);
	});

	test('one that a process left when it died makes the next one slower for some seconds, and is gone after that', async () => {
		const { clock, shared, comes, send } = house();
		void runOf(comes(), shared, clock).want('dies', 0);
		await clock.pass(6);
		const dead = shared.marks;
		// Only what stands in the row is left of it.
		const second = house();
		await second.clock.until(second.shared.store().record(dead, 10_000));
		const took = async (row: KeyRow, key: string): Promise<number> => {
			const began = second.clock.now();
			await second.clock.until(second.send(row, [key]));
			return second.clock.now() - began;
		};
		const row = second.comes();
		const slow = await took(row, 'a');
		for (const n of [0, 1, 2, 3, 4, 5]) {
			await second.clock.pass(500);
			await took(row, `b ${n}`);
		}
		expect(await took(row, 'c')).toBeLessThan(slow / 2);
		await second.clock.pass(10_000);
		const signs = second.shared.marks.filter((mark) => /^(here|asked)/.test(mark));
		expect(signs).toEqual([]);
		expect(await clock.until(send(comes(), ['other']))).toEqual(['mine']);
	});

	test.each([4, 50])('is found however many keys were noted behind it, with %i remembered', async (most) => {
		const { clock, shared, comes, send } = house();
		const row = comes();
		const holds = runOf(row, shared, clock, most).want('held', 0);
		await clock.until(holds.claimed);
		for (const n of keysOf(most * 3, 'more')) {
			await clock.until(send(row, [n], most));
			expect(shared.marks.some((mark) => mark.startsWith('here'))).toBe(true);
		}
	});

	test('pushes no key out of a row that is full, whoever comes', async () => {
		const { clock, comes, send } = house();
		const keys = keysOf(20);
		await clock.until(send(comes(), keys, 20));
		for (const key of keys) expect(await clock.until(send(comes(), [key], 20))).toEqual(['sent']);
	});

	test('whoever comes to a process that is slow by its own work waits for what that one writes', async () => {
		const next = { readMs: 1, writeMs: 1 };
		const { clock, shared, comes, send } = house(() => ({ ...next }));
		const busy = comes();
		const run = runOf(busy, shared, clock);
		await clock.until(run.want('x', 0).claimed);
		next.writeMs = 200;
		const claimed = run.want('a', 0).claimed;
		await clock.pass(10);
		next.writeMs = 1;
		const other = send(comes(), ['a']);
		expect(await clock.until(claimed)).toBe('mine');
		expect(await clock.until(other)).toEqual(['open']);
	});

	test('a process that has a row for itself is not held up by writes that are slow by its own work', async () => {
		const next = { readMs: 1, writeMs: 1 };
		const { clock, comes, send } = house(() => ({ ...next }));
		const row = comes();
		await clock.until(send(row, ['a']));
		next.writeMs = 200;
		const began = clock.now();
		await clock.until(send(row, ['b']));
		expect(clock.now() - began).toBeLessThan(1500);
	});
});

test('a process that has a row for itself notes how messages ended while other keys wait to be looked at', async () => {
	const { clock, shared, comes } = house();
	const row = comes();
	const [first, second] = [runOf(row, shared, clock), runOf(row, shared, clock)];
	const sent = first.want('a', 0);
	await clock.until(sent.claimed);
	const order: string[] = [];
	const claims = second.want('b', 0).claimed.then(() => order.push('claimed'));
	await clock.pass(10);
	sent.end('sent');
	const closes = first.close().then(() => order.push('noted'));
	await clock.until(Promise.all([claims, closes]));
	expect(order).toEqual(['noted', 'claimed']);
});

test('a key whose message was sent does not look open for good where another worker wrote over that note', async () => {
	const next = { readMs: 1, writeMs: 1 };
	const { clock, shared, comes, send } = house(() => ({ ...next }));
	const run = runOf(comes(), shared, clock);
	const ticket = run.want('a', 0);
	await clock.until(ticket.claimed);
	// It reads before the note is there, and writes after it.
	next.writeMs = 10;
	const other = send(comes(), ['a']);
	await clock.pass(4);
	next.writeMs = 1;
	ticket.end('sent');
	await clock.until(run.close());
	expect(await clock.until(other)).toEqual(['sent']);
});
