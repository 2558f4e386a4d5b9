import { Availability } from '../../../../nodes/Messaging/delivery/pace/availability.ts';

/** A service that refused a request at 0, and asked to wait for a second. */
function paused(): Availability {
	const service = new Availability(() => 0);
	service.ended(service.depart(), 'throttled', 0, 1000);
	return service;
}

test('it is open until a request is refused', () => {
	const service = new Availability(() => 0);
	service.ended(service.depart(), 'answered', 0);
	service.ended(service.depart(), 'silent', 0);
	expect([service.closure, service.callMayLeaveAt(1)]).toEqual([undefined, 1]);
});

test('paused, nothing leaves before the time is over; then one call is tried, and the rest waits for it', () => {
	const service = paused();
	expect([service.callMayLeaveAt(999), service.closure]).toMatchObject([1000, { since: 0, until: 1000 }]);
	expect(service.callMayLeaveAt(1000)).toBe(1000);
	const trial = service.depart();
	expect([trial.isTrial, service.callMayLeaveAt(1001)]).toEqual([true, Infinity]);
	service.ended(trial, 'silent', 1500);
	expect(service.callMayLeaveAt(1500)).toBe(1500);
	service.ended(service.depart(), 'answered', 1600);
	expect([service.closure, service.callMayLeaveAt(1600)]).toEqual([undefined, 1600]);
});

test('what had left before the pause neither ends it nor lengthens it', () => {
	const service = new Availability(() => 0);
	const early = [service.depart(), service.depart()] as const;
	service.ended(service.depart(), 'throttled', 0, 1000);
	service.ended(early[0], 'answered', 100);
	expect(service.callMayLeaveAt(100)).toBe(1000);
	expect(service.ended(early[1], 'throttled', 200, 3000)).toBe(false);
	expect(service.callMayLeaveAt(200)).toBe(1000);
});

test.each([
	[0, 100],
	[1, 110],
])('where the service names no time it grows with each refusal, jitter %i', (random, first) => {
	const service = new Availability(() => random);
	const lengths = Array.from({ length: 40 }, () => {
		const from = service.closure?.until ?? 0;
		service.ended(service.depart(), 'throttled', from);
		return Math.round((service.closure?.until ?? NaN) - from);
	});
	expect(lengths.slice(0, 3)).toEqual([first, Math.round(first * 1.3), Math.round(first * 1.69)]);
	expect(lengths.at(-1)).toBe(first * 300);
});

test('an answer to a trial makes the next pause short again', () => {
	const service = new Availability(() => 0);
	for (const end of ['throttled', 'throttled', 'throttled', 'answered'] as const) {
		service.ended(service.depart(), end, service.closure?.until ?? 0);
	}
	service.ended(service.depart(), 'throttled', 10_000);
	expect(service.closure).toMatchObject({ since: 10_000, until: 10_100 });
});

test('it is never longer than five minutes', () => {
	const service = new Availability(() => 0);
	service.ended(service.depart(), 'throttled', 0, 1e12);
	expect(service.closure?.until).toBe(300_000);
});
