/** Workers whose writes take longer than anybody waits: n8n's store loses what overlaps, and nothing goes out twice. */
import { Company } from '../../../../../nodes/Messaging/delivery/memory/once/company.ts';
import { KeyRow } from '../../../../../nodes/Messaging/delivery/memory/once/key-row.ts';
import { OnceKeys, type Ticket } from '../../../../../nodes/Messaging/delivery/memory/once/once-keys.ts';
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

interface Slowness {
	/** How long a read or a write takes on the average. */
	ms: number;
	/** How many of them take longer, and by how much on the average. */
	stalls?: { share: number; ms: number };
}

/** How three workers that have just been started deal with five events of four messages, each delivered three times. */
async function play(seed: number, { ms, stalls }: Slowness) {
	const clock = new FakeClock();
	const random = drawn(seed);
	const about = (mean: number): number => -mean * Math.log(1 - random());
	const takes = (): number =>
		about(ms) + (stalls !== undefined && random() < stalls.share ? about(stalls.ms) : 0);
	const shared = new SharedRow(clock, (): Access => ({ readMs: takes(), writeMs: takes() }));
	const workers = [0, 1, 2].map(() => new KeyRow(clock, random, new Company()));
	const signal = new AbortController().signal;
	const sent = new Map<string, number>();
	const takenForSent: string[] = [];

	const send = async (ticket: Ticket): Promise<void> => {
		const claimed = await ticket.claimed;
		if (claimed === 'sent' && !sent.has(ticket.key)) takenForSent.push(ticket.key);
		const isMine = claimed === 'mine' && (await ticket.stillMine());
		if (!isMine) return ticket.end('open');
		sent.set(ticket.key, (sent.get(ticket.key) ?? 0) + 1);
		await clock.sleep(random() * 50);
		ticket.end('sent');
	};
	const deliver = async (row: KeyRow, event: number): Promise<void> => {
		await clock.sleep(random() * 1000);
		const run = new OnceKeys(row, { scope: 'x', store: shared.store(), mostKeys: 10_000, clock, signal });
		await Promise.all([0, 1, 2, 3].map(async (n) => await send(run.want(`${event}-${n}`, 60_000))));
		await run.close();
	};
	const deliveries = Array.from({ length: 15 }, async (_, n) => {
		const worker = workers[Math.floor(random() * 3)] as KeyRow;
		await deliver(worker, n % 5);
	});
	await clock.until(Promise.all(deliveries));
	return { twice: [...sent.values()].filter((times) => times > 1).length, sent: sent.size, takenForSent };
}

const seeds = Array.from({ length: 60 }, (_, n) => n + 1);

test.each<[string, Slowness]>([
	['fast', { ms: 3 }],
	['half as slow as anybody waits', { ms: 30 }],
	['slower than that', { ms: 100 }],
	['now and then five times as slow', { ms: 20, stalls: { share: 0.1, ms: 300 } }],
])('writes that are %s: nothing is sent twice, and nothing is taken for sent', async (_, slowness) => {
	const [twice, takenForSent]: [number[], string[]] = [[], []];
	for (const seed of seeds) {
		const result = await play(seed, slowness);
		if (result.twice > 0) twice.push(seed);
		takenForSent.push(...result.takenForSent);
	}
	expect({ twice, takenForSent }).toEqual({ twice: [], takenForSent: [] });
});

test('where writes are fast, every message goes out', async () => {
	for (const seed of seeds) expect(await play(seed, { ms: 3 })).toMatchObject({ sent: 20 });
});

/** Two workers, of which the first takes its time where a test says so. */
function two() {
	const clock = new FakeClock();
	const slow = { readMs: 1, writeMs: 1 };
	const shared = new SharedRow(clock, () => ({ ...slow }));
	const other = shared.store();
	const [first, second] = [
		new KeyRow(clock, () => 0.5, new Company()),
		new KeyRow(clock, () => 0.5, new Company()),
	];
	const run = (row: KeyRow): OnceKeys =>
		new OnceKeys(row, {
			scope: 'x',
			store: other,
			mostKeys: 10_000,
			clock,
			signal: new AbortController().signal,
		});
	return { clock, slow, shared, first: () => run(first), second: () => run(second) };
}

test.each([200, 1000, 5000, 7000])(
	'a worker that is held for %i ms in the middle of a claim sees that another has sent meanwhile',
	async (heldMs) => {
		const { clock, slow, first, second } = two();
		// It has read the row when it is held, and writes what it has read.
		slow.writeMs = heldMs;
		const late = first().want('a', 60_000);
		await clock.pass(10);
		slow.writeMs = 1;
		const run = second();
		const ticket = run.want('a', 60_000);
		expect(await clock.until(ticket.claimed)).toBe('mine');
		expect(clock.now()).toBeLessThan(200);
		ticket.end('sent');
		await clock.until(run.close());
		expect(await clock.until(late.claimed)).toBe('sent');
	},
);

test('whoever comes to a worker that believes to be alone, and is slow by its own work, waits for what that one writes', async () => {
	const { clock, slow, first, second } = two();
	const busy = first();
	await clock.until(busy.want('x', 60_000).claimed);
	slow.writeMs = 400;
	const claimed = busy.want('a', 60_000).claimed;
	await clock.pass(10);
	slow.writeMs = 1;
	const comes = second().want('a', 60_000);
	const sees = comes.claimed.then((claim) => ({ claim, at: clock.now() }));
	expect(await clock.until(claimed)).toBe('mine');
	expect(await clock.until(Promise.race([sees, clock.sleep(5000)]))).toBeUndefined();
});

test('a worker that could not look for a while does so before its message leaves, and goes on', async () => {
	const { clock, shared, first } = two();
	const ticket = first().want('a', 60_000);
	await clock.until(ticket.claimed);
	expect(ticket.stillMine()).toBe(true);
	clock.spend(5000);
	const before = shared.accesses;
	expect(await clock.until(Promise.resolve(ticket.stillMine()))).toBe(true);
	expect(shared.accesses).toBe(before + 1);
});

test.each([
	['b', true, 'goes on once nobody has protested'],
	['a', false, 'does not send, because another has'],
])(
	'where somebody who claims %s has written over its claim meanwhile (still its own: %s), it %s',
	async (key, is) => {
		const { clock, slow, first, second } = two();
		// The other has read the row before the first one noted its key, and writes long after.
		slow.writeMs = 1000;
		const other = second().want(key, 60_000);
		await clock.pass(10);
		slow.writeMs = 1;
		const ticket = first().want('a', 60_000);
		expect(await clock.until(ticket.claimed)).toBe('mine');
		// Here nothing is read or written until the other has waited for protests and sent.
		slow.readMs = 5000;
		await clock.pass(1500);
		slow.readMs = 1;
		expect(await clock.until(other.claimed)).toBe('mine');
		other.end('sent');
		expect(await clock.until(Promise.resolve(ticket.stillMine()))).toBe(is);
	},
);

test('a store that fails for long when a worker has to look: its message does not leave', async () => {
	const { clock, first, slow } = two();
	const ticket = first().want('a', 60_000);
	await clock.until(ticket.claimed);
	clock.spend(5000);
	Object.assign(slow, { fails: 'before' });
	expect(await clock.until(Promise.resolve(ticket.stillMine()))).toBe(false);
});
