import { Pause } from '../../../../nodes/Messaging/delivery/pace/pause.ts';

/** A pause that has begun at 0, for a second. */
function begun(): Pause {
	const pause = new Pause(() => 0);
	pause.ended(pause.depart(), 'throttled', 0, 1000);
	return pause;
}

test('there is none until something is turned away', () => {
	const pause = new Pause(() => 0);
	pause.ended(pause.depart(), 'answered', 0, undefined);
	pause.ended(pause.depart(), 'silent', 0, undefined);
	expect([pause.isQuiet(1), pause.opensAt(1, true), pause.opensAt(1, false)]).toEqual([false, 1, 1]);
});

test('nothing leaves before it is over; then only what tells whether calls are taken', () => {
	const pause = begun();
	expect([pause.opensAt(999, true), pause.isQuiet(999), pause.endsAt]).toEqual([1000, true, 1000]);
	expect([pause.opensAt(1000, true), pause.opensAt(1000, false)]).toEqual([1000, Infinity]);
});

test('one probes, and the rest waits for how that ends', () => {
	const pause = begun();
	const probe = pause.depart();
	expect([pause.isQuiet(1001), pause.opensAt(1001, true)]).toEqual([true, Infinity]);
	pause.ended(probe, 'silent', 1500, undefined);
	expect([pause.opensAt(1500, true), pause.opensAt(1500, false)]).toEqual([1500, Infinity]);
	pause.ended(pause.depart(), 'answered', 1600, undefined);
	expect([pause.isQuiet(1600), pause.opensAt(1600, false)]).toEqual([false, 1600]);
});

test('what had left before it neither ends it nor lengthens it, unless it was told to wait for longer', () => {
	const pause = new Pause(() => 0);
	const early = [pause.depart(), pause.depart(), pause.depart()] as const;
	pause.ended(pause.depart(), 'throttled', 0, 1000);
	pause.ended(early[0], 'answered', 100, undefined);
	expect(pause.opensAt(1000, false)).toBe(Infinity);
	pause.ended(early[1], 'throttled', 200, 1000);
	expect(pause.endsAt).toBe(1000);
	pause.ended(early[2], 'throttled', 200, 3000);
	expect([pause.endsAt, pause.opensAt(3200, false)]).toEqual([3200, Infinity]);
});

test.each([
	[0, 100],
	[1, 110],
])('where the service names no time it grows with each refusal, jitter %i', (random, first) => {
	const pause = new Pause(() => random);
	const lengths = Array.from({ length: 40 }, () => {
		const from = Math.max(0, pause.endsAt);
		pause.ended(pause.depart(), 'throttled', from, undefined);
		return Math.round(pause.endsAt - from);
	});
	expect(lengths.slice(0, 3)).toEqual([first, Math.round(first * 1.3), Math.round(first * 1.69)]);
	expect(lengths.at(-1)).toBe(first * 300);
});

test('an answer to a probe makes the next one short again', () => {
	const pause = new Pause(() => 0);
	for (const end of ['throttled', 'throttled', 'throttled', 'answered'] as const) {
		pause.ended(pause.depart(), end, pause.endsAt, undefined);
	}
	pause.ended(pause.depart(), 'throttled', 10_000, undefined);
	expect(pause.endsAt).toBe(10_100);
});

test('it is never longer than five minutes', () => {
	const pause = new Pause(() => 0);
	pause.ended(pause.depart(), 'throttled', 0, 1e12);
	expect(pause.endsAt).toBe(300_000);
});

test.each([
	[
		'a second says nothing about the moment: from the second refusal on it ends anywhere in the next one',
		1000,
		1500,
	],
	['a longer one is kept as it is', 5000, 5000],
])('%s', (_what, askedMs, secondMs) => {
	const pause = new Pause(() => 0.5);
	pause.ended(pause.depart(), 'throttled', 0, askedMs);
	expect(pause.endsAt).toBe(askedMs);
	pause.ended(pause.depart(), 'throttled', askedMs, askedMs);
	expect(pause.endsAt).toBe(askedMs + secondMs);
});
