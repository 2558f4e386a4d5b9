import { gateOf, KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { RunQueue, type QueueSettings } from '../../../../nodes/Messaging/delivery/pace/run-queue.ts';
import type { NoStart, Start } from '../../../../nodes/Messaging/delivery/pace/queued-call.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import { type Failure, failureBy } from '../../../../nodes/Messaging/service/endings.ts';
import type { Plan } from '../../../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../../../nodes/Messaging/service/reply.ts';
import { FakeClock } from '../fake-clock.mts';

type Answer = Start | NoStart;
type MeAnswer = Plan | 'no plan' | 'refused' | 'failed' | 'throttled';

/** How a request ends; `unavailable` is a 503 that was not processed. */
type Ending = 'answered' | 'unavailable' | Failure['cause'];

const NO_WORDS = { message: '', description: '' };

function resultOf(ending: Ending, waitMs?: number): Reply | Failure {
	if (ending === 'answered') return { status: 200, headers: {}, body: {} };
	const given = waitMs === undefined ? {} : { waitMs };
	if (ending === 'unavailable') return failureBy('throttled', NO_WORDS, { statusCode: 503, ...given });
	return failureBy(ending, NO_WORDS, given);
}

/** A call: of a new run, unless one is given, whose first call never waits for the plan. */
interface Given extends Partial<QueueSettings> {
	run?: RunQueue;
	channel?: string;
	maxWaitMs?: number;
	laterSince?: number;
	/** Whether the run has made its first call, so that this one waits for the plan. */
	isLater?: boolean;
	/** Whether it changes something, so that the address is checked first. */
	changes?: boolean;
}

function replyOf(answer: MeAnswer): Reply | Failure {
	if (answer === 'failed') return failureBy('doubtful', NO_WORDS);
	if (answer === 'refused' || answer === 'throttled') return failureBy(answer, NO_WORDS);
	const plan = answer === 'no plan' ? undefined : { limit: answer.limit, seconds: answer.windowMs / 1000 };
	return { status: 200, headers: {}, body: { resourcePlan: plan } };
}

/** More than the calls of a test. */
const LARGE_PLAN: Plan = { limit: 1_000_000, windowMs: 1000 };

/** A gate, and calls that record when they were let through. */
class GateUnderTest {
	readonly clock = new FakeClock();
	readonly gate: KeyGate;
	/** Which call got which answer when, in order. */
	readonly answers: Array<{ who: string; answer: Answer; at: number }> = [];
	/** When GET /Me was sent. */
	readonly askedAt: number[] = [];
	readonly service: Service = {
		id: 'gate under test',
		request: () => {
			this.askedAt.push(this.clock.now());
			return new Promise((resolve) => (this.#reply = resolve));
		},
	};

	#reply: (reply: Reply | Failure) => void = () => {};

	/** @param random what the gate draws */
	constructor(random = 0) {
		this.gate = new KeyGate(this.clock, () => random);
	}

	runWith({ keepToPlan = true, maxInFlight, signal = new AbortController().signal }: Given = {}): RunQueue {
		return new RunQueue(this.gate, { service: this.service, keepToPlan, maxInFlight, signal });
	}

	visit(who: string, { channel = '', maxWaitMs = 300_000, laterSince, ...given }: Given = {}): void {
		const { changes = false, isLater = false, run = this.runWith(given) } = given;
		if (isLater) run.started = 1;
		const call = { changes, channel, maxWaitMs, ...(laterSince !== undefined && { laterSince }) };
		void run.enter(call).then((answer) => this.answers.push({ who, answer, at: this.clock.now() }));
	}

	/** The same, and then it has been let through if it may leave at once. */
	async arrive(who: string, given: Given = {}): Promise<void> {
		this.visit(who, given);
		await this.clock.pass(0);
	}

	visitAll(count: number, given: Given = {}): void {
		for (let n = 1; n <= count; n++) this.visit(String(n), given);
	}

	visitLater(who: string, given: Given = {}): void {
		this.visit(who, { isLater: true, ...given });
	}

	async tell(answer: MeAnswer): Promise<void> {
		this.#reply(replyOf(answer));
		await this.clock.pass(1);
	}

	/** The calls let through so far. */
	get through(): string[] {
		return this.answers.flatMap(({ who, answer }) => (answer.kind === 'noStart' ? [] : [who]));
	}

	pass(who: string): Start {
		const found = this.answers.find((entry) => entry.who === who)?.answer;
		if (found?.kind !== 'start') throw new Error(`${who} is not through: ${found?.why}`);
		return found;
	}

	/** A gate with one call, "first", that has ended like this. */
	static async after(end: Ending, waitMs?: number, plan?: Plan): Promise<GateUnderTest> {
		const on = new GateUnderTest();
		if (plan !== undefined) await on.learn(plan);
		await on.arrive('first');
		on.pass('first').finish(resultOf(end, waitMs));
		return on;
	}

	/** Lets the gate learn the plan without time passing. */
	async learn(plan: Plan): Promise<void> {
		const over = new AbortController();
		this.visitLater('learner', { signal: over.signal });
		await this.clock.pass(0);
		this.#reply(replyOf(plan));
		// It was only needed to trigger the request.
		over.abort();
		await this.clock.pass(1);
		this.answers.length = 0;
	}
}

describe('the plan is requested', () => {
	const plan = { limit: 5, windowMs: 1000 };
	const minute = 60_000;

	/** When the plan is requested, if calls need it at these moments and each request ends with this answer. */
	async function requestsOver(answer: MeAnswer, moments: number[]): Promise<number[]> {
		const on = new GateUnderTest();
		for (const moment of moments) {
			await on.clock.pass(moment - on.clock.now());
			const before = on.askedAt.length;
			on.visitLater(String(moment));
			await on.clock.pass(0);
			if (on.askedAt.length > before) await on.tell(answer);
			on.pass(String(moment)).finish(resultOf('answered'));
		}
		return on.askedAt;
	}

	test.each<[what: string, MeAnswer, forMs: number]>([
		['once in ten minutes', plan, 10 * minute],
		['as rarely when the key shows none', 'no plan', 10 * minute],
		['again after a minute when it could not be found out', 'refused', minute],
		['again after a second when it was refused for now', 'throttled', 1000],
	])('%s', async (_what, answer, forMs) => {
		expect(await requestsOver(answer, [0, 10, forMs - 10, forMs + 10])).toEqual([0, forMs + 10]);
	});

	test('by the second call of a run, not by the first, and not for a run that does not keep to it', async () => {
		const on = new GateUnderTest();
		const run = on.runWith();
		on.visit('first', { run });
		on.visitLater('free', { keepToPlan: false });
		await on.clock.pass(0);
		expect([on.through, on.askedAt]).toEqual([['first', 'free'], []]);
		await on.arrive('second', { run });
		expect([on.through, on.askedAt]).toEqual([['first', 'free'], [0]]);
	});

	test('and one that is known stays in force when a later request fails', async () => {
		const on = new GateUnderTest();
		await on.learn(plan);
		await on.clock.pass(11 * minute);
		on.visitLater('later');
		await on.clock.pass(0);
		await on.tell('refused');
		expect([on.askedAt.length, on.gate.slots.plan]).toEqual([2, plan]);
	});

	test('in a slot of the plan itself, which it waits for', async () => {
		const on = new GateUnderTest();
		await on.learn({ limit: 3, windowMs: 20 * minute });
		on.visitAll(2);
		await on.clock.pass(0);
		on.pass('1').finish(resultOf('answered'));
		on.pass('2').finish(resultOf('answered'));
		await on.clock.pass(11 * minute);
		on.visitLater('somebody');
		await on.clock.pass(8 * minute);
		expect(on.askedAt).toHaveLength(1);
		await on.clock.pass(2 * minute);
		expect(on.askedAt).toHaveLength(2);
	});

	test('not again after a probe, which shows it as well', async () => {
		const on = await GateUnderTest.after('doubtful');
		on.visitLater('waiting');
		await on.clock.pass(1);
		await on.tell(plan);
		on.pass('waiting').finish(resultOf('answered'));
		on.visitLater('next');
		await on.clock.pass(1);
		expect([on.askedAt.length, on.through, on.gate.slots.plan]).toEqual([
			1,
			['first', 'waiting', 'next'],
			plan,
		]);
	});

	test('in vain: then one call is tried before the others leave', async () => {
		const on = new GateUnderTest();
		for (let n = 1; n <= 10; n++) on.visitLater(String(n));
		await on.clock.pass(0);
		await on.tell('failed');
		await on.clock.pass(1000);
		expect(on.through).toEqual(['1']);
		on.pass('1').finish(resultOf('answered'));
		await on.clock.pass(1);
		// Without a plan, eight are in flight at first.
		expect(on.through).toHaveLength(9);
	});

	test('by the next run, when the one that requested it is stopped', async () => {
		const on = new GateUnderTest();
		const stop = new AbortController();
		on.visitLater('stopped', { signal: stop.signal });
		on.visitLater('other');
		await on.clock.pass(0);
		stop.abort();
		await on.tell('failed');
		expect([on.askedAt.length, on.through]).toEqual([2, []]);
		await on.tell(plan);
		expect([on.through, on.gate.slots.plan]).toEqual([['other'], plan]);
	});
});

test('a call that does not keep to the plan passes, and is counted', async () => {
	const on = new GateUnderTest();
	await on.learn({ limit: 2, windowMs: 1000 });
	await on.clock.pass(2000);
	on.visit('kept 1');
	on.visit('kept 2');
	on.visit('kept 3');
	await on.arrive('free', { keepToPlan: false });
	expect(on.through).toEqual(['kept 1', 'kept 2', 'free']);
	for (const who of on.through) on.pass(who).finish(resultOf('answered'));
	await on.clock.pass(1002);
	expect(on.through).toEqual(['kept 1', 'kept 2', 'free', 'kept 3']);
});

/** The time between two calls, after two calls that started together, and the trial after them, ended like this. */
async function spacingAfter(first: Ending, second: Ending, trial: Ending): Promise<number> {
	const on = new GateUnderTest();
	await on.learn({ limit: 10, windowMs: 1000 });
	await on.clock.pass(2000);
	on.visitAll(2);
	await on.clock.pass(0);
	on.pass('1').finish(resultOf(first, 1000));
	on.pass('2').finish(resultOf(second, 1000));
	on.visit('trial');
	await on.clock.pass(1000);
	on.pass('trial').finish(resultOf(trial, 1000));
	await on.clock.pass(1000);
	for (let n = 1; n <= 8; n++) on.visitLater(`later ${n}`);
	await on.clock.pass(0);
	// If the trial was refused, this is the next one.
	on.pass('later 1').finish(resultOf('answered'));
	await on.clock.pass(1000);
	const startedAt = (who: string): number => on.answers.find((answer) => answer.who === who)?.at ?? NaN;
	return startedAt('later 6') - startedAt('later 5');
}

test.each<[string, Ending, Ending, Ending, ms: [number, number]]>([
	['shows that others use the key: calls start one by one', 'throttled', 'answered', 'answered', [105, 120]],
	['shows nothing more if it is that of a trial', 'throttled', 'answered', 'throttled', [105, 120]],
	['shows nothing if the service was there for nobody', 'unavailable', 'answered', 'answered', [0, 0]],
])('a refusal although the run kept to the plan %s', async (_what, first, second, trial, [least, most]) => {
	const spacing = await spacingAfter(first, second, trial);
	expect(spacing).toBeGreaterThanOrEqual(least);
	expect(spacing).toBeLessThanOrEqual(most);
});

describe('told to come back later', () => {
	test('no call passes until the time is over, not even one with Keep to Plan off', async () => {
		const on = await GateUnderTest.after('throttled', 5000);
		on.visit('kept');
		on.visit('free', { keepToPlan: false });
		await on.clock.pass(4999);
		expect(on.through).toEqual(['first']);
		await on.clock.pass(1);
		expect(on.through).toHaveLength(2);
	});

	test('an answer of any kind will do, no answer will not: then the next one probes', async () => {
		const on = await GateUnderTest.after('throttled', 1000, LARGE_PLAN);
		on.visitAll(10);
		await on.clock.pass(2000);
		on.pass('1').finish(resultOf('cutOff'));
		await on.clock.pass(10);
		expect(on.through).toEqual(['first', '1', '2']);
		on.pass('2').finish(resultOf('answered'));
		await on.clock.pass(10);
		expect(on.through).toHaveLength(11);
	});

	test('without a time it comes back after a tenth of a second, and less and less often after that', async () => {
		const on = await GateUnderTest.after('throttled');
		const pauses: number[] = [];
		for (let n = 1; n <= 30; n++) {
			const before = on.clock.now();
			on.visit(String(n), { maxWaitMs: Infinity });
			while (on.through.length <= n) await on.clock.passToNext();
			pauses.push(Math.round(on.clock.now() - before));
			on.pass(String(n)).finish(resultOf('throttled'));
		}
		expect(pauses[0]).toBe(100);
		expect(pauses.every((pause, n) => pause >= (pauses[n - 1] ?? 0))).toBe(true);
		expect(Math.round((pauses[9] ?? 0) / 500)).toBe(2);
		expect(pauses.at(-1)).toBeLessThanOrEqual(33_000);
		expect(pauses.at(-1)).toBeGreaterThanOrEqual(30_000);
	});

	test.each<[Ending]>([['throttled'], ['unavailable']])(
		'for longer than the call may wait (%s): nothing more of its run leaves, and a later run tries once',
		async (end) => {
			const on = new GateUnderTest();
			const run = on.runWith();
			await on.arrive('first', { run });
			on.visitAll(3, { run });
			on.pass('first').finish(resultOf(end, 300_001));
			on.visit('4', { run });
			await on.clock.pass(1);
			expect(on.answers.slice(1).map(({ who, answer }) => [who, answer])).toEqual(
				['1', '2', '3', '4'].map((who) => [who, { kind: 'noStart', why: 'comeBack', comeBackAt: 300_001 }]),
			);

			const later = on.runWith();
			on.visit('5', { run: later });
			on.visit('6', { run: later });
			await on.clock.pass(60_000);
			expect(on.through).toEqual(['first', '5']);
			on.pass('5').finish(resultOf(end, 300_001));
			await on.clock.pass(1);
			expect(on.answers.at(-1)).toMatchObject({ who: '6', answer: { kind: 'noStart', why: 'comeBack' } });
		},
	);
});

test('a call that waits for the answer to GET /Me waits for that, not for a plan that is used up', async () => {
	const on = new GateUnderTest();
	const run = on.runWith();
	on.visitLater('1', { run });
	await on.clock.pass(5000);
	expect(run.waiting?.waitsFor).toMatchObject({ why: 'me', since: 0 });
	await on.tell({ limit: 1, windowMs: 60_000 });
	expect(run.waiting?.waitsFor).toMatchObject({ why: 'plan' });
});

describe('how many calls a run may have in flight', () => {
	/** How many of 300 calls may be in flight at once; then this many of them end like this, and the others never start. */
	async function boundBefore(on: GateUnderTest, end: Ending): Promise<number> {
		on.answers.length = 0;
		const over = new AbortController();
		on.visitAll(300, { signal: over.signal });
		await on.clock.pass(400_000);
		over.abort();
		const started = on.through;
		for (const who of started) on.pass(who).finish(resultOf(end));
		await on.clock.pass(1);
		return started.length;
	}

	test('with a known plan, 32 at first, one more with each success up to 128, and half as many after refusals', async () => {
		const on = new GateUnderTest();
		await on.learn(LARGE_PLAN);
		expect(await boundBefore(on, 'answered')).toBe(32);
		expect(await boundBefore(on, 'answered')).toBe(64);
		expect(await boundBefore(on, 'answered')).toBe(128);
		// Those that left together are one refusal.
		expect(await boundBefore(on, 'throttled')).toBe(128);
		await on.arrive('trial');
		await on.clock.pass(1000);
		on.pass('trial').finish(resultOf('answered'));
		expect(await boundBefore(on, 'answered')).toBe(64);
	});
});

describe('for how long somebody waits', () => {
	const lastAnswer = (on: GateUnderTest) => on.answers.at(-1);
	test('a call that is told to come back again and again ends after Max Wait, even at an open gate', async () => {
		const on = new GateUnderTest();
		await on.clock.pass(5000);
		await on.arrive('in time', { laterSince: 1, maxWaitMs: 5000 });
		await on.arrive('late', { laterSince: 0, maxWaitMs: 5000 });
		expect(on.through).toEqual(['in time']);
		expect(lastAnswer(on)).toMatchObject({ who: 'late', answer: { kind: 'noStart', why: 'later' } });
	});

	test('behind a probe that takes its time it is no longer than allowed either', async () => {
		const on = await GateUnderTest.after('throttled', 1000);
		on.visit('probe', { maxWaitMs: 300_000 });
		await on.clock.pass(1001);
		on.visit('behind', { maxWaitMs: 5000 });
		await on.clock.pass(4999);
		expect(on.through).toEqual(['first', 'probe']);
		await on.clock.pass(2);
		expect(on.answers.at(-1)).toMatchObject({ who: 'behind', answer: { why: 'later' }, at: 6001 });
	});

	test('no call gives up because of the plan alone', async () => {
		const on = new GateUnderTest();
		await on.learn({ limit: 1, windowMs: 1_000_000 });
		on.visit('patient by nature', { maxWaitMs: 1 });
		await on.clock.pass(999_000);
		expect(on.answers).toEqual([]);
		await on.clock.pass(2000);
		expect(on.through).toHaveLength(1);
	});
});

test('a run that is over does not get in by an answer that ends it', async () => {
	const on = new GateUnderTest();
	const halt = new AbortController();
	await on.arrive('refused', { signal: halt.signal });
	on.pass('refused').finish(resultOf('throttled', 1000));
	on.visitAll(20, { signal: halt.signal });
	await on.clock.pass(1000);
	expect(on.through).toEqual(['refused', '1']);

	// As in stop mode: the probe fails permanently, which its run learns a few promises later.
	on.pass('1').finish(resultOf('answered'));
	for (let n = 0; n < 20; n++) await Promise.resolve();
	halt.abort();
	await on.clock.pass(1000);
	expect(on.through).toEqual(['refused', '1']);
});

describe('all runs of a key', () => {
	const service = (id: string) => ({ id, request: () => Promise.reject(new Error('nobody asks')) });

	test('share one gate, and each key has its own', () => {
		expect(gateOf(service('key a'))).toBe(gateOf(service('key a')));
		expect(gateOf(service('key a'))).not.toBe(gateOf(service('key b')));
	});

	test('keep it until a thousand other keys were used since', () => {
		const [used, unused] = [gateOf(service('used')), gateOf(service('unused'))];
		for (let n = 0; n < 1000; n++) {
			gateOf(service(`key ${n}`));
			expect(gateOf(service('used'))).toBe(used);
		}
		expect(gateOf(service('unused'))).not.toBe(unused);
	});
});

test('a plan without a free slot is told as what the run waits for', async () => {
	const on = new GateUnderTest();
	await on.learn({ limit: 2, windowMs: 60_000 });
	const run = on.runWith();
	on.visit('first', { run });
	await on.clock.pass(99);
	on.pass('first').finish(resultOf('answered'));
	expect(run.waiting).toBeUndefined();
	on.visit('waiting', { run });
	await on.clock.pass(1);
	expect(run.waiting?.waitsFor).toEqual({ why: 'plan', since: 100 });
	// A look in between does not begin the time anew.
	await on.clock.pass(20_000);
	await on.arrive('another');
	expect(run.waiting?.waitsFor?.since).toBe(100);
	// The slot of GET /Me is free a little more than a window after its answer.
	await on.clock.pass(60_029 - on.clock.now());
	expect(on.through).toEqual(['first']);
	await on.clock.pass(2);
	expect(on.through).toEqual(['first', 'waiting']);
});
