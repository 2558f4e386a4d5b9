/** Once keys at several workers, and workers that die: nothing is sent twice, and nothing is lost in silence. */
import fc from 'fast-check';

import { runs } from '../../../runs.mts';
import { FakeClock } from '../fake-clock.mts';
import { N8nStore } from './n8n-store.mts';
import { execution, Process, processes } from './processes.mts';

describe('workers', () => {
	const ms = (most: number) => fc.integer({ min: 0, max: most });

	test('a worker that sends for some seconds is waited for: the message is not in doubt', async () => {
		const { clock, first, second } = processes(2);
		const had = first.run().claim('a', 1000);
		await clock.until(had.result);
		const other = execution(second, ['a']);
		await clock.pass(9000);
		had.end('sent');
		expect(await clock.until(other)).toEqual(['sent']);
	});

	test('a worker that is slow to send is waited for, but not for ever', async () => {
		const { clock, first, second } = processes(2);
		const had = first.run().claim('a', 1000);
		await clock.until(had.result);
		expect(await clock.until(execution(second, ['a']))).toEqual(['inDoubt']);
		had.end('sent');
		await clock.pass(1000);
		expect(await clock.until(execution(second, ['a']))).toEqual(['sent']);
	});

	test('after a crash that left the lock, two workers with the same event: one sends it, and it is not in doubt for the other', async () => {
		const { clock, first, second, shared } = processes(2);
		shared.put('workflow', { mode: 'lease' as never, data: ['lease'] });
		const worker = async (process: Process): Promise<unknown> => {
			const run = process.run();
			const ticket = run.claim('event', 60_000);
			const claimed = await ticket.result;
			await clock.sleep(1000);
			if (claimed === 'free') ticket.end('sent');
			await run.close();
			return claimed;
		};
		const ends = await clock.until(Promise.all([first, second].map(worker)));
		expect(ends.sort()).toEqual(['free', 'sent']);
	});

	test('a key that could not be released stays open: the marks may be those of another worker by now', async () => {
		let fails = false;
		let accesses = 0;
		const { clock, first, second } = processes(2, () => ({
			...{ readMs: 1, writeMs: 1 },
			// The lock is taken, and the note is written although the write reports a failure.
			fails: fails && accesses++ === 2 ? 'after' : undefined,
		}));
		const run = first.run();
		const ticket = run.claim('a', 1000);
		await clock.until(ticket.result);
		fails = true;
		ticket.end('free');
		expect(await clock.until(run.close())).toEqual(['a']);
		const other = second.run().claim('a', 1000);
		expect(await clock.until(other.result)).toBe('free');
		expect(await clock.until(execution(first, ['a']))).toEqual(['inDoubt']);
	});

	/**
	 * Any number of executions on any number of workers, starting at any time, with a store that loses overlapping writes
	 * and fails now and then, and with workers that die: no key is sent twice, and none wrongly counts as sent.
	 */
	test('whatever happens when, nothing is sent twice and nothing is lost in silence', async () => {
		const arbitrary = {
			executions: fc.array(
				fc.record({
					worker: ms(3),
					at: ms(400),
					keys: fc.array(ms(12), { minLength: 1, maxLength: 8 }),
					takesMs: ms(60),
					ends: fc.constantFrom('sent', 'sent', 'sent', 'free', 'inDoubt'),
				}),
				{ minLength: 1, maxLength: 12 },
			),
			// The longest that an access may take without counting as late.
			accesses: fc.array(
				fc.record(
					{
						readMs: ms(4),
						writeMs: ms(26),
						fails: fc.constantFrom(undefined, undefined, undefined, 'before', 'after'),
					},
					{ requiredKeys: ['readMs', 'writeMs'] },
				),
				{ minLength: 5, maxLength: 60 },
			),
			deaths: fc.array(fc.record({ worker: ms(3), at: ms(500) }), { maxLength: 3 }),
			random: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
		};
		await fc.assert(
			fc.asyncProperty(fc.record(arbitrary), async ({ executions, accesses, deaths, random: drawn }) => {
				const clock = new FakeClock();
				let access = 0;
				const shared = new N8nStore(clock, () => accesses[access++] ?? { readMs: 1, writeMs: 1 });
				const random = (): number => drawn.next().value as number;
				const workers = new Map<number, Process>();
				const workerAt = (n: number) => {
					const found = workers.get(n);
					if (found?.life.alive === true) return found;
					const process = new Process(clock, shared, random);
					workers.set(n, process);
					return process;
				};
				const sent = new Map<string, number>();
				const takenForSent: string[] = [];
				const run = async ({ worker, at, keys, takesMs, ends }: (typeof executions)[number]) => {
					await clock.sleep(at);
					const process = workerAt(worker);
					const { life } = process;
					const once = process.run();
					const one = async (n: number) => {
						const ticket = once.claim(`key ${n}`, 1000);
						const claimed = await ticket.result;
						if (!life.alive) return;
						if (claimed === 'sent' && !sent.has(ticket.key)) takenForSent.push(ticket.key);
						if (claimed === 'inDoubt') ticket.end('inDoubt');
						if (claimed !== 'free') return;
						const out = ends === 'sent' || (ends === 'inDoubt' && n % 2 === 0);
						if (out) sent.set(ticket.key, (sent.get(ticket.key) ?? 0) + 1);
						await clock.sleep(takesMs);
						if (life.alive) ticket.end(ends as 'sent' | 'free' | 'inDoubt');
					};
					await Promise.all(keys.map(one));
					if (life.alive) await once.close();
				};
				const die = async ({ worker, at }: (typeof deaths)[number]) => {
					await clock.sleep(at);
					const found = workers.get(worker);
					if (found !== undefined) found.life.alive = false;
				};
				const all = Promise.all([...executions.map(run), ...deaths.map(die)]);
				await clock.until(Promise.race([all, clock.sleep(300_000)]));

				expect([...sent].filter(([, times]) => times > 1)).toEqual([]);
				expect(takenForSent).toEqual([]);
			}),
			runs(Number(process.env['ONCE_SEEDS'] ?? 20)),
		);
	});
});

