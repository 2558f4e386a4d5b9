import { rowOf } from '../../../../nodes/Messaging/delivery/once/key-row.ts';
import { marksOf } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { uuidOfKey } from '../../../../nodes/Messaging/delivery/once/once-keys.ts';
import { FakeClock } from '../fake-clock.mts';
import { N8nStore } from './n8n-store.mts';
import { drawn, execution, numbered, Process, processes, send } from './processes.mts';

const quick = { readMs: 1, writeMs: 1 };

describe('one process', () => {
	type Step = [process: 0 | 1, keys: string, found: string, ends?: 'sent' | 'free' | 'inDoubt'];

	test.each<[string, ...Step[]]>([
		[
			'a key is free once, and sent for all later executions',
			[0, 'a b', 'free free'],
			[0, 'b c', 'sent free'],
		],
		['after a restart as well', [0, 'a', 'free'], [1, 'a', 'sent'], [1, 'a', 'sent']],
		['a message that was not sent can be sent later', [0, 'a', 'free', 'free'], [0, 'a', 'free']],
		[
			'the second of the same key in one run waits, and is sent when the first was',
			[0, 'a a a', 'free sent sent'],
		],
		['and is in doubt if the first may have been sent', [0, 'a a', 'free inDoubt', 'inDoubt']],
	])('%s', async (_what, ...steps) => {
		const { clock, made } = processes(2);
		for (const [process, keys, found, ends] of steps) {
			const claims = execution(made[process] as Process, keys.split(' '), ends);
			expect((await clock.until(claims)).join(' ')).toBe(found);
		}
	});

	test('a message that may have been sent leaves its key open, in this process and in the next', async () => {
		const { clock, first, second } = processes(2);
		expect(await clock.until(execution(first, ['a'], 'inDoubt'))).toEqual(['free']);
		expect(await clock.until(execution(first, ['a']))).toEqual(['inDoubt']);
		// This process need not wait for another one to note an end.
		expect(clock.now()).toBeLessThan(1000);
		expect(await clock.until(execution(second, ['a']))).toEqual(['inDoubt']);
	});

	test('a key that was in doubt and is free again is waited for as any other', async () => {
		const { clock, first, second } = processes(2);
		await clock.until(execution(first, ['a'], 'inDoubt'));
		const again = first.run().claim('a', 0);
		expect(await clock.until(again.result)).toBe('inDoubt');
		again.end('free');
		await clock.until(again.settled);
		const other = second.run().claim('a', 0);
		expect(await clock.until(other.result)).toBe('free');
		void clock.sleep(3000).then(() => other.end('sent'));
		expect(await clock.until(execution(first, ['a']))).toEqual(['sent']);
	});

	test('it does not wait for ever', async () => {
		const { clock, first } = processes(1);
		const [one, other] = [first.run(), first.run()];
		await clock.until(one.claim('a', 1000).result);
		expect(await clock.until(other.claim('a', 2000).result)).toBe('busy');
		expect(clock.now()).toBeGreaterThanOrEqual(2000);
		expect(await clock.until(other.close())).toEqual([]);
	});

	test('it has the key soon after another run has ended with it', async () => {
		const { clock, first } = processes(1);
		const [one, other] = [first.run().claim('a', 1000), first.run().claim('a', 5000)];
		await clock.until(one.result);
		await clock.pass(1000);
		const began = clock.now();
		one.end('free');
		expect(await clock.until(other.result)).toBe('free');
		expect(clock.now() - began).toBeLessThan(50);
	});

	test('it waits as long as it takes for an earlier item of its own run', async () => {
		const { clock, first } = processes(1);
		const run = first.run();
		const holder = run.claim('a', 1000);
		await clock.until(holder.result);
		const [second, third] = [run.claim('a', 1000), run.claim('a', 1000)];
		await clock.pass(60_000);
		holder.end('free');
		expect(await clock.until(second.result)).toBe('free');
		await clock.pass(60_000);
		second.end('sent');
		expect(await clock.until(third.result)).toBe('sent');
		expect(await clock.until(run.close())).toEqual([]);
	});

	test('it does not wait for ever behind an item of its own run that waits for another execution', async () => {
		const { clock, first } = processes(1);
		const [one, other] = [first.run(), first.run()];
		await clock.until(one.claim('a', 1000).result);
		const [second, third] = [other.claim('a', 2000), other.claim('a', 2000)];
		expect(await clock.until(second.result)).toBe('busy');
		const at = clock.now();
		expect(await clock.until(third.result)).toBe('busy');
		expect(clock.now()).toBe(at);
		expect(await clock.until(other.close())).toEqual([]);
	});

	test('a node changed to another operation has sent nothing yet', async () => {
		const { clock, first } = processes(1);
		await clock.until(execution(first, ['a']));
		const other = first.run({ scope: 'account create' });
		expect(await clock.until(other.claim('a', 0).result)).toBe('free');
		expect(uuidOfKey(other.run, 'a')).not.toBe(uuidOfKey(first.run().run, 'a'));
	});
});

