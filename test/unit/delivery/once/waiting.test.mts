/** Waiting for a key, or for the previous item: no run waits forever. */
import fc from 'fast-check';

import { type Message, numbered, type Process, processes } from './processes.mts';
import { runs } from '../../../runs.mts';

interface Execution {
	items: Message[];
	bound: number;
	startsAt: number;
	/** When it is stopped, if at all. */
	stopsAt: number | undefined;
}

const KEYS = numbered(5);
const anyKey = fc.constantFrom(...KEYS);

const executions = fc.array(
	fc.record<Execution>({
		items: fc.array(
			fc.record<Message>({
				lane: fc.constantFrom('0', '1', '2'),
				key: anyKey,
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

/** Plays executions of one process that share a row. Returns the keys of what was sent, in order. */
async function play(all: Execution[], leftInDoubt: string[]): Promise<string[]> {
	const { clock, first, second } = processes(2);
	const sent: string[] = [];

	/** One execution, as the node makes it. */
	const one = async (process: Process, { items, bound, startsAt, stopsAt }: Execution): Promise<void> => {
		await clock.sleep(startsAt);
		const halt = new AbortController();
		if (stopsAt !== undefined) void clock.sleep(stopsAt).then(() => halt.abort());
		const { signal } = halt;
		sent.push(...(await process.sendAll(items, { maxInFlight: bound, mostKeys: 1000, signal })));
	};

	const crashed = leftInDoubt.map((key): Message => ({ lane: key, key, ends: 'inDoubt' }));
	const before = { items: crashed, bound: 1, startsAt: 0, stopsAt: undefined };
	if (crashed.length > 0) await clock.until(one(first, before));
	let ended = 0;
	for (const execution of all) void one(second, execution).then(() => (ended += 1));
	await clock.pass(600_000);
	expect(ended).toBe(all.length);
	expect(clock.asleep).toBe(0);
	return sent;
}

test('every item of every execution ends, and no key is sent twice', async () => {
	await fc.assert(
		fc.asyncProperty(executions, fc.uniqueArray(anyKey, { maxLength: 2 }), async (all, leftInDoubt) => {
			const sent = await play(all, leftInDoubt);
			expect(sent).toHaveLength(new Set(sent).size);
		}),
		runs(150),
	);
});

test('three messages of one lane with one key, the first of which is refused: the others follow in their order', async () => {
	const keys: Message[] = ['0', '1', '2', '1', '1', '0'].map((key) => ({ key, lane: 'one' }));
	keys[1] = { key: '1', lane: 'one', ends: 'free' };
	expect(await play([{ items: keys, bound: 2, startsAt: 0, stopsAt: undefined }], [])).toEqual([
		'0',
		'2',
		'1',
	]);
});
