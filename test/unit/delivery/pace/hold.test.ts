import { KeyGate, type Pass, type Visitor } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock, rest } from '../fake-clock.ts';

/** A gate with a plan, and the passes of those who went through. */
async function gateWith(plan: { limit: number; windowMs: number } | undefined) {
	const clock = new FakeClock();
	const gate = new KeyGate(clock, () => 0);
	const visitor: Visitor = { keepToPlan: true, maxWaitMs: 300_000, signal: new AbortController().signal };
	const enter = async (): Promise<Pass> => {
		const pass = await gate.enter(visitor);
		if (typeof pass === 'string') throw new Error(pass);
		return pass;
	};
	gate.learnPlan(visitor, async () => ({ end: 'answered', found: { plan } }));
	await rest();
	return { clock, gate, enter };
}

test('nothing holds a call back where there is no plan, or a slot in it', async () => {
	for (const plan of [undefined, { limit: 10, windowMs: 60_000 }]) {
		const { gate, enter } = await gateWith(plan);
		(await enter()).leave('answered');
		expect(gate.hold(true)).toBeUndefined();
	}
});

test('a plan without a free slot holds those who keep to it, until one is free', async () => {
	const { clock, gate, enter } = await gateWith({ limit: 3, windowMs: 60_000 });
	for (let n = 0; n < 2; n++) (await enter()).leave('answered');
	expect(gate.hold(true)).toEqual({ by: 'plan' });
	expect(gate.hold(false)).toBeUndefined();
	await clock.pass(61_000);
	expect(gate.hold(true)).toBeUndefined();
});

test('a refusal holds everybody until its pause is over, and then until the probe is back', async () => {
	const { clock, gate, enter } = await gateWith(undefined);
	(await enter()).leave('throttled', 45_000);
	await clock.pass(15_000);
	for (const keepToPlan of [true, false]) {
		expect(gate.hold(keepToPlan)).toEqual({ by: 'pause', forMs: 30_000 });
	}
	await clock.pass(30_000);
	const probe = await enter();
	expect(gate.hold(true)).toEqual({ by: 'probe' });
	probe.leave('answered');
	expect(gate.hold(true)).toBeUndefined();
});

test('a share of a plan holds those who keep to it, until the next one is due', async () => {
	const { clock, gate, enter } = await gateWith({ limit: 10, windowMs: 10_000 });
	(await enter()).leave('throttled', 1000);
	await clock.pass(11_000);
	(await enter()).leave('answered');
	await enter();
	expect(gate.hold(true)).toEqual({ by: 'plan' });
	expect(gate.hold(false)).toBeUndefined();
	await clock.pass(4000);
	expect(gate.hold(true)).toBeUndefined();
});
