import { Alarm } from '../../../../nodes/Messaging/delivery/pace/alarm.ts';
import { KeyGate, type Pass, type Visitor } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock, rest } from '../fake-clock.ts';

const day = 86_400_000;

test('what was silenced rings no more, and what is set after that does', async () => {
	const clock = new FakeClock();
	const rung: number[] = [];
	const alarm = new Alarm(clock, () => void rung.push(clock.now()));
	alarm.setFor(100);
	alarm.setFor(50);
	alarm.silence();
	await rest();
	expect(clock.asleep).toBe(0);
	alarm.setFor(100);
	await clock.pass(1000);
	expect(rung).toEqual([100]);
});

describe('a gate at which nobody waits leaves nobody asleep', () => {
	const visitor = (signal: AbortSignal, maxWaitMs = 300_000): Visitor => ({
		keepToPlan: true,
		maxWaitMs,
		signal,
	});
	const never = new AbortController().signal;

	async function gateWith(plan: { limit: number; windowMs: number } | undefined) {
		const clock = new FakeClock();
		const gate = new KeyGate(clock, () => 0);
		gate.learnPlan(visitor(never), async () => ({ end: 'answered', found: { plan } }));
		await rest();
		return { clock, gate };
	}

	test('once a run is stopped that waited for a plan of a day', async () => {
		const { clock, gate } = await gateWith({ limit: 1, windowMs: day });
		const stop = new AbortController();
		const waiting = [1, 2].map(async () => await gate.enter(visitor(stop.signal)));
		await rest();
		expect(clock.asleep).toBeGreaterThan(0);
		stop.abort();
		expect(await Promise.all(waiting)).toEqual(['halted', 'halted']);
		await rest();
		expect(clock.asleep).toBe(0);
	});

	test('once all have passed who were held up by a refusal, and would have waited for much longer', async () => {
		const { clock, gate } = await gateWith(undefined);
		const first = (await gate.enter(visitor(never))) as Pass;
		first.leave('throttled', 1000);
		const others = [1, 2, 3].map(async () => {
			const pass = (await gate.enter(visitor(never, day))) as Pass;
			await clock.sleep(10);
			pass.leave('answered');
		});
		await clock.until(Promise.all(others));
		await clock.pass(1);
		expect(clock.asleep).toBe(0);
	});
});
