import fc from 'fast-check';

import { PlanShare, PlanWindow } from '../../../../nodes/Messaging/delivery/pace/plan.ts';

/** How much longer a window is assumed to be than the plan says. */
const LONGER = 1.0005;

/** A window with a plan of two requests per second. */
function windowOfTwo(): PlanWindow {
	const window = new PlanWindow();
	window.learn({ limit: 2, windowMs: 1000 });
	return window;
}

test('without a plan there is always a slot', () => {
	const window = new PlanWindow();
	for (let n = 0; n < 100; n++) window.take();
	expect(window.slotFreeAt(7)).toBe(7);
});

test('a full one hangs on the end of a request, then on the time since that end', () => {
	const window = windowOfTwo();
	window.take();
	expect(window.slotFreeAt(0)).toBe(0);
	window.take();
	expect(window.slotFreeAt(0)).toBe(Infinity);
	window.ended(500);
	expect(window.slotFreeAt(600)).toBe(500 + 1000 * LONGER);
	window.ended(700);
	expect(window.slotFreeAt(800)).toBe(500 + 1000 * LONGER);
});

test('a slot is free again one window after its request has ended', () => {
	const window = windowOfTwo();
	for (const at of [0, 100]) {
		window.take();
		window.ended(at);
	}
	window.tidy(1000);
	expect(window.slotFreeAt(1000)).toBe(1000 * LONGER);
	window.tidy(1001);
	expect(window.slotFreeAt(1001)).toBe(1001);
});

test('who takes a slot that is not free makes the others wait for longer', () => {
	const window = windowOfTwo();
	for (const at of [0, 100, 200]) {
		window.take();
		window.ended(at);
	}
	expect(window.slotFreeAt(300)).toBe(100 + 1000 * LONGER);
});

test('what ended before the plan was known counts', () => {
	const window = new PlanWindow();
	window.take();
	window.ended(0);
	window.learn({ limit: 1, windowMs: 1000 });
	expect(window.slotFreeAt(10)).toBe(1000 * LONGER);
	expect(window.knownPlan).toEqual({ limit: 1, windowMs: 1000 });
});

const PLAN = { limit: 50, windowMs: 1000 };

/** A share after refusals at these moments, each without a pause. */
function refusedAt(...moments: number[]): PlanShare {
	const share = new PlanShare();
	for (const at of moments) share.refused(at, at, 0);
	return share;
}

/** When this many requests leave, each as soon as it may. */
function departures(share: PlanShare, count: number, from: number, isFull = false): number[] {
	let now = from;
	return Array.from({ length: count }, () => {
		now = share.dueAt(now);
		share.take(now, PLAN, isFull);
		return now;
	});
}

test('it is the whole plan as long as nobody is refused, and holds nothing up', () => {
	const share = new PlanShare();
	expect([share.at(0), share.at(1e9)]).toEqual([1, 1]);
	expect(departures(share, 50, 7)).toEqual(Array(50).fill(7));
});

test.each([
	['what was got', 0.4, 0.4],
	['not less than three tenths, where nothing was', 0, 0.3],
	['and not more than half, because somebody else is there', 1, 0.5],
])('the first refusal makes it %s', (_what, got, expected) => {
	const share = new PlanShare();
	share.refused(100, 100, got);
	expect(share.at(100)).toBe(expected);
});

test('each further one takes a fifth of it, down to a fiftieth', () => {
	expect(refusedAt(0, 0).at(0)).toBeCloseTo(0.24);
	expect(refusedAt(...Array<number>(100).fill(0)).at(0)).toBe(0.02);
});

test('it grows slowly while a refusal is not long ago, then faster and faster, up to the whole plan', () => {
	const share = refusedAt(0);
	const gained = (from: number, to: number) => share.at(to * 1000) - share.at(from * 1000);
	expect(gained(0, 15)).toBeLessThan(0.1);
	expect(gained(20, 22)).toBeLessThan(gained(22, 24));
	expect(share.at(28_000)).toBeGreaterThanOrEqual(0.95);
	expect(share.at(40_000)).toBe(1);
});

test('the time of the pause does not count: nothing was sent that could have been refused', () => {
	const share = new PlanShare();
	share.refused(0, 60_000, 0);
	expect(share.at(60_000)).toBe(0.3);
	expect(share.at(61_000)).toBeGreaterThan(0.3);
});

test('it is sent evenly', () => {
	const share = refusedAt(0);
	const moments = departures(share, 16, 0);
	const between = moments.slice(2).map((at, n) => at - (moments[n + 1] ?? 0));
	expect(between.every((ms) => ms > 60 && ms < 68)).toBe(true);
});

test('who was held up catches up a little, and not by a burst', () => {
	const share = refusedAt(0);
	departures(share, 5, 0);
	const later = departures(share, 4, 10_000);
	expect(later.slice(0, 2)).toEqual([10_000, 10_000]);
	expect(later[3]).toBeGreaterThan(10_080);
});

test('a whole plan that was used up is handed out over a quarter of a window', () => {
	const share = new PlanShare();
	departures(share, 1, 0, true);
	const moments = departures(share, 50, 1000);
	expect(moments.at(-1)).toBeGreaterThan(1200);
	expect(moments.at(-1)).toBeLessThanOrEqual(1250);
	expect(departures(share, 50, 5000)).toEqual(Array(50).fill(5000));
});

test('whatever happens, nobody waits for longer than a window, or than one request of the share takes', () => {
	fc.assert(
		fc.property(
			fc.array(fc.tuple(fc.nat({ max: 20_000 }), fc.constantFrom('take', 'full', 'refused')), {
				maxLength: 200,
			}),
			(steps) => {
				const share = new PlanShare();
				let now = 0;
				for (const [afterMs, what] of steps) {
					now += afterMs;
					if (what === 'refused') share.refused(now, now, 1);
					else share.take(now, PLAN, what === 'full');
					const longest = Math.max(PLAN.windowMs, PLAN.windowMs / (PLAN.limit * share.at(now)));
					expect(share.dueAt(now) - now).toBeLessThanOrEqual(longest);
					expect(share.at(now)).toBeGreaterThan(0);
					expect(share.at(now)).toBeLessThanOrEqual(1);
				}
			},
		),
	);
});
