import { newStats } from '../../../../nodes/Messaging/delivery/call.ts';
import type { Hold } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { Progress } from '../../../../nodes/Messaging/delivery/report/progress.ts';
import type { SoFar, Tally } from '../../../../nodes/Messaging/delivery/report/results.ts';
import type { Plan } from '../../../../nodes/Messaging/service/plan.ts';
import { FakeClock, rest } from '../fake-clock.ts';

const noon = Date.UTC(2026, 0, 1, 12);

const allDone: Tally = {
	total: 12_000,
	done: 12_000,
	rejected: 0,
	unsent: 0,
	unknown: 0,
	before: 0,
	underTheirKey: 0,
	keyed: 0,
	unkeyed: 0,
	partly: 0,
	changes: true,
};

/** A run whose place and reasons a test sets. */
function run(
	given: { keepToPlan?: boolean; write?: (line: string) => void; execution?: string | undefined } = {},
) {
	const clock = new FakeClock();
	const lines: string[] = [];
	const state = {
		soFar: { ended: 0, failed: 0 } as SoFar,
		hold: undefined as Hold | undefined,
		plan: undefined as Plan | undefined,
		stats: newStats(),
	};
	const { keepToPlan = true, write = (line: string) => void lines.push(line) } = given;
	const progress = new Progress(
		{
			what: 'message send',
			execution: 'execution' in given ? given.execution : '17',
			total: 12_000,
			gate: {
				hold: (keeps) => (state.hold?.by === 'plan' && !keeps ? undefined : state.hold),
				get knownPlan() {
					return state.plan;
				},
			},
			keepToPlan,
			stats: state.stats,
			soFar: () => state.soFar,
		},
		clock,
		write,
		() => noon + clock.now(),
	);
	return { clock, lines, state, progress };
}

test('a run that is over before thirty seconds says nothing, and leaves nobody asleep', async () => {
	const { clock, lines, progress } = run();
	await clock.pass(29_999);
	progress.ended(allDone, false);
	await rest();
	expect(clock.asleep).toBe(0);
	await clock.pass(3_600_000);
	expect(lines).toEqual([]);
});

test('a long run says every thirty seconds where it is, and how it ended, and nothing after that', async () => {
	const { clock, lines, state, progress } = run();
	state.soFar = { ended: 3000, failed: 2 };
	Object.assign(state.stats, { answers: 3000, answerMs: 2_550_000, underWay: 64 });
	await clock.pass(30_000);
	state.soFar = { ended: 3006, failed: 3 };
	Object.assign(state.stats, { answers: 3006, answerMs: 2_562_000, underWay: 1 });
	await clock.pass(45_000);
	progress.ended({ ...allDone, done: 11_996, rejected: 3, unknown: 1 }, false);
	await rest();
	expect(clock.asleep).toBe(0);
	await clock.pass(3_600_000);

	expect(lines).toEqual([
		'Unified Messaging, message send, execution 17: 3,000 of 12,000 items after 30 s, 2 failed; 100 a second, as the service takes 850 ms for an answer, 64 under way at once',
		'Unified Messaging, message send, execution 17: 3,006 of 12,000 items after 60 s, 3 failed; 0.2 a second, as the service takes 2 s for an answer, 1 under way at once',
		'Unified Messaging, message send, execution 17: ended after 75 s: 11,996 of 12,000 items went through; 3 rejected, 1 may have been sent',
	]);
});

test.each<[Partial<Tally>, stopped: boolean, end: string]>([
	[{}, false, 'ended after 2 min 10 s: 12,000 of 12,000 items went through'],
	[
		{ done: 5, unsent: 11_995 },
		true,
		'stopped after 2 min 10 s: 5 of 12,000 items went through; 11,995 not sent',
	],
])('its end, with %j', async (tally, stopped, end) => {
	const { clock, lines, progress } = run();
	await clock.pass(130_000);
	progress.ended({ ...allDone, ...tally }, stopped);
	expect(lines.at(-1)).toBe(`Unified Messaging, message send, execution 17: ${end}`);
});

