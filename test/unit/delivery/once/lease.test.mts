/** The lease in n8n's store: who holds it, who takes it over, and whose row is whose. */
import fc from 'fast-check';

import type { Lease } from '../../../../nodes/Messaging/delivery/once/lease.ts';
import { runs } from '../../../runs.mts';
import { FakeClock } from '../fake-clock.mts';
import { type Access, N8nStore, releasedNever } from './n8n-store.mts';
import { drawn, Process, processes } from './processes.mts';

/** Writes for this long. */
const write = async (lease: Lease, { clock, shared, life }: Process, ms: number) =>
	await lease.write(
		async (check) =>
			await shared.watch(life, async () => {
				await clock.sleep(ms);
				return await shared.store(life).record(['a mark'], 1000, check);
			}),
	);

describe('the holder', () => {
	test('begins no write in the second half of its lease: the first one fails, another one waits for the next lease', async () => {
		for (const isFirst of [true, false]) {
			const { clock, first, shared } = processes(1);
			const held = first.hold(async (lease) => {
				if (!isFirst) await write(lease, first, 0);
				clock.spend(2501);
				shared.put('node', undefined);
				expect(await write(lease, first, 0)).toBeUndefined();
			});
			if (isFirst) await expect(clock.until(held)).rejects.toThrow(/too long/);
			else await clock.until(held);
			expect(shared.marks).toEqual([]);
			expect(shared.lease).toBeUndefined();
		}
	});

	test('releases it, but not once it is over: it may be the next one by then', async () => {
		for (const [ms, isReleased] of [
			[4900, true],
			[5100, false],
		] as const) {
			const { clock, first, shared } = processes(1);
			await clock.until(first.hold(async () => clock.spend(ms)));
			expect(shared.lease === undefined).toBe(isReleased);
		}
	});

	test('does not rely on a write that ended after others may have taken over', async () => {
		const { clock, first } = processes(1);
		const held = first.hold(async (lease) => await lease.write(async () => await clock.sleep(20_001)));
		await expect(clock.until(held)).rejects.toThrow(/too long/);
	});

	test.each([
		[
			'adds',
			async (lease: Lease, store: ReturnType<N8nStore['store']>) =>
				await lease.write(async (check) => await store.record(['b'], 1000, check)),
		],
		[
			'removes',
			async (lease: Lease, store: ReturnType<N8nStore['store']>) =>
				await lease.write(async (check) => await store.remove(['c'], check)),
		],
	])(
		'that freezes for long between reading and writing, while it %s marks, undoes nothing of the next one',
		async (_, change) => {
			const { clock, first, second, shared } = processes(2, () => ({ readMs: 10, writeMs: 10 }));
			shared.put('node', { mode: 'entries', data: ['c'] });
			const frozen = first.hold(async (lease) => {
				void clock.sleep(5).then(() => first.freeze(30_000));
				await change(lease, shared.store(first.life));
			});
			const failed = expect(frozen).rejects.toThrow(/too long/);
			await clock.pass(1000);
			await clock.until(second.hold(async (lease) => await write(lease, second, 0)));
			expect(shared.marks).toEqual(['c', 'a mark']);
			await clock.until(failed);
			expect(shared.marks).toEqual(['c', 'a mark']);
		},
	);
});

/** Has processes take and release the lease all the time; returns how many held it at once at most. */
async function takeInTurn(
	{ clock }: { clock: FakeClock },
	all: readonly Process[],
	untilMs: number,
): Promise<number> {
	let holding = 0;
	let most = 0;
	const busy = async (process: Process): Promise<void> => {
		while (clock.now() < untilMs) {
			await process.hold(async () => {
				most = Math.max(most, (holding += 1));
				await process.clock.sleep(20);
				holding -= 1;
			});
		}
	};
	await clock.until(Promise.all(all.map(busy)));
	return most;
}

describe('a holder that freezes for 15 seconds', () => {
	test('in the middle of its DELETE removes the lease of nobody else', async () => {
		const world = processes(4);
		const { clock, first, made } = world;
		const frozen = first.hold(async () => void clock.sleep(0.2).then(() => first.freeze(14_900)));
		expect(await takeInTurn(world, made.slice(1), 40_000)).toBe(1);
		await clock.until(frozen);
	});

	test('between the count and its INSERT has a lease that is not over yet', async () => {
		const { clock, first, shared } = processes(1);
		void clock.sleep(1.2).then(() => first.freeze(14_900));
		expect(await clock.until(first.hold(async (lease) => await write(lease, first, 0)))).toBe(true);
		expect([shared.marks, shared.lease]).toEqual([['a mark'], undefined]);
	});
});

