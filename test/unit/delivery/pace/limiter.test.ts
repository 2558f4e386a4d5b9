import fc from 'fast-check';

import {
	AdaptiveLimiter,
	fixedLimiter,
	type Limiter,
} from '../../../../nodes/Messaging/delivery/pace/limiter.ts';

/** Feeds whole rounds of answers, as many as the bound was at the start of each. */
function rounds(limiter: Limiter, count: number, latencyMs: number): number[] {
	return Array.from({ length: count }, () => {
		for (let left = limiter.bound; left > 0; left--) limiter.sample(latencyMs, false);
		return limiter.bound;
	});
}

test('a fixed bound stays, whatever happens', () => {
	const limiter = fixedLimiter(300);
	rounds(limiter, 3, 10);
	limiter.sample(10_000, true);
	expect(limiter.bound).toBe(300);
});

test('it starts at 16, doubles while latency holds, and ends at 128', () => {
	const limiter = new AdaptiveLimiter();
	expect(limiter.bound).toBe(16);
	expect(rounds(limiter, 5, 20)).toEqual([32, 64, 128, 128, 128]);
});

test('a refusal halves it at once, but only once in a round', () => {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 3, 20);
	limiter.sample(20, true);
	expect(limiter.bound).toBe(64);
	for (let n = 0; n < 50; n++) limiter.sample(20, true);
	expect(limiter.bound).toBe(64);
});

test('after a refusal it grows by steps instead of doubling', () => {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 2, 20);
	limiter.sample(20, true);
	const before = limiter.bound;
	// The first of these rounds is the one that had the refusal.
	for (let n = 0; n < 64; n++) limiter.sample(20, false);
	expect(limiter.bound).toBe(before);
	const [next] = rounds(limiter, 1, 20);
	expect(next).toBeGreaterThan(before);
	expect(next).toBeLessThan(before * 1.5);
});

test('it shrinks when answers become slower, and grows again when they recover', () => {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 4, 20);
	const slow = rounds(limiter, 2, 200);
	expect(slow[0]).toBe(64);
	expect(slow[1]).toBe(32);
	expect(rounds(limiter, 30, 20).at(-1)).toBeGreaterThan(100);
});

test('a route that became slower for good is not held against the service for ever', () => {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 4, 20);
	expect(rounds(limiter, 400, 100).at(-1)).toBeGreaterThan(64);
});

test('the jitter of fast answers does no harm', () => {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 4, 1);
	expect(rounds(limiter, 5, 8)).toEqual([128, 128, 128, 128, 128]);
});

test('refusals that come back fast do not make later answers look slow', () => {
	const limiter = new AdaptiveLimiter();
	for (let n = 0; n < 64; n++) limiter.sample(1, true);
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
					limiter.sample(latencyMs, turnedAway);
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
			for (let n = 0; n < refusals; n++) limiter.sample(latencyMs, true);
			expect(rounds(limiter, 60, latencyMs).at(-1)).toBe(128);
		}),
		{ numRuns: 30 },
	);
});