describe('several processes', () => {
	test('a message that another one sends for some seconds is waited for, and is not in doubt', async () => {
		const { clock, first, second } = processes(2);
		const had = first.run().claim('a', 1000);
		await clock.until(had.result);
		const other = execution(second, ['a']);
		await clock.pass(9000);
		had.end('sent');
		expect(await clock.until(other)).toEqual(['sent']);
	});

	test('one that is slow to send is waited for, but not for ever', async () => {
		const { clock, first, second } = processes(2);
		const had = first.run().claim('a', 1000);
		await clock.until(had.result);
		expect(await clock.until(execution(second, ['a']))).toEqual(['inDoubt']);
		had.end('sent');
		await clock.pass(1000);
		expect(await clock.until(execution(second, ['a']))).toEqual(['sent']);
	});

	test('a key that could not be released stays in doubt: the marks may be those of another one by now', async () => {
		let fails = false;
		let accesses = 0;
		const { clock, first, second } = processes(2, () => ({
			...quick,
			// The lease is taken with two accesses, and the note is written although the write reports a failure.
			fails: fails && accesses++ === 2 ? 'after' : undefined,
		}));
		const run = first.run();
		const claim = run.claim('a', 1000);
		await clock.until(claim.result);
		fails = true;
		claim.end('free');
		expect(await clock.until(run.close())).toEqual(['a']);
		expect(await clock.until(second.run().claim('a', 1000).result)).toBe('free');
		expect(await clock.until(execution(first, ['a']))).toEqual(['inDoubt']);
	});

	test('one dies at any moment: nothing is sent twice or lost in silence, and the next one has its keys within 25 s', async () => {
		const keys = ['a', 'b', 'c'];
		const found = new Set<string>();
		for (let dies = 0; dies < 30; dies += 0.5) {
			const { clock, first, second } = processes(2);
			const sent: string[] = [];
			const sendAll = async ({ clock: own, run }: Process): Promise<string[]> => {
				const once = run();
				const ends = keys.map(async (key) => {
					// It may die before or after the message is sent.
					const doIt = async () => (await own.sleep(2), sent.push(key), await own.sleep(2));
					return await send(once.claim(key, 60_000), 'sent', doIt);
				});
				return await Promise.all(ends);
			};
			void sendAll(first);
			await clock.pass(dies);
			first.kill();
			const ends = await clock.until(sendAll(second));
			found.add(ends.join(' '));
			expect([dies, sent.length]).toEqual([dies, new Set(sent).size]);
			for (const [n, key] of keys.entries()) if (ends[n] === 'sent') expect(sent).toContain(key);
			expect(clock.now() - dies).toBeLessThan(25_000);
		}
		expect([...found].sort()).toEqual(['free free free', 'inDoubt inDoubt inDoubt', 'sent sent sent']);
	});
});

