import fc from 'fast-check';

import {
	AdaptiveLimiter,
	fixedLimiter,
	type Latency,
	type Limiter,
} from '../../../../nodes/Messaging/delivery/pace/limiter.ts';

/** An answer that took this long while nothing else was to be done, unless there was. */
const took = (ms: number, busyMs = 0): Latency => ({ ms, idleMs: ms - busyMs });

/** Feeds whole rounds of answers, as many as the bound was at the start of each. */
function rounds(limiter: Limiter, count: number, latencyMs: number, busyMs = 0): number[] {
	return Array.from({ length: count }, () => {
		for (let left = limiter.bound; left > 0; left--) limiter.sample(took(latencyMs, busyMs), false);
		return limiter.bound;
	});
}

/** A limiter after its first two rounds of answers: at 128. */
function begun(latencyMs: number): AdaptiveLimiter {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 2, latencyMs);
	return limiter;
}

test('a fixed bound stays, whatever happens', () => {
	const limiter = fixedLimiter(300);
	rounds(limiter, 3, 10);
	limiter.sample(took(10_000), true);
	expect(limiter.bound).toBe(300);
});

test('it starts at 16, and grows to 128 within two rounds while there is nothing to do but wait', () => {
	const limiter = new AdaptiveLimiter();
	expect(limiter.bound).toBe(16);
	expect(rounds(limiter, 3, 100)).toEqual([64, 128, 128]);
});

test('it goes to what would have kept this process busy, and a little further', () => {
	expect(rounds(new AdaptiveLimiter(), 1, 60, 20)).toEqual([60]);
	expect(rounds(new AdaptiveLimiter(), 1, 60, 40)).toEqual([30]);
});

test('a refusal halves it at once, but only once in a round', () => {
	const limiter = begun(20);
	limiter.sample(took(20), true);
	expect(limiter.bound).toBe(64);
	for (let n = 0; n < 50; n++) limiter.sample(took(20), true);
	expect(limiter.bound).toBe(64);
});

test('after a refusal it grows by steps instead of doubling', () => {
	const limiter = begun(20);
	limiter.sample(took(20), true);
	const before = limiter.bound;
	// The first of these rounds is the one that had the refusal.
	for (let n = 1; n < 128; n++) limiter.sample(took(20), false);
	expect(limiter.bound).toBe(before);
	const [next] = rounds(limiter, 1, 20);
	expect(next).toBeGreaterThan(before);
	expect(next).toBeLessThan(before * 1.5);
});

test('it shrinks when answers become slower, and grows again when they recover', () => {
	const limiter = begun(20);
	const slow = rounds(limiter, 2, 200);
	expect(slow[0]).toBe(64);
	expect(slow[1]).toBe(32);
	expect(rounds(limiter, 30, 20).at(-1)).toBeGreaterThan(100);
});

test('a route that became slower for good is not held against the service for ever', () => {
	const limiter = begun(20);
	expect(rounds(limiter, 400, 100).at(-1)).toBeGreaterThan(64);
});

test('the jitter of fast answers does no harm', () => {
	const limiter = begun(1);
	expect(rounds(limiter, 5, 8)).toEqual([128, 128, 128, 128, 128]);
});

describe('what takes time here is not held against the service', () => {
	test('the bound does not shrink when answers only lay here for longer', () => {
		const limiter = begun(20);
		expect(rounds(limiter, 5, 300, 270)).toEqual([128, 128, 128, 128, 128]);
	});

	test('it does not grow either while this process is never idle: that would only make its turns longer', () => {
		const limiter = new AdaptiveLimiter();
		expect(rounds(limiter, 10, 60, 59)).toEqual(Array(10).fill(16));
	});

	test('and grows on when it is idle again', () => {
		const limiter = new AdaptiveLimiter();
		rounds(limiter, 10, 60, 59);
		expect(rounds(limiter, 1, 60, 20)).toEqual([60]);
	});

	test('a service that becomes slow all the same is seen: then this process is idle', () => {
		const limiter = begun(20);
		rounds(limiter, 10, 120, 118);
		expect(rounds(limiter, 3, 400, 60)).toEqual([64, 32, 16]);
	});
});

describe('beside a service that slows down under load', () => {
	/** Lets a limiter settle beside a service that takes longer for each request, the more there are of them. */
	function settled(latencyAt: (inFlight: number) => number, busyMs: number): number {
		const limiter = new AdaptiveLimiter();
		for (let round = 0; round < 15; round++) {
			const waited = latencyAt(limiter.bound);
			rounds(limiter, 1, waited + busyMs, busyMs);
		}
		return limiter.bound;
	}

	test.each([0, 5, 20])(
		'it finds where more at once only makes all of them slower, busy for %i ms',
		(busyMs) => {
			// It takes 16 at once in 20 ms; whatever is above that queues up.
			const bound = settled((inFlight) => 20 * Math.max(1, inFlight / 16), busyMs);
			expect(bound).toBeGreaterThanOrEqual(16);
			expect(bound).toBeLessThan(100);
		},
	);

	test('and leaves one alone that takes them all', () => {
		expect(settled(() => 100, 20)).toBe(128);
	});
});

test('refusals that come back fast do not make later answers look slow', () => {
	const limiter = new AdaptiveLimiter();
	for (let n = 0; n < 64; n++) limiter.sample(took(1), true);
	expect(rounds(limiter, 12, 100).at(-1)).toBeGreaterThanOrEqual(16);
});

test('whatever it is told, it stays between 1 and 128, and whole', () => {
	fc.assert(
		fc.property(
			fc.array(fc.tuple(fc.double({ min: 0, max: 60_000, noNaN: true }), fc.boolean()), {
				maxLength: 500,
			}),
			(samples) => {
				const limiter = new AdaptiveLimiter();
				for (const [latencyMs, turnedAway] of samples) {
					limiter.sample(took(latencyMs), turnedAway);
					expect(Number.isInteger(limiter.bound)).toBe(true);
					expect(limiter.bound).toBeGreaterThanOrEqual(1);
					expect(limiter.bound).toBeLessThanOrEqual(128);
				}
			},
		),
	);
});

test('however often it was refused, it finds its way up again', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 200 }), (refusals, latencyMs) => {
			const limiter = new AdaptiveLimiter();
			for (let n = 0; n < refusals; n++) limiter.sample(took(latencyMs), true);
			expect(rounds(limiter, 60, latencyMs).at(-1)).toBe(128);
		}),
		{ numRuns: 30 },
	);
});
