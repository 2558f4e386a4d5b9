/** Waiting for a key, or for the previous item: no run waits forever. */
import fc from 'fast-check';

import type { Claim } from '../../../../nodes/Messaging/delivery/once/claim.ts';
import { FakeClock } from '../fake-clock.mts';
import { runJobs } from '../run.mts';
import { N8nStore } from './n8n-store.mts';
import { Process } from './processes.mts';
import { runs } from '../../../runs.mts';

interface Item {
	lane: number;
	key: number;
	takesMs: number;
	ends: 'sent' | 'free' | 'inDoubt';
}

interface Execution {
	items: Item[];
	bound: number;
	startsAt: number;
	/** When it is stopped, if at all. */
	stopsAt: number | undefined;
}

const KEYS = 5;

const executions = fc.array(
	fc.record<Execution>({
		items: fc.array(
			fc.record<Item>({
				lane: fc.nat(2),
				key: fc.nat(KEYS - 1),
				takesMs: fc.constantFrom(0, 20, 3000),
				ends: fc.constantFrom('sent', 'free', 'inDoubt'),
			}),
			{ minLength: 1, maxLength: 10 },
		),
		bound: fc.integer({ min: 1, max: 4 }),
		startsAt: fc.constantFrom(0, 1, 100),
		stopsAt: fc.option(fc.constantFrom(1, 50, 500), { nil: undefined, freq: 4 }),
	}),
	{ minLength: 1, maxLength: 3 },
);

/** Plays executions of one process that share a row, and returns how often each key was sent. */
async function play(all: Execution[], leftInDoubt: number[]): Promise<number[]> {
	const clock = new FakeClock();
	const shared = new N8nStore(clock);
	const sent = Array.from({ length: KEYS }, () => 0);

	/** One execution, as the node makes it. */
	const one = async (process: Process, { items, bound, startsAt, stopsAt }: Execution): Promise<void> => {
		await clock.sleep(startsAt);
		const halt = new AbortController();
		if (stopsAt !== undefined) void clock.sleep(stopsAt).then(() => halt.abort());
		const { signal } = halt;
		const run = process.run({ messages: items.length, mostKeys: 1000, signal });
		const rest = [...items];
		await runJobs(
			clock,
			() => {
				const item = rest.shift();
				if (item === undefined) return undefined;
				let claim: Claim | undefined;
				return {
					lane: String(item.lane),
					preparation: {
						getReady: async () => {
							claim = await run.claimInTurn(`key ${item.key}`, 5000);
							const claimed = await claim.result;
							if (claimed === 'inDoubt') claim.end('inDoubt');
							return claimed === 'free';
						},
						release: () => claim?.end('free'),
					},
					run: async () => {
						await clock.sleep(item.takesMs);
						if (item.ends === 'sent') sent[item.key]! += 1;
						claim?.end(item.ends);
					},
				};
			},
			{ maxInFlight: bound, signal },
		);
		await run.close();
	};

	const crashed = leftInDoubt.map((key): Item => ({ lane: key, key, takesMs: 0, ends: 'inDoubt' }));
	const before = { items: crashed, bound: 1, startsAt: 0, stopsAt: undefined };
	if (crashed.length > 0) await clock.until(one(new Process(clock, shared), before));
	let ended = 0;
	const here = new Process(clock, shared);
	for (const execution of all) void one(here, execution).then(() => (ended += 1));
	await clock.pass(600_000);
	expect(ended).toBe(all.length);
	expect(clock.asleep).toBe(0);
	return sent;
}

test('every item of every execution ends, and no key is sent twice', async () => {
	await fc.assert(
		fc.asyncProperty(
			executions,
			fc.uniqueArray(fc.nat(KEYS - 1), { maxLength: 2 }),
			async (all, leftInDoubt) => {
				for (const times of await play(all, leftInDoubt)) expect(times).toBeLessThanOrEqual(1);
			},
		),
		runs(150),
	);
});

test('three messages of one lane with one key, the first of which is refused: the others follow in their order', async () => {
	const item = { lane: 0, takesMs: 0 };
	const keys: Item[] = [0, 1, 2, 1, 1, 0].map((key) => ({ ...item, key, ends: 'sent' }));
	keys[1] = { ...item, key: 1, ends: 'free' };
	expect(await play([{ items: keys, bound: 2, startsAt: 0, stopsAt: undefined }], [])).toEqual([
		1, 1, 1, 0, 0,
	]);
});