describe('more messages than Keys to Remember', () => {
	const keys = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `key ${from + n}`);

	/** A run that sends some keys, with up to 128 under way; returns how many were sent. After so many, nothing ends. */
	const sendList = async (process: Process, list: string[], mostKeys: number, ending = Infinity) => {
		const messages = list.map((key, n) => ({ key, takesMs: n < ending ? 20 : Infinity }));
		return (await process.sendAll(messages, { mostKeys })).length;
	};

	test.each([
		['in order', (list: string[]) => list],
		['in reverse', (list: string[]) => list.toReversed()],
	])('a list that n8n was killed over sends nothing again (%s)', async (_, order) => {
		const { clock, first, second, shared } = processes(2);
		const list = keys(1500);
		void sendList(first, list, 1000, 1400);
		await clock.pass(60_000);
		first.life.alive = false;
		expect(shared.marks.filter((mark) => mark.endsWith('known')).length).toBeGreaterThan(1400);
		expect(await clock.until(sendList(second, order(list), 1000))).toBeLessThanOrEqual(100);
	});

	test('found keys make no others drop out: of 800 keys that come again after 800 others, 600 were dropped', async () => {
		const { clock, first, second, shared } = processes(2);
		expect(await clock.until(sendList(first, keys(800), 1000))).toBe(800);
		expect(await clock.until(sendList(first, keys(800, 800), 1000))).toBe(800);
		expect(shared.marks).toHaveLength(1000);
		expect(await clock.until(sendList(second, keys(800), 1000))).toBe(600);
		expect(shared.marks).toHaveLength(1000);
	});

	test('a message of its own drops nothing that a list under way may need', async () => {
		const clock = new FakeClock();
		// Old keys are dropped after each message.
		const first = new Process(clock, new N8nStore(clock), () => 0);
		await clock.until(sendList(first, keys(1000), 1000));
		const list = sendList(first, keys(1200).toReversed(), 1000);
		const single = async (n: number) => await sendList(first, [`single ${n}`], 1000);
		await clock.until(Promise.all(Array.from({ length: 100 }, async (_, n) => await single(n))));
		expect(await clock.until(list)).toBe(200);
	});

	test('messages one by one: the oldest are dropped in groups', async () => {
		const clock = new FakeClock();
		const process = new Process(clock, new N8nStore(clock), drawn(1));
		for (const key of keys(1500)) await clock.until(sendList(process, [key], 1000));
		const { length } = process.shared.marks;
		// Not after each message: that would be one more write each time.
		expect(length).toBeGreaterThan(1000);
		expect(length).toBeLessThan(1500);
		for (const key of keys(length, 1500 - length)) {
			expect(await clock.until(sendList(process, [key], 1000))).toBe(0);
		}
		expect(await clock.until(sendList(process, keys(1), 1000))).toBe(1);
	});

	test('keys in doubt, which have two marks, make no others drop out', async () => {
		const { clock, first } = processes(1);
		const list = keys(1200);
		const run = first.run({ messages: 1200, mostKeys: 1200 });
		const claims = list.map((key) => run.claim(key, 1000));
		const endOf = (n: number) => (n % 10 === 0 ? 'inDoubt' : 'sent');
		await clock.until(Promise.all(claims.map(async (claim, n) => await send(claim, endOf(n)))));
		await clock.until(run.close());
		expect(await clock.until(sendList(first, list, 1200))).toBe(0);
	});

	test('a key under way, which has two marks, takes the place of one', async () => {
		const clock = new FakeClock();
		// Old keys are dropped after each message.
		const process = new Process(clock, new N8nStore(clock), () => 0);
		const old = keys(999);
		await clock.until(sendList(process, old, 1000));
		await clock.until(process.run({ messages: 1 }).claim('under way', 0).result);
		await clock.until(sendList(process, ['another'], 1000));
		expect(await clock.until(sendList(process, old.slice(1, 2), 1000))).toBe(0);
	});

	test('keys in doubt make none of 20,000 drop out when others are claimed', async () => {
		const { clock, first, shared } = processes(1);
		const old = keys(20_000 - 164);
		const marks = old.map((key) => marksOf('message send', key).known);
		shared.put('node', { mode: 'entries', data: marks });
		const run = first.run({ messages: 100, mostKeys: 20_000 });
		const inDoubt = keys(100, 40_000).map((key) => run.claim(key, 1000));
		await clock.until(Promise.all(inDoubt.map(async (claim) => await send(claim, 'inDoubt'))));
		await clock.until(run.close());
		expect(await clock.until(sendList(first, keys(64, 50_000), 20_000))).toBe(64);
		expect(await clock.until(sendList(first, old.slice(0, 64), 20_000))).toBe(0);
	});

	test('with 20,000 keys, each further one takes the place of the oldest at once', async () => {
		const { clock, first, shared } = processes(1);
		const marks = keys(20_000).map((key) => marksOf('message send', key).known);
		shared.put('node', { mode: 'entries', data: marks });
		const run = first.run({ messages: 64, mostKeys: 20_000 });
		await clock.until(Promise.all(keys(64, 50_000).map(async (key) => await run.claim(key, 1000).result)));
		// The 64 have two marks each as long as they are under way.
		expect(shared.marks).toHaveLength(20_000 + 64);
	});

	test('a message under way whose marks are dropped by others does not count as sent', async () => {
		const { clock, first, second, shared } = processes(2);
		const run = first.run();
		await clock.until(Promise.all(keys(64).map(async (key) => await run.claim(key, 1000).result)));
		shared.put('node', { mode: 'entries', data: [...shared.marks, ...keys(19_900)] });
		await clock.until(second.run().claim('x', 0).result);
		const claimed = second.run().claim('key 0', 0).result;
		await clock.pass(1000);
		expect(await Promise.race([claimed, Promise.resolve('not yet')])).toBe('not yet');
	});

	test('a write that fails while keys are dropped fails no message, and the next run drops them', async () => {
		let fails = false;
		const { clock, first, shared } = processes(1, () => ({ ...quick, fails: fails ? 'before' : undefined }));
		const run = first.run({ messages: 1100, mostKeys: 1000 });
		const claims = keys(1100).map((key) => run.claim(key, 1000));
		await clock.until(Promise.all(claims.map(async (claim) => await send(claim))));
		await clock.until(Promise.all(claims.map(async ({ settled }) => await settled)));
		fails = true;
		expect(await clock.until(run.close())).toEqual([]);
		fails = false;
		expect(shared.marks).toHaveLength(1100);
		await clock.until(sendList(first, keys(64, 1100), 1000));
		expect(shared.marks).toHaveLength(1000);
		expect(clock.asleep).toBe(0);
	});
});