describe('a lease that is not released', () => {
	const started = (count: number, nextAccess?: () => Access) => {
		const made = processes(count, nextAccess);
		made.shared.put('workflow', releasedNever);
		return made;
	};

	test('is taken over after 20 seconds and before 21', async () => {
		const { clock, first, shared } = started(1);
		let at = 0;
		await clock.until(first.hold(async () => (at = clock.now())));
		expect(at).toBeGreaterThan(20_000);
		expect(at).toBeLessThan(21_000);
		expect(shared.lease).toBeUndefined();
	});

	test('is taken over as soon if the one before was released while others had asked for it', async () => {
		const { clock, first, shared } = started(1);
		shared.put('workflow', { ...releasedNever, data: ['lease', 'round 1', 'the token of another'] });
		const held = first.hold();
		await clock.pass(5000);
		shared.put('workflow', releasedNever);
		await clock.until(held);
		expect(clock.now()).toBeLessThan(26_000);
	});

	test('is taken over by one only, also if another one takes it for the one before, for which it has asked twice', async () => {
		const { clock, first, second, shared } = started(2);
		shared.put('workflow', {
			...releasedNever,
			data: ['lease', 'round 1', 'round 2', 'the token of another'],
		});
		const work = async (lease: Lease, process: Process) => {
			await write(lease, process, 1000);
		};
		const late = second.hold(async (lease) => await work(lease, second));
		await clock.pass(49_800);
		second.freeze(600);
		shared.put('workflow', releasedNever);
		await clock.until(Promise.all([late, first.hold(async (lease) => await work(lease, first))]));
		expect(shared.overlaps).toBe(0);
	});

	test('is not taken over once it is no longer wanted', async () => {
		const { clock, first } = started(1);
		expect(await clock.until(first.hold(undefined, () => clock.now() < 5000))).toBe(false);
		expect(clock.now()).toBeLessThan(5100);
	});

	test('is not the one that others take and release all the time', async () => {
		const world = processes(5);
		expect(await takeInTurn(world, world.made, 60_000)).toBe(1);
		expect(world.shared.lease).toBeUndefined();
	});

	const ms = (most: number) => fc.integer({ min: 0, max: most });
	/** Processes that take the lease at some time; some freeze for up to 15 seconds, and some die. */
	const anyProcess = (most: number, ...lives: Array<'lives' | 'freezes' | 'dies'>) =>
		fc.record({
			at: ms(2000),
			writes: fc.array(ms(100), { maxLength: 2 }),
			fate: fc.constantFrom(...lives),
			fateAt: ms(45_000),
			freezeMs: ms(most),
		});

	test.each([
		['whenever they come, and however their statements meet', 150, ['lives'], 25_000],
		['also if some freeze for up to 15 seconds', 150, ['lives', 'lives', 'freezes'], Infinity],
		['also if some die', 300, ['lives', 'lives', 'dies'], Infinity],
	] as const)(
		'several that come to take it over, %s: one at a time has it',
		async (_, longest, fates, within) => {
			await fc.assert(
				fc.asyncProperty(
					fc.array(anyProcess(14_900, ...fates), { minLength: 2, maxLength: 5 }),
					fc.infiniteStream(fc.record({ readMs: ms(longest), writeMs: ms(longest) })),
					fc.nat(),
					async (all, accesses, seed) => {
						const clock = new FakeClock();
						const shared = new N8nStore(clock, () => accesses.next().value as Access);
						shared.put('workflow', releasedNever);
						const random = drawn(seed);
						const taken: number[] = [];
						const one = async ({
							at,
							fate,
							fateAt,
							freezeMs,
							writes,
						}: (typeof all)[number]): Promise<void> => {
							const process = new Process(clock, shared, random);
							await clock.sleep(at);
							if (fate === 'dies') void clock.sleep(fateAt).then(() => process.kill());
							if (fate === 'freezes') void clock.sleep(fateAt).then(() => process.freeze(freezeMs));
							const held = process.hold(async (lease) => {
								taken.push(clock.now() - at);
								for (const each of writes) await write(lease, process, each);
							});
							await (fate === 'dies'
								? undefined
								: held.catch((error: Error) => expect(error.message).toMatch(/too long/)));
						};
						await clock.until(Promise.all(all.map(one)));
						expect(shared.overlaps).toBe(0);
						if (taken.length > 0) expect(Math.min(...taken)).toBeLessThan(within);
					},
				),
				runs(100),
			);
		},
	);

	test.each([1, 2, 6])(
		'is taken over within 90 seconds after %i that have asked for it have died, one after the other',
		async (times) => {
			for (let seed = 1; seed <= 5; seed++) {
				const random = drawn(seed);
				const { clock, first, shared } = started(1, () => ({
					readMs: random() * 20,
					writeMs: random() * 20,
				}));
				for (let n = 0; n < times; n++) {
					const process = new Process(clock, shared, random);
					void process.hold();
					await clock.pass(500 + random() * 19_500);
					process.kill();
				}
				const began = clock.now();
				await clock.until(first.hold());
				expect(clock.now() - began).toBeLessThan(90_000);
			}
		},
	);
});

describe('the row of a Remove Duplicates node with the Scope "Workflow"', () => {
	test.each([
		['entries', ['a', 'b']],
		['entries', ['a']],
		['entries', []],
		['latestDate', '2026-01-01'],
		['latestIncrementalKey', 0],
	])('is left as it is (%s, %j)', async (mode, data) => {
		const { clock, first, shared } = processes(1);
		const row = { mode, data } as Parameters<N8nStore['put']>[1];
		shared.put('workflow', row);
		const isWanted = (): boolean => clock.now() < 2000;
		await expect(clock.until(first.hold(undefined, isWanted))).rejects.toThrow(/Deduplication Failed/);
		expect(shared.lease).toEqual(row);
	});

	test('is made while the lease is held: that node fails with words of n8n, and succeeds later', async () => {
		const { clock, first, shared } = processes(1);
		const remove = async () =>
			await shared.helpers().checkProcessedAndRecord(['a'], 'workflow', { mode: 'entries', maxEntries: 10 });
		const held = first.hold(async () => await clock.sleep(100));
		await clock.pass(10);
		await expect(clock.until(remove())).rejects.toThrow(/Deduplication Failed/);
		await clock.until(held);
		expect(await clock.until(remove())).toEqual({ new: ['a'], processed: [] });
	});
});
