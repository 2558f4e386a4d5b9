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

describe('the share of a plan', () => {
	/** Slots after refusals that left about half of the plan. */
	function shared(): PlanSlots {
		const slots = slotsOf(50);
		for (let n = 0; n < 5; n++) slots.share.refuse(n, 0);
		return slots;
	}

	/** How many requests start in the second that begins at this moment. */
	const inASecond = (slots: PlanSlots, from: number) =>
		start(slots, 50, from, 5000).filter((at) => at < from + 1000).length;

	test('it falls with each pause, not with each refusal within a pause', () => {
		const once = slotsOf(50);
		const often = slotsOf(50);
		once.share.refuse(0, 1000);
		for (let n = 0; n < 10; n++) often.share.refuse(n * 100, 1000);
		const sent = inASecond(once, 1001);
		expect(sent).toBeLessThan(48);
		expect(inASecond(often, 1001)).toBe(sent);
		expect(inASecond(shared(), 5)).toBeLessThan(30);
	});

	test('it comes back slowly at first, and as a whole after half a minute', () => {
		const begin = inASecond(shared(), 5);
		expect(inASecond(shared(), 10_000)).toBeLessThanOrEqual(begin + 2);
		expect(inASecond(shared(), 20_000)).toBeLessThanOrEqual(42);
		expect(start(shared(), 30, 26_000, 30)).toEqual(Array(30).fill(26_000));
	});

	test('it is used evenly', () => {
		const moments = start(shared(), 16, 5);
		const between = moments.slice(2).map((at, n) => at - (moments[n + 1] ?? 0));
		expect(Math.max(...between) - Math.min(...between)).toBeLessThan(1);
	});

	test('it is used as a whole even if timers are late', () => {
		const slots = slotsOf(500);
		slots.share.refuse(0, 0);
		let started = 0;
		for (let now = 20; now <= 2000; now += 20) {
			for (; slots.freeAt(now) <= now; started++) make(slots, now);
		}
		expect(started).toBeGreaterThanOrEqual(900);
	});

	test('each further refusal takes a smaller part of it', () => {
		const slots = slotsOf(50);
		const spacings = Array.from({ length: 12 }, (_, n) => {
			slots.share.refuse(n, n);
			const [first = 0, second = 0] = start(slots, 4, 3000 + n).slice(2);
			return second - first;
		});
		const partOf = (n: number) => 1 - (spacings[n - 1] ?? 0) / (spacings[n] ?? 0);
		expect(partOf(11)).toBeLessThan(partOf(2) - 0.03);
	});

	test('no request waits longer than a window, however many start that do not keep to the plan', () => {
		const slots = shared();
		for (let n = 0; n < 500; n++) make(slots, 10);
		expect(slots.freeAt(10) - 10).toBeLessThanOrEqual(1001);
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