describe('groups', () => {
	/** Sends messages with this many in flight. Returns the most keys ever in doubt in the store. */
	const sendAll = async (count: number, maxInFlight: number, takesMs: number) => {
		let most = 0;
		const { clock, first, shared } = processes(1, () => {
			most = Math.max(most, shared.marks.filter((mark) => mark.endsWith(' open')).length);
			return quick;
		});
		const messages = numbered(count).map((key) => ({ key, takesMs }));
		expect(await clock.until(first.sendAll(messages, { maxInFlight }))).toHaveLength(count);
		const ms = clock.now();
		expect(shared.marks).toHaveLength(count);
		await clock.pass(10_000);
		expect(clock.asleep).toBe(0);
		return { most, accesses: shared.accesses, ms };
	};

	test('claims and ends are written together', async () => {
		const { accesses } = await sendAll(2000, 128, 20);
		expect(accesses).toBeLessThan(2000 / 5);
	});

	test.each([
		[1, 100, 1],
		[4, 50, 4],
		[16, 100, 16],
		[128, 20, 128],
		[128, 100, 128],
	])(
		'with %i under way that take %i ms, a crash leaves at most %i in doubt',
		async (bound, takesMs, most) => {
			expect((await sendAll(400, bound, takesMs)).most).toBeLessThanOrEqual(most);
		},
	);

	test('a key does not wait for those that are open in another process', async () => {
		const { clock, first, second } = processes(2);
		const names = Array.from({ length: 64 }, (_, n) => `key ${n}`);
		const [open, run] = [first.run(), second.run()];
		await clock.until(Promise.all(names.map(async (key) => await open.claim(key, 0).result)));
		for (const key of names) void run.claim(key, 0);
		await clock.pass(100);
		expect(await clock.until(run.claim('another', 0).result)).toBe('free');
		expect(clock.now()).toBeLessThan(500);
	});
});