/** What a line gives as the reason, when this happens in the half minute before it. */
async function reason(
	happens: (state: ReturnType<typeof run>['state']) => void,
	given: { keepToPlan?: boolean } = {},
): Promise<string> {
	const { clock, lines, state, progress } = run(given);
	// What happened before does not count: everything was refused then.
	Object.assign(state.stats, { turnedAway: 50, waitedMs: 1e6, answers: 50, answerMs: 100 });
	await clock.pass(30_000);
	happens(state);
	await clock.pass(30_000);
	progress.ended(allDone, false);
	return lines[1]?.split('; ')[1]?.replace('0.0 a second, ', '') ?? '';
}

const plan = { limit: 300, windowMs: 10_000 };

describe('why it is not faster', () => {
	test('the plan, where the calls waited for it for longer than for answers', async () => {
		const happens = (state: ReturnType<typeof run>['state']) => {
			state.plan = plan;
			state.stats.waitedMs += 2000;
			state.stats.answers += 10;
			state.stats.answerMs += 1999;
		};
		const words = 'as the plan of the API key allows: 300 requests in 10 s';
		expect(await reason(happens)).toBe(words);
		expect(await reason(happens, { keepToPlan: false })).not.toContain('plan');
		expect(
			await reason((state) => {
				happens(state);
				state.stats.answerMs += 2;
			}),
		).toBe('as the service takes 200 ms for an answer, 0 under way at once');
	});

	test('the plan, where its window is so long that no call has passed since', async () => {
		const happens = (state: ReturnType<typeof run>['state']) => {
			state.plan = { limit: 1000, windowMs: 86_400_000 };
			state.hold = { by: 'plan' };
		};
		expect(await reason(happens)).toBe('as the plan of the API key allows: 1,000 requests in 24 h');
	});

	test('a pause: until when', async () => {
		const words = await reason((state) => {
			state.plan = plan;
			state.hold = { by: 'pause', forMs: 90_000 };
		});
		expect(words).toBe('because the service said "later": nothing leaves until 2026-01-01T12:02:30.000Z');
	});

	test('the one request after a pause', async () => {
		expect(await reason((state) => void (state.hold = { by: 'probe' }))).toBe(
			'because the service said "later", and one request finds out whether it takes any again',
		);
	});

	test('many short pauses', async () => {
		const happens = (state: ReturnType<typeof run>['state']) => {
			state.plan = plan;
			state.stats.turnedAway += 3;
			state.stats.waitedMs += 25_000;
		};
		expect(await reason(happens)).toBe('because the service said "later" 3 times');
	});

	test('a service that does not answer at all', async () => {
		expect(await reason((state) => void (state.stats.underWay = 16))).toBe(
			'because no answer has come from the service, 16 under way at once',
		);
	});

	test('items that are read before the first call', async () => {
		expect(await reason(() => {})).toBe('because the items are being read');
	});
});

test('an execution without an id has none', async () => {
	const { clock, lines } = run({ execution: undefined });
	await clock.pass(30_000);
	expect(lines[0]).toMatch(/^Unified Messaging, message send: 0 of 12,000 items/);
});

test('a log that fails is nobody’s problem', async () => {
	let calls = 0;
	const write = () => {
		calls += 1;
		throw new Error('No space left on device');
	};
	const { clock, progress } = run({ write });
	await clock.pass(90_000);
	progress.ended(allDone, false);
	await rest();
	expect(calls).toBe(4);
});

test('a gate that fails ends the lines, not the process', async () => {
	const { clock, state, lines } = run();
	Object.defineProperty(state.stats, 'underWay', {
		get: () => {
			throw new Error('broken');
		},
	});
	await clock.pass(90_000);
	expect(lines).toEqual([]);
});
