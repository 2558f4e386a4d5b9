import fc from 'fast-check';

import { KeyGate } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll, successes } from '../run.mts';
import { SimulatedService } from './simulated-service.mts';
import { runs } from '../../../runs.mts';

/** How much longer a window is assumed to be than the plan says. */
const LONGER = 1.0005;
/** The round trip. */
const TRIP_MS = 5;

interface Plan {
	limit: number;
	seconds: number;
}

/** One process whose service has this plan. */
function processWith(plan: Plan) {
	const clock = new FakeClock();
	const latency = () => ({ thereMs: TRIP_MS / 2, backMs: TRIP_MS / 2 });
	const service = new SimulatedService(clock, { ...plan, algorithm: 'sliding', visible: true, latency });
	const gate = new KeyGate(clock, () => 0.5);
	const send = (count: number, signal = new AbortController().signal) =>
		sendAll(environment(clock, service, { gate, signal }), count);
	return { clock, service, send };
}

/** Sends a list, and a single message beside it at a moment: how long that waits, and when the list is done. */
async function sendBeside(count: number, plan: Plan, singleAt: number) {
	const { clock, service, send } = processWith(plan);
	let doneAt = NaN;
	const list = send(count).then((ends) => {
		doneAt = clock.now();
		return ends;
	});
	await clock.pass(singleAt);
	expect(successes(await clock.until(send(1)))).toBe(1);
	const waitMs = clock.now() - singleAt - TRIP_MS;
	expect(successes(await clock.until(list))).toBe(count);
	expect(service.refused).toEqual([]);
	return { waitMs, doneAt };
}

/** When a list is done that has no other beside it. */
async function doneAlone(count: number, plan: Plan): Promise<number> {
	const { clock, service, send } = processWith(plan);
	expect(successes(await clock.until(send(count)))).toBe(count);
	expect(service.refused).toEqual([]);
	return clock.now();
}

/** How many windows a list takes beyond the first one, /Me counted in. */
const windowsOf = (count: number, limit: number) => Math.ceil((count + 1) / limit) - 1;

/** When a list can be done that begins with a full burst, and begins each window with another. */
const soonest = (count: number, { limit, seconds }: Plan) =>
	windowsOf(count, limit) * (seconds * 1000 * LONGER + 4 * TRIP_MS) + 100;

test.each([
	[190, 100, 30, 3],
	[110, 60, 20, 2],
	[110, 60, 60, 6],
	[290, 100, 30, 6],
	[95, 50, 1, 0.14],
])(
	'behind %i messages at %i per %i seconds a single one waits at most %d s, whenever it comes',
	async (count, limit, seconds, mostSeconds) => {
		const plan = { limit, seconds };
		const windows = Math.min(3, windowsOf(count, limit) + 1);
		for (let at = 100; at < windows * seconds * 1000; at += (seconds * 1000) / 9) {
			const { waitMs, doneAt } = await sendBeside(count, plan, at);
			expect(waitMs).toBeLessThanOrEqual(mostSeconds * 1000);
			expect(doneAt).toBeLessThanOrEqual(1.1 * soonest(count, plan));
		}
	},
);

test('behind a list with fewer slots to spare than windows it waits for two of them', async () => {
	for (let at = 100; at < 90_000; at += 7000) {
		const { waitMs } = await sendBeside(1090, { limit: 100, seconds: 30 }, at);
		expect(waitMs).toBeLessThanOrEqual(7000);
	}
});

test('if the last window has slots to spare, a single message waits for a window at most, with a plan of 20 or more for half of one, and delays the list by that', async () => {
	const list = fc.record({
		limit: fc.integer({ min: 6, max: 60 }),
		seconds: fc.integer({ min: 1, max: 60 }),
		windows: fc.integer({ min: 1, max: 4 }),
		part: fc.double({ min: 0, max: 1, noNaN: true }),
		moment: fc.double({ min: 0, max: 1, noNaN: true }),
	});
	await fc.assert(
		fc.asyncProperty(list, async ({ limit, seconds, windows, part, moment }) => {
			// The single message takes a slot, one is for GET /Me, and some are given out late.
			const most = limit - windows - 3;
			fc.pre(most >= 1);
			const count = windows * limit + 1 + Math.floor(part * (most - 1));
			const plan = { limit, seconds };
			const at = 20 + moment * windows * seconds * 1000;
			const { waitMs, doneAt } = await sendBeside(count, plan, at);
			expect(waitMs).toBeLessThanOrEqual(200 + seconds * (limit < 20 ? 1000 : 500));
			expect(doneAt).toBeLessThanOrEqual(soonest(count, plan) + seconds * 500);
		}),
		runs(300),
	);
}, 60_000);

describe('a list takes no longer because slots are kept free', () => {
	test.each([
		...[
			[190, 100, 30],
			[110, 60, 20],
			[110, 60, 60],
			[110, 100, 30],
			[150, 100, 30],
			[198, 100, 30],
		],
		...[
			[290, 100, 30],
			[590, 100, 30],
			[1090, 100, 30],
			[70, 60, 60],
			[175, 60, 60],
			[55, 50, 1],
			[145, 50, 1],
		],
	] as Array<[number, number, number]>)('%i at %i per %i seconds', async (count, limit, seconds) => {
		expect(await doneAlone(count, { limit, seconds })).toBeLessThanOrEqual(
			soonest(count, { limit, seconds }),
		);
	});

	// Those have no slot to spare: /Me takes the last one.
	test.each([199, 299, 999])(
		'%i at 100 per 30 seconds take at most 5 %% longer than the plan needs',
		async (count) => {
			const plan = { limit: 100, seconds: 30 };
			expect(await doneAlone(count, plan)).toBeLessThanOrEqual(soonest(count, plan) * 1.05);
		},
	);
});

test('80 of 110 at 100 per 30 seconds arrive within three seconds', async () => {
	const { clock, service, send } = processWith({ limit: 100, seconds: 30 });
	const list = send(110);
	await clock.pass(3000);
	expect(service.accepted.length).toBeGreaterThanOrEqual(80);
	expect(successes(await clock.until(list))).toBe(110);
	expect(service.refused).toEqual([]);
});

test('if lists come faster than the plan allows, the whole plan is used', async () => {
	const { clock, service, send } = processWith({ limit: 6, seconds: 1 });
	for (let second = 0; second < 40; second++) {
		void send(8);
		await clock.pass(1000);
	}
	expect(service.counted.length).toBeGreaterThanOrEqual(0.95 * 6 * 40);
});

test('a list keeps slots free even after one that was stopped', async () => {
	const { clock, send } = processWith({ limit: 60, seconds: 20 });
	const stop = new AbortController();
	void send(5000, stop.signal);
	await clock.pass(5000);
	stop.abort();
	await clock.pass(60_000);
	void send(110);
	await clock.pass(4000);
	const began = clock.now();
	expect(successes(await clock.until(send(1)))).toBe(1);
	expect(clock.now() - began).toBeLessThanOrEqual(100);
});
