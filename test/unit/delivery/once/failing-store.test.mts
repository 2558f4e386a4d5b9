/** A store that fails or is slow, and one whose row another node of n8n has taken. */
import { execution, processes } from './processes.mts';

const quick = { readMs: 1, writeMs: 1 };

describe('a store that fails', () => {
	test('before sending: nothing may leave', async () => {
		const { clock, first } = processes(1, () => ({ ...quick, fails: 'before' }));
		expect(await clock.until(execution(first, ['a', 'b']))).toEqual(['unsent', 'unsent']);
	});

	test('for a moment: it is tried again', async () => {
		let accesses = 0;
		const { clock, first } = processes(1, () => ({ ...quick, fails: accesses++ < 3 ? 'before' : undefined }));
		expect(await clock.until(execution(first, ['a']))).toEqual(['free']);
		expect(await clock.until(execution(first, ['a']))).toEqual(['sent']);
	});

	test('for a list whose messages go out one by one: only the first waits for it', async () => {
		let isBroken = true;
		const { clock, first } = processes(1, () => ({ ...quick, fails: isBroken ? 'before' : undefined }));
		for (const key of 'a b c d e f g h'.split(' ')) {
			expect(await clock.until(execution(first, [key]))).toEqual(['unsent']);
		}
		expect(clock.now()).toBeLessThan(20_000);
		isBroken = false;
		expect(await clock.until(execution(first, ['a']))).toEqual(['free']);
		// Later, a moment is a moment again.
		isBroken = true;
		const later = execution(first, ['b']);
		await clock.pass(3000);
		isBroken = false;
		expect(await clock.until(later)).toEqual(['free']);
	});

	test('for a moment at the claim, and again when the end is noted much later: it is tried again', async () => {
		let passes = 1;
		const { clock, first } = processes(1, () => ({ ...quick, fails: passes-- === 0 ? 'before' : undefined }));
		const run = first.run();
		const claim = run.claim('a', 1000);
		await clock.until(claim.result);
		await clock.pass(20_000);
		passes = 1;
		claim.end('sent');
		expect(await clock.until(run.close())).toEqual([]);
	});

	test('for too long, although it was quick before: nothing may leave', async () => {
		const next = { ...quick };
		const { clock, first } = processes(1, () => ({ ...next }));
		await clock.until(execution(first, ['a']));
		next.readMs = 6000;
		const late = execution(first, ['b']);
		await clock.pass(90_000);
		expect(await Promise.race([late, Promise.resolve('not yet')])).toEqual(['unsent']);
	});

	test('after sending: the keys are named, and this process still knows that they were sent', async () => {
		let broken = false;
		const { clock, first, second } = processes(2, () => ({ ...quick, fails: broken ? 'before' : undefined }));
		const run = first.run();
		const claim = run.claim('a', 1000);
		await clock.until(claim.result);
		broken = true;
		claim.end('sent');
		expect(await clock.until(run.close())).toEqual(['a']);
		broken = false;
		expect(await clock.until(execution(first, ['a']))).toEqual(['sent']);
		// Another process has no way to know.
		expect(await clock.until(execution(second, ['a']))).toEqual(['inDoubt']);
	});

	test('a note that was written all the same does not lead to a second message', async () => {
		let accesses = 0;
		// The first two take the lease.
		const { clock, first } = processes(1, () => ({
			...quick,
			fails: accesses++ === 2 ? 'after' : undefined,
		}));
		// It is unknown who wrote the note.
		expect(await clock.until(execution(first, ['a']))).toEqual(['inDoubt']);
	});
});

test('a run that is stopped while the store is slow: all is noted behind it', async () => {
	const next = { ...quick };
	const { clock, first, second, shared } = processes(2, () => ({ ...next }));
	const stop = new AbortController();
	const run = first.run({ signal: stop.signal });
	const [sent, unused, cutOff] = ['a', 'b', 'c'].map((key) => run.claim(key, 0));
	await clock.until(Promise.all([sent, unused, cutOff].map(async (claim) => await claim?.result)));
	sent?.end('sent');
	cutOff?.end('inDoubt');
	next.readMs = 3000;
	const late = run.claim('d', 60_000);
	await clock.pass(10);
	stop.abort();
	// Nothing waits for it: a cancelled run has already returned.
	const closed = run.close();
	next.readMs = 1;
	await clock.pass(10_000);
	expect(await clock.until(late.result)).not.toBe('free');
	expect(await closed).toEqual([]);
	expect(clock.asleep).toBe(0);
	expect(shared.lease).toBeUndefined();
	expect(await clock.until(execution(second, ['a', 'b', 'c', 'd']))).toEqual([
		'sent',
		'free',
		'inDoubt',
		'free',
	]);
	expect(await clock.until(execution(first, ['a', 'b', 'd']))).toEqual(['sent', 'sent', 'sent']);
});

describe('a Remove Duplicates node with the Scope "Workflow" in the same workflow', () => {
	const row = { mode: 'entries' as const, data: ['x'] };

	test('nothing leaves, the items say what to do, and that node keeps what it knows', async () => {
		const { clock, first, shared } = processes(1);
		shared.put('workflow', row);
		const run = first.run();
		const ends = await clock.until(
			Promise.all(['a', 'b'].map(async (key) => await run.claim(key, 1000).result)),
		);
		for (const end of ends) {
			const description = expect.stringMatching(/Remove Duplicates.*Deduplication Failed/) as string;
			expect(end).toMatchObject({ outcome: 'unsent', description });
		}
		await clock.until(run.close());
		expect(clock.now()).toBeLessThan(15_000);
		expect(shared.lease).toEqual(row);
		// Its history was cleared and its Scope set to "Node".
		shared.put('workflow', undefined);
		expect(await clock.until(execution(first, ['a']))).toEqual(['free']);
	});

	test('which comes while messages are under way: the keys are named, as when the store fails', async () => {
		const { clock, first, shared } = processes(1);
		const run = first.run();
		const claim = run.claim('a', 1000);
		await clock.until(claim.result);
		await clock.pass(10);
		shared.put('workflow', row);
		claim.end('sent');
		expect(await clock.until(run.close())).toEqual(['a']);
	});
});