describe('a run that is over', () => {
	test('gives back what it did not use', async () => {
		const { clock, first, shared } = processes(1);
		const run = first.run();
		const claims = Array.from({ length: 10 }, (_, n) => run.claim(`key ${n}`, 1000));
		await clock.until(claims[9]?.result as Promise<unknown>);
		claims[0]?.end('sent');
		claims[1]?.end('inDoubt');
		expect(await clock.until(run.close())).toEqual([]);
		expect(shared.marks.filter((mark) => mark.endsWith(' known'))).toHaveLength(2);
		expect(await clock.until(execution(first, ['key 0', 'key 1', 'key 2']))).toEqual([
			'sent',
			'inDoubt',
			'free',
		]);
	});

	test('leaves an unused key in doubt if it was in doubt', async () => {
		const { clock, first, second } = processes(2);
		await clock.until(execution(first, ['a'], 'inDoubt'));
		const run = first.run();
		expect(await clock.until(run.claim('a', 0).result)).toBe('inDoubt');
		await clock.until(run.close());
		expect(await clock.until(execution(second, ['a']))).toEqual(['inDoubt']);
	});

	test('gives back keys that are being claimed as it ends', async () => {
		const { clock, first, shared } = processes(1);
		const run = first.run();
		const claims = Array.from({ length: 100 }, (_, n) => run.claim(`key ${n}`, 1000));
		await clock.pass(3);
		expect(await clock.until(run.close())).toEqual([]);
		expect(shared.marks).toEqual([]);
		await clock.until(Promise.all(claims.map(async ({ result }) => await result)));
	});

	test('a wait for a key ends when the run is stopped', async () => {
		const { clock, first } = processes(1);
		await clock.until(first.run().claim('a', 1000).result);
		const stop = new AbortController();
		const run = first.run({ signal: stop.signal });
		const waits = run.claim('a', 60_000);
		stop.abort();
		expect(await clock.until(waits.result)).toMatchObject({ cause: 'noTurn' });
		expect(clock.now()).toBeLessThan(1000);
	});

	test('so does a wait for the turn of a key', async () => {
		const { clock, first } = processes(1);
		const stop = new AbortController();
		const run = first.run({ signal: stop.signal });
		const claims = Array.from({ length: 200 }, async (_, n) => await run.claimInTurn(`key ${n}`, 1000));
		await clock.until(claims[127]!.then(async ({ result }) => await result));
		stop.abort();
		const results = await clock.until(Promise.all(claims.map(async (claim) => await (await claim).result)));
		for (const result of results.slice(128)) expect(result).toMatchObject({ cause: 'noTurn' });
	});
});

describe('a row without any key', () => {
	/** Whether each execution finds none, and how often it asks n8n for that. */
	const looks = (count: number) => {
		const all = processes(count);
		let asked = 0;
		const found = async (process: Process, keys: string[], ends?: 'free' | 'inDoubt') => {
			const { store } = process.run().run;
			const counted = { ...store, count: async () => ((asked += 1), await store.count()) };
			const run = process.run({ store: counted });
			await Promise.all(keys.map(async (key) => await send(run.claim(key, 1000), ends)));
			// A message takes longer than a look at the row.
			await process.clock.sleep(20);
			await run.close();
			return run.run.foundNone === true;
		};
		return { ...all, found, asked: () => asked };
	};

	test('the run that claims the first keys finds none, and no later one does, in this process or another', async () => {
		const { clock, first, second, found } = looks(2);
		const keys = Array.from({ length: 150 }, (_, n) => `key ${n}`);
		expect(await clock.until(found(first, keys))).toBe(true);
		expect(await clock.until(found(first, ['another']))).toBe(false);
		expect(await clock.until(found(second, ['a third']))).toBe(false);
		expect(await clock.until(found(second, ['another']))).toBe(false);
	});

	test('keys that are free again are none, and a key in doubt is one', async () => {
		const { clock, first, second, found } = looks(2);
		expect(await clock.until(found(first, ['a'], 'free'))).toBe(true);
		expect(await clock.until(found(first, ['a', 'b'], 'free'))).toBe(true);
		expect(await clock.until(found(first, ['a'], 'inDoubt'))).toBe(true);
		expect(await clock.until(found(second, ['b']))).toBe(false);
	});

	test('an ordinary run does not ask: one whose keys were sent, or in a row that held some', async () => {
		const { clock, first, second, found, asked } = looks(2);
		await clock.until(found(first, ['a']));
		await clock.until(found(first, ['b']));
		const before = asked();
		await clock.until(found(first, ['c']));
		await clock.until(found(second, ['a', 'd']));
		expect(asked()).toBe(before);
	});

	test('a store that does not answer that costs no message, and says nothing', async () => {
		const { clock, first, shared } = processes(1);
		const { store } = first.run().run;
		const run = first.run({ store: { ...store, count: () => Promise.reject(new Error('No answer')) } });
		expect(await clock.until(send(run.claim('a', 1000)))).toBe('free');
		expect(await clock.until(run.close())).toEqual([]);
		expect([run.run.foundNone, shared.marks.length]).toEqual([undefined, 1]);
	});
});

test('the executions of a node in one process share what only this process knows, those of two nodes nothing', () => {
	expect(rowOf('a node of this test')).toBe(rowOf('a node of this test'));
	expect(rowOf('a node of this test')).not.toBe(rowOf('another'));
	const { first } = processes(1);
	const { store } = first.run().run;
	const elsewhere = first.run({ store: { ...store, place: 'another' } });
	expect(uuidOfKey(elsewhere.run, 'a')).not.toBe(uuidOfKey(first.run().run, 'a'));
});
