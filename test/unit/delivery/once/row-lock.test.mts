/** The lock in n8n's store: who holds it, who may break it, and who owns a row. */
import fc from 'fast-check';

import { bidAt, type LockRow } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { RowLock } from '../../../../nodes/Messaging/delivery/once/row-lock.ts';
import type { Failure } from '../../../../nodes/Messaging/service/endings.ts';
import { runs } from '../../../runs.mts';
import { FakeClock } from '../fake-clock.mts';
import { drawn } from './processes.mts';
import { type Access, type Life, N8nStore } from './n8n-store.mts';

const MODE = 'latestIncrementalKey';
/** What a process leaves in the row when it dies with the lock. */
const abandoned = { mode: MODE, data: null } as const;

/** A process that takes the lock at this time, and dies at this time, if at all. */
interface Contender {
	readonly at: number;
	readonly writes: readonly number[];
	readonly diesAt?: number | undefined;
}

/** Processes that share a store. Writes are monitored: no two may overlap. */
class House {
	readonly clock = new FakeClock();
	readonly store: N8nStore;
	/** How often two writes overlapped, and when each process took the lock. */
	overlaps = 0;
	readonly takenAt: number[] = [];
	/** When the latest write began. */
	wroteAt = -Infinity;
	private writing: object | undefined;

	constructor(nextAccess?: () => Access) {
		this.store = new N8nStore(this.clock, nextAccess);
	}

	/** Processes that find the lock of one that has died. */
	static abandoned(nextAccess?: () => Access): House {
		const house = new House(nextAccess);
		house.store.put('workflow', abandoned);
		return house;
	}

	/** A process that takes the lock, writes a few times, and releases it. Returns how long it has waited. */
	async process(
		writes: readonly number[],
		random: () => number = () => 0.5,
		life: Life = { alive: true },
	): Promise<number> {
		const { clock } = this;
		const { lock: row } = this.store.store(life);
		const lock = new RowLock(clock, random);
		const began = clock.now();
		let waited = 0;
		const work = async (): Promise<void> => {
			waited = clock.now() - began;
			this.takenAt.push(clock.now());
			for (const ms of writes) await lock.write(async () => await this.write(ms, life));
		};
		// With statements of seconds it may be too late for the first write.
		const ifLate = (error: Error): void => expect(error.message).toMatch(/more than three seconds/);
		await lock.hold(row, () => true, work).then((held) => expect(held).toBe(true), ifLate);
		return waited;
	}

	/** Lets processes take the lock, each at its time, until it dies; returns how long those that live have waited. */
	async contend(contenders: readonly Contender[], random: Iterator<number>): Promise<number[]> {
		const waits = contenders.map(async ({ at, writes, diesAt }) => {
			const life = { alive: true };
			if (diesAt !== undefined) void this.clock.sleep(diesAt).then(() => (life.alive = false));
			await this.clock.sleep(at);
			const waited = this.process(writes, () => random.next().value as number, life);
			return diesAt === undefined ? await waited : 0;
		});
		return await this.clock.until(Promise.all(waits));
	}

	/** Holds the lock of a process of its own for this work, while it is wanted. */
	async hold(
		work: (lock: RowLock) => Promise<unknown> = async () => {},
		isWanted: () => boolean = () => true,
		change: (row: LockRow) => Partial<LockRow> = () => ({}),
	): Promise<boolean | Failure> {
		const lock = new RowLock(this.clock, () => 0.5);
		const { lock: row } = this.store.store();
		return await this.clock.until(
			lock.hold({ ...row, ...change(row) }, isWanted, async () => await work(lock)),
		);
	}

	async write(ms: number, life: Life = { alive: true }): Promise<void> {
		if (!life.alive) return await new Promise(() => {});
		if (this.writing !== undefined) this.overlaps += 1;
		const me = {};
		this.writing = me;
		this.wroteAt = this.clock.now();
		await this.clock.sleep(ms);
		if (this.writing === me) this.writing = undefined;
		if (!life.alive) await new Promise(() => {});
	}
}

const ms = (most: number) => fc.integer({ min: 0, max: most });
/** Statements that take up to 20 ms. */
const quick = (random: () => number) => () => ({ readMs: random() * 20, writeMs: random() * 20 });
const anyRandom = fc.infiniteStream(fc.maxSafeNat().map((n) => n / 2 ** 53));
const anyAccess = (most: number) => fc.infiniteStream(fc.record({ readMs: ms(most), writeMs: ms(most) }));

