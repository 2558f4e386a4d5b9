import { PlanSlots } from '../../../../nodes/Messaging/delivery/pace/slots.ts';

function slotsOf(limit: number, windowMs = 1000): PlanSlots {
	const slots = new PlanSlots();
	slots.plan = { limit, windowMs };
	return slots;
}

/** Makes requests that start and finish at these moments. */
function make(slots: PlanSlots, ...moments: number[]): void {
	for (const at of moments) {
		slots.take(at);
		slots.finished(at);
	}
}

/** When requests start, each as soon as it may, if so many are queued. Each finishes at once. */
function start(slots: PlanSlots, count: number, from: number, queued = 1): number[] {
	let now = from;
	return Array.from({ length: count }, (_, n) => {
		now = slots.freeAt(now);
		slots.take(now, Math.max(1, queued - n));
		slots.finished(now);
		return now;
	});
}

describe('a slot', () => {
	test('is free one window after its request has finished, and a little later, because clocks differ', () => {
		const slots = slotsOf(1, 1_000_000);
		slots.take(0);
		expect(slots.freeAt(3_000_000)).toBe(Infinity);
		slots.finished(3_000_000);
		expect(slots.freeAt(3_000_001) - 3_000_000).toBeGreaterThanOrEqual(1_000_500);
		expect(slots.freeAt(3_000_001) - 3_000_000).toBeLessThanOrEqual(1_000_700);
	});

	test('is taken by what has finished before the plan was known, up to ten thousand requests', () => {
		const slots = new PlanSlots();
		for (let n = 0; n < 15_000; n++) make(slots, n);
		slots.plan = { limit: 10_001, windowMs: 1_000_000 };
		expect(slots.freeAt(15_000, -Infinity)).toBe(15_000);
		make(slots, 15_000);
		expect(slots.freeAt(15_000, -Infinity)).toBeGreaterThan(15_000);
	});
});

describe('calls that the plan does not hold', () => {
	test.each([1500, 5000])('of %i, each window but the first is used evenly', (count) => {
		const moments = start(slotsOf(50), 1000, 7, count).slice(100);
		const tens = moments.slice(10).map((at, n) => at - (moments[n] ?? 0));
		expect(tens.every((ms) => ms >= 140 && ms <= 260)).toBe(true);
	});

	test('a run that has not sent lately finds a slot at any time in the first window', () => {
		const slots = slotsOf(50);
		start(slots, 45, 0, 5000);
		const now = slots.freeAt(0) - 10;
		expect(slots.freeAt(now)).toBeGreaterThan(now);
		expect(slots.freeAt(now, -Infinity)).toBe(now);
	});
});

test('a window is nearly full when four of five slots are taken', () => {
	const slots = slotsOf(50);
	for (let n = 0; n < 39; n++) make(slots, n);
	expect(slots.isNearlyFull(40)).toBe(false);
	slots.take(40);
	expect(slots.isNearlyFull(40)).toBe(true);
	slots.finished(60);
	expect(slots.isNearlyFull(2000)).toBe(false);
});