describe('a crash at any moment', () => {
	const keys = ['a', 'b', 'c'];

	/** One process sends under some keys and dies after so many milliseconds; returns what the next process finds. */
	const crashAt = async (dies: number) => {
		const { clock, first, second } = processes(2);
		const sent = new Map<string, number>();
		const sendAll = async (process: Process) => {
			const run = process.run();
			const ends = await Promise.all(
				keys.map(async (key) => {
					const ticket = run.claim(key, 60_000);
					const claimed = await ticket.result;
					if (claimed === 'free' && process.life.alive) {
						// It may die before or after the message is sent.
						await clock.sleep(2);
						if (process.life.alive) sent.set(key, (sent.get(key) ?? 0) + 1);
						await clock.sleep(2);
					}
					if (process.life.alive) ticket.end(claimed === 'free' ? 'sent' : 'inDoubt');
					return claimed;
				}),
			);
			await run.close();
			return ends;
		};
		void sendAll(first);
		await clock.pass(dies);
		first.life.alive = false;
		const began = clock.now();
		const ends = await clock.until(sendAll(second));
		return { ends, sent, waited: clock.now() - began };
	};

	test('nothing is sent twice or lost in silence, and nobody waits for more than 15 s; keys are in doubt only if it dies in the middle', async () => {
		const found = new Set<string>();
		for (let dies = 0; dies < 30; dies += 0.5) {
			const { ends, sent, waited } = await crashAt(dies);
			found.add(JSON.stringify(ends));
			for (const [n, key] of keys.entries()) {
				const times = sent.get(key) ?? 0;
				expect([dies, times]).toEqual([dies, ends[n] === 'sent' ? 1 : Math.min(times, 1)]);
			}
			expect(waited).toBeLessThan(15_000);
		}
		expect([...found].sort()).toEqual(
			['free', 'inDoubt', 'sent'].map((end) => JSON.stringify([end, end, end])),
		);
	});
});
