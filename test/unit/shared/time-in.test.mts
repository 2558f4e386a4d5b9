import { timeIn } from '../../../nodes/Messaging/shared/clock.ts';

const hour = 3_600_000;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-23T16:30:00Z')));
afterEach(() => jest.restoreAllMocks());

test.each([
	[24 * hour, 'Europe/Berlin', '17:30 on 24 November (in 24 hours)'],
	[24 * hour, undefined, '16:30 UTC on 24 November (in 24 hours)'],
	[10 * hour, 'Asia/Kolkata', '08:00 on 24 November (in 10 hours)'],
	[90_000, 'UTC', '16:32 on 23 November (in 90 seconds)'],
	[10 * 60_000, 'UTC', '16:40 on 23 November (in 10 minutes)'],
	[7 * 24 * hour, 'UTC', '16:30 on 30 November (in 7 days)'],
])('%i ms from now in %s is %s', (ms, timezone, words) => {
	expect(timeIn(ms, timezone)).toBe(words);
});

test('a time that no calendar has is more than a year away', () => {
	expect(timeIn(Number('9'.repeat(22)), 'UTC')).toMatch(/\(in more than 366 days\)$/);
});