describe('taking turns', () => {
	test('one writes at a time, however the statements meet', async () => {
		const contender = fc.record({ at: ms(50), writes: fc.array(ms(400), { maxLength: 3 }) });
		await fc.assert(
			fc.asyncProperty(
				fc.array(contender, { minLength: 2, maxLength: 5 }),
				anyAccess(400),
				anyRandom,
				async (contenders, accesses, random) => {
					const house = new House(() => accesses.next().value as Access);
					await house.contend(contenders, random);
					expect(house.overlaps).toBe(0);
					expect(house.store.lock).toBeUndefined();
				},
			),
			runs(100),
		);
	});

	test('a waiter only reads', async () => {
		const house = new House();
		house.store.put('workflow', { mode: MODE, data: 0.75 });
		void house.process([]);
		await house.clock.pass(900);
		expect(house.store.lock).toEqual({ mode: MODE, data: 0.75 });
	});

	test('a holder begins no write after three seconds: the first one fails, another one has to wait for its next turn', async () => {
		for (const isFirst of [true, false]) {
			const house = new House();
			let hasWritten = false;
			const work = async (lock: RowLock): Promise<void> => {
				if (!isFirst) await lock.write(async () => {});
				house.clock.spend(3001);
				expect(await lock.write(async () => (hasWritten = true))).toBeUndefined();
			};
			const held = house.hold(work);
			if (isFirst) await expect(held).rejects.toThrow(/more than three seconds/);
			else await held;
			expect(hasWritten).toBe(false);
			expect(house.store.lock).toBeUndefined();
		}
	});

	test('a holder that has held it for more than five seconds leaves it to those who wait', async () => {
		const house = new House();
		await house.hold(async () => house.clock.spend(5001));
		expect(house.store.lock).toEqual(abandoned);
	});

	test('a write that has taken more than ten seconds does not count', async () => {
		const house = new House();
		const work = async (lock: RowLock) => await lock.write(async () => await house.clock.sleep(10_001));
		await expect(house.hold(work)).rejects.toThrow(/more than ten seconds/);
	});

	test('a lock that is no longer wanted is not taken', async () => {
		const house = House.abandoned();
		const until = 5000;
		expect(await house.hold(undefined, () => house.clock.now() < until)).toBe(false);
		expect(house.clock.now()).toBeLessThan(until + 100);
	});
});

describe('an abandoned lock', () => {
	test('is broken after ten seconds and before twelve', async () => {
		const house = House.abandoned();
		house.clock.spend(60_000);
		const waited = await house.clock.until(house.process([10]));
		expect(waited).toBeGreaterThan(10_000);
		expect(waited).toBeLessThan(12_000);
		expect(house.store.lock).toBeUndefined();
	});

	test('is not what others take and give back all the time', async () => {
		const house = new House();
		let others = 0;
		const busy = async (): Promise<void> => {
			while (house.clock.now() < 30_000) {
				await house.process([900], () => 0);
				others += 1;
			}
		};
		// It always finds the lock taken: it tries soon after another process has begun to write.
		const late = async (): Promise<void> => {
			while (!(house.clock.now() - house.wroteAt < 500)) await house.clock.sleep(1);
		};
		const unlucky = (row: LockRow): Partial<LockRow> => ({
			make: async () => (await late(), await row.make()),
			bid: async (number, own) => (await late(), await row.bid(number, own)),
		});
		const busyOnes = busy();
		expect(await house.hold(late, () => house.clock.now() < 30_000, unlucky)).toBe(false);
		await house.clock.until(busyOnes);
		expect(others).toBeGreaterThan(30);
		expect(house.overlaps).toBe(0);
	});

	test('two or more who come to break it, whenever they come and however their statements meet: one at a time has it, none waits for long', async () => {
		const contender = fc.record({ at: ms(2000), writes: fc.array(ms(100), { maxLength: 2 }) });
		await fc.assert(
			fc.asyncProperty(
				fc.array(contender, { minLength: 2, maxLength: 4 }),
				anyAccess(150),
				anyRandom,
				async (contenders, accesses, random) => {
					const house = House.abandoned(() => accesses.next().value as Access);
					const waits = await house.contend(contenders, random);
					expect(house.overlaps).toBe(0);
					expect(Math.min(...house.takenAt)).toBeGreaterThan(10_000);
					// The last one waits for the turns of the others too.
					expect(Math.max(...waits)).toBeLessThan(15_000 + contenders.length * 1000);
				},
			),
			runs(100),
		);
	});

	test('two whose statements meet in every millisecond do not take the same number for their own', async () => {
		const house = new House();
		const { now } = house.clock;
		house.clock.now = () => Math.floor(now.call(house.clock));
		house.store.put('workflow', abandoned);
		await house.clock.until(Promise.all([0.3, 0.300_000_01].map((n) => house.process([100], () => n))));
		expect(house.overlaps).toBe(0);
	});

	test('processes that die at any moment, holding it or waiting for it: one writes at a time, and the others get it', async () => {
		const lives = { at: ms(3000), writes: fc.array(ms(300), { maxLength: 3 }) };
		const living = fc.record({ ...lives, diesAt: fc.constant(undefined) });
		const dying = fc.record({ ...lives, diesAt: ms(30_000) });
		await fc.assert(
			fc.asyncProperty(
				fc.array(living, { minLength: 1, maxLength: 3 }),
				fc.array(dying, { maxLength: 2 }),
				anyAccess(300),
				anyRandom,
				async (those, others, accesses, random) => {
					const house = new House(() => accesses.next().value as Access);
					await house.contend([...those, ...others], random);
					expect(house.overlaps).toBe(0);
				},
			),
			runs(100),
		);
	});

	/** Lets this many processes wait in turn for an abandoned lock, each dying after so many milliseconds. */
	const waitAndDie = async (house: House, times: number, random: () => number): Promise<void> => {
		for (let n = 0; n < times; n++) {
			const life = { alive: true };
			void house.process([], random, life);
			await house.clock.pass(500 + random() * 22_000);
			life.alive = false;
		}
	};

	test.each([1, 3, 20])(
		'is broken in less than 45 s after %i that waited for it one after the other have died',
		async (times) => {
			await fc.assert(
				fc.asyncProperty(fc.nat(), async (seed) => {
					const random = drawn(seed);
					const house = House.abandoned(quick(random));
					await waitAndDie(house, times, random);
					expect(await house.clock.until(house.process([], random))).toBeLessThan(45_000);
					expect(house.store.lock).toBeUndefined();
				}),
				runs(3),
			);
		},
	);

	test('a waiter is outbid by one that has been waiting for longer, and that dies: it has the lock once it has waited for longer', async () => {
		const house = House.abandoned();
		const waits = house.process([10]);
		await house.clock.pass(2000);
		house.store.put('workflow', { mode: MODE, data: bidAt(25_000, 0.5) });
		const waited = await house.clock.until(waits);
		expect(waited).toBeGreaterThan(35_000);
		expect(waited).toBeLessThan(45_000);
	});
});

