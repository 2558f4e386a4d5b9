import fc from 'fast-check';

import { PlanSlots } from '../../../../nodes/Messaging/delivery/pace/slots.ts';
import { runs } from '../../../runs.mts';

/** How much longer a window is assumed to be than the plan says. */
const LONGER = 1.0005;

function paceWith(limit: number): PlanSlots {
	const pace = new PlanSlots();
	pace.plan = { limit, windowMs: 1000 };
	return pace;
}

/** Makes requests that leave and end at these moments. */
function make(pace: PlanSlots, ...moments: number[]): void {
	for (const at of moments) {
		pace.take(at);
		pace.ended(at);
	}
}

/** When requests leave, each as soon as it may, if so many are to leave. Each ends at once. */
function leave(pace: PlanSlots, count: number, from: number, wanted = 1): number[] {
	let now = from;
	return Array.from({ length: count }, (_, n) => {
		now = pace.freeAt(now);
		pace.take(now, Math.max(1, wanted - n));
		pace.ended(now);
		return now;
	});
}

describe('requests that the plan does not hold', () => {
	const needed = (limit: number, count: number) => (Math.ceil(count / limit) - 1) * 1000;

	test('four of five leave at once, the others over the window', () => {
		const moments = leave(paceWith(50), 60, 7, 60);
		expect(moments[39]).toBe(7);
		const kept = moments.slice(40, 50).map((at) => at - 7);
		expect(kept.every((at, n) => at >= 80 * (n + 1) - 50 && at <= 100 * (n + 1))).toBe(true);
	});

	test.each([60, 110, 300, 600, 1500, 5000])(
		'all of %i have left hardly later than the plan needs',
		(count) => {
			const last = leave(paceWith(50), count, 0, count).at(-1) ?? NaN;
			expect(last).toBeLessThanOrEqual(needed(50, count) * 1.05 * LONGER);
		},
	);

	test('of many, each window but the first is used evenly', () => {
		const moments = leave(paceWith(50), 2000, 7, 5000).slice(100);
		const tens = moments.slice(10).map((at, n) => at - (moments[n] ?? 0));
		expect(tens.every((ms) => ms >= 140 && ms <= 260)).toBe(true);
	});

	test('those that it holds leave at once, also those that come after them', () => {
		const pace = paceWith(50);
		expect(leave(pace, 30, 7, 30)).toEqual(Array(30).fill(7));
		expect(leave(pace, 20, 8, 20)).toEqual(Array(20).fill(8));
	});

	test('a run that has not sent lately finds a slot at any time in the first window', () => {
		const pace = paceWith(50);
		leave(pace, 45, 0, 5000);
		const now = pace.freeAt(0) - 10;
		expect(pace.freeAt(now)).toBeGreaterThan(now);
		expect(pace.freeAt(now, -Infinity)).toBe(now);
	});
});

describe('the share of a plan', () => {
	/** A pace after many refusals at once. */
	function crowded(): PlanSlots {
		const pace = paceWith(50);
		for (let n = 0; n < 16; n++) pace.refused(0, 0);
		return pace;
	}

	test('it grows slowly, and after 25 seconds without a refusal it is the whole plan', () => {
		const pace = crowded();
		expect(pace.shareAt(0)).toBeCloseTo(0.4);
		expect(pace.shareAt(10_000)).toBeCloseTo(0.435);
		expect(pace.shareAt(25_000)).toBeLessThan(0.5);
		expect(pace.shareAt(25_001)).toBe(1);
	});

	test('it is sent evenly', () => {
		const moments = leave(crowded(), 16, 0);
		const between = moments.slice(2).map((at, n) => at - (moments[n + 1] ?? 0));
		expect(between.every((ms) => ms > 48 && ms < 52)).toBe(true);
	});

	test('after a delay it catches up a little, without a burst', () => {
		const pace = crowded();
		leave(pace, 5, 0);
		const later = leave(pace, 4, 10_000);
		expect(later.slice(0, 2)).toEqual([10_000, 10_000]);
		expect(later[3]).toBeGreaterThan(10_070);
	});

	test('no request waits longer than a window, or than one request of the share takes', () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.nat({ max: 20_000 }), fc.constantFrom('take', 'refused')), { maxLength: 200 }),
				(steps) => {
					const pace = paceWith(50);
					let now = 0;
					for (const [afterMs, what] of steps) {
						now += afterMs;
						if (what === 'refused') pace.refused(now, now);
						else make(pace, now);
						const share = pace.shareAt(now);
						expect(pace.freeAt(now) - now).toBeLessThanOrEqual(Math.max(1000 * LONGER, 1000 / (50 * share)));
						expect(share).toBeGreaterThan(0);
						expect(share).toBeLessThanOrEqual(1);
					}
				},
			),
			runs(),
		);
	});
});
