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

describe('the slots of a plan', () => {
	test('if all are taken, the next one is free a window after the first request has ended', () => {
		const pace = paceWith(2);
		pace.take(0);
		expect(pace.freeAt(0)).toBe(0);
		pace.take(0);
		expect(pace.freeAt(0)).toBe(Infinity);
		pace.ended(500);
		expect(pace.freeAt(600)).toBe(500 + 1000 * LONGER);
		pace.ended(700);
		expect(pace.freeAt(800)).toBe(500 + 1000 * LONGER);
		expect(pace.freeAt(1501)).toBe(1501);
	});

	test('a request that takes a slot although none is free makes the others wait longer', () => {
		const pace = paceWith(2);
		make(pace, 0, 100, 200);
		expect(pace.freeAt(300)).toBe(100 + 1000 * LONGER);
	});

	test('requests are counted in a long run as well', () => {
		const pace = paceWith(2);
		for (let n = 0; n < 50_000; n++) make(pace, n);
		expect(pace.freeAt(50_000)).toBeGreaterThanOrEqual(49_998 + 1000 * LONGER);
	});
});

describe('requests that the plan does not hold', () => {
	test('leave evenly, from the first one on', () => {
		const moments = leave(paceWith(50), 200, 7, 5000);
		const tens = moments.slice(10).map((at, n) => at - (moments[n] ?? 0));
		expect(tens.every((ms) => ms >= 140 && ms <= 260)).toBe(true);
	});

	test('those that it holds leave at once, also those that come after them', () => {
		const pace = paceWith(50);
		expect(leave(pace, 30, 7, 30)).toEqual(Array(30).fill(7));
		expect(leave(pace, 20, 8, 20)).toEqual(Array(20).fill(8));
	});

	test('share what is left until the next slot is free', () => {
		const pace = paceWith(50);
		leave(pace, 40, 0);
		const moments = leave(pace, 10, 0, 5000);
		expect(moments.at(-1)).toBeGreaterThan(800);
		expect(moments.at(-1)).toBeLessThan(1000);
	});
});

describe('the share of a plan', () => {
	/** A pace after refusals at these moments, each without a pause. */
	function refusedAt(...moments: number[]): PlanSlots {
		const pace = paceWith(50);
		for (const at of moments) pace.refused(at, at);
		return pace;
	}

	test('a refusal leaves less than half, and each further one a fifth less', () => {
		expect(refusedAt(100).shareAt(100)).toBe(0.4);
		expect(refusedAt(0, 0).shareAt(0)).toBeCloseTo(0.32);
	});

	test('it grows slowly, and after 25 seconds without a refusal it is the whole plan', () => {
		const pace = refusedAt(0);
		expect(pace.shareAt(10_000)).toBeCloseTo(0.44);
		expect(pace.shareAt(25_000)).toBeCloseTo(0.5);
		expect(pace.shareAt(25_001)).toBe(1);
	});

	test('it does not grow during a pause, because nothing could have been refused', () => {
		const pace = paceWith(50);
		pace.refused(0, 60_000);
		expect(pace.shareAt(60_000)).toBe(0.4);
		expect(pace.shareAt(61_000)).toBeGreaterThan(0.4);
	});

	test('it is sent evenly', () => {
		const moments = leave(refusedAt(0), 16, 0);
		const between = moments.slice(2).map((at, n) => at - (moments[n + 1] ?? 0));
		expect(between.every((ms) => ms > 48 && ms < 52)).toBe(true);
	});

	test('after a delay it catches up a little, without a burst', () => {
		const pace = refusedAt(0);
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