describe('the row of a Remove Duplicates node with the Scope "Workflow"', () => {
	test.each([
		['entries', ['a', 'b']],
		['latestDate', '2026-01-01'],
		['latestIncrementalKey', 1042],
		['latestIncrementalKey', 'abc'],
	] as const)('is left as it is (%s)', async (mode, data) => {
		const house = new House();
		const row = { mode, data: typeof data === 'object' ? [...data] : data };
		house.store.put('workflow', row);
		expect(await house.hold()).toMatchObject({
			outcome: 'unsent',
			message: expect.stringContaining('Remove Duplicates'),
			description: expect.stringMatching(/Scope.*"Node".*Clear Deduplication History/s),
		});
		expect(house.store.lock).toEqual(row);
	});

	test('is made while the lock is held: that node fails with words of n8n, and succeeds later', async () => {
		const house = new House();
		const other = house.store.helpers();
		const remove = async () =>
			await other.checkProcessedAndRecord(['a'], 'workflow', { mode: 'entries', maxEntries: 10 });
		const held = house.process([100]);
		await house.clock.pass(10);
		await expect(house.clock.until(remove())).rejects.toThrow(/Deduplication Failed/);
		await house.clock.until(held);
		expect(await house.clock.until(remove())).toEqual({ new: ['a'], processed: [] });
	});
});

describe('a waiter whose look meets another process at the worst moment', () => {
	/**
	 * Waits for an abandoned row, and in the second statement of the first look after eight seconds meets another process,
	 * which has made a row of its own. Returns how often their writes overlapped.
	 */
	const meets = async (writeMs: number, writes: readonly number[]): Promise<number> => {
		const access = { readMs: 1, writeMs: 1 };
		const house = House.abandoned(() => ({ ...access }));
		const other = async (): Promise<void> => {
			await house.clock.sleep(writeMs / 2 - 500);
			house.store.put('workflow', undefined);
			await house.process(writes);
		};
		let others: Promise<void> | undefined;
		let looks = 0;
		const bidLate =
			(row: LockRow) =>
			async (number: number, own: readonly number[] = []) => {
				const isSecond = looks++ % 2 === 1;
				if (!isSecond || others !== undefined || house.clock.now() < 8000) return await row.bid(number, own);
				others = other();
				if (writeMs < 1000) await house.clock.sleep(5);
				access.writeMs = writeMs;
				const found = row.bid(number, own);
				access.writeMs = 1;
				return await found;
			};
		const work = async (lock: RowLock) => await lock.write(async () => await house.write(1000));
		await house.hold(work, undefined, (row) => ({ bid: bidLate(row) }));
		await house.clock.until(others ?? Promise.resolve());
		return house.overlaps;
	};

	test('it was frozen in the middle of a statement: it does not take the row of another for the abandoned one', async () => {
		expect(await meets(10_400, [2900, 6000])).toBe(0);
	});

	test('the row is released and made again between two statements: it waits anew', async () => {
		expect(await meets(1, [2900, 6000])).toBe(0);
	});
});
