import fc from 'fast-check';

import {
	AdaptiveLimiter,
	fixedLimiter,
	type Limiter,
} from '../../../../nodes/Messaging/delivery/pace/limiter.ts';

/** Feeds whole rounds of successes, each as many as the limit at its start, and returns the limit after each. */
function rounds(limiter: Limiter, count: number): number[] {
	return Array.from({ length: count }, () => {
		for (let left = limiter.bound; left > 0; left--) limiter.sample(false);
		return limiter.bound;
	});
}

/** A limiter that has grown to 128. */
function grown(): AdaptiveLimiter {
	const limiter = new AdaptiveLimiter();
	rounds(limiter, 2);
	return limiter;
}

test('a fixed bound stays, whatever happens', () => {
	const limiter = fixedLimiter(300);
	rounds(limiter, 3);
	limiter.sample(true);
	expect(limiter.bound).toBe(300);
});

test('it starts at 32 and doubles with each round until 128', () => {
	const limiter = new AdaptiveLimiter();
	expect(limiter.bound).toBe(32);
	expect(rounds(limiter, 3)).toEqual([64, 128, 128]);
});

test('a refusal halves it at once, and those of the same round no further', () => {
	const limiter = grown();
	limiter.sample(true);
	expect(limiter.bound).toBe(64);
	for (let n = 0; n < 128; n++) limiter.sample(true);
	expect(limiter.bound).toBe(64);
	limiter.sample(true);
	expect(limiter.bound).toBe(32);
});

test('after a refusal it grows by one with each round', () => {
	const limiter = grown();
	limiter.sample(true);
	// Requests in flight belong to the round of the refusal.
	for (let n = 0; n < 128; n++) limiter.sample(false);
	expect(rounds(limiter, 4)).toEqual([65, 66, 67, 68]);
});

test('it does not fall below 8, nor rise above 128, whatever it is told', () => {
	fc.assert(
		fc.property(fc.array(fc.boolean(), { maxLength: 2000 }), (samples) => {
			const limiter = new AdaptiveLimiter();
			for (const refused of samples) {
				limiter.sample(refused);
				expect(Number.isInteger(limiter.bound)).toBe(true);
				expect(limiter.bound).toBeGreaterThanOrEqual(8);
				expect(limiter.bound).toBeLessThanOrEqual(128);
			}
		}),
	);
	const limiter = grown();
	for (let n = 0; n < 1000; n++) limiter.sample(true);
	expect(limiter.bound).toBe(8);
});

test('however often it was refused, it finds its way up again', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 300 }), (refusals) => {
			const limiter = new AdaptiveLimiter();
			for (let n = 0; n < refusals; n++) limiter.sample(true);
			expect(rounds(limiter, 140).at(-1)).toBe(128);
		}),
		{ numRuns: 30 },
	);
});
