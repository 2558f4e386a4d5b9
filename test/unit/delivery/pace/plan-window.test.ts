import { PlanWindow } from '../../../../nodes/Messaging/delivery/pace/plan-window.ts';

/** A window that is taken to be this much longer than the plan says. */
const LONGER = 1.0005;

/** A window with a plan of two requests in a second. */
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

test('it is idle when nothing is under way and nothing ended lately', () => {
	const window = windowOfTwo();
	expect(window.isIdleSince(0)).toBe(true);
	window.take();
	expect(window.isIdleSince(Infinity)).toBe(false);
	window.ended(10);
	expect([window.isIdleSince(10), window.isIdleSince(11)]).toEqual([false, true]);
});
