import { getEventListeners } from 'node:events';

import { systemClock, timeIn } from '../../../nodes/Messaging/shared/clock.ts';

beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-23T16:30:00Z') }));
afterEach(() => jest.useRealTimers());

const hour = 3_600_000;

/** Whether a promise has settled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
	let over = false;
	void promise.then(() => (over = true));
	await jest.advanceTimersByTimeAsync(0);
	return over;
}

test('a sleep ends when its time is over, and not before', async () => {
	const sleeping = systemClock.sleep(hour);
	await jest.advanceTimersByTimeAsync(hour - 1);
	expect(await isOver(sleeping)).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(await isOver(sleeping)).toBe(true);
});

test('a sleep ends when its signal fires, and leaves no timer behind', async () => {
	const stop = new AbortController();
	const sleeping = systemClock.sleep(hour, stop.signal);
	await jest.advanceTimersByTimeAsync(hour / 2);
	expect(await isOver(sleeping)).toBe(false);
	stop.abort();
	expect(await isOver(sleeping)).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
	expect(await isOver(systemClock.sleep(hour, stop.signal))).toBe(true);
});

test('a sleep ends with its signal in an older n8n too, whose own takes none', async () => {
	const n8n = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	jest
		.spyOn(n8n, 'sleep')
		.mockImplementation(async (ms) => await new Promise((resolve) => setTimeout(resolve, ms)));
	const stop = new AbortController();
	const sleeping = systemClock.sleep(hour, stop.signal);
	stop.abort();
	expect(await isOver(sleeping)).toBe(true);
	expect(await isOver(systemClock.sleep(hour, stop.signal))).toBe(true);
	jest.restoreAllMocks();
});

test('a sleep that is over does not listen to its signal any more, however long it was', async () => {
	const { signal } = new AbortController();
	const sleeping = Promise.all([systemClock.sleep(hour, signal), systemClock.sleep(1, signal)]);
	await jest.advanceTimersByTimeAsync(hour / 2);
	expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(2);
	await jest.advanceTimersByTimeAsync(hour / 2);
	expect(await isOver(sleeping)).toBe(true);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
	[24 * hour, 'Europe/Berlin', '17:30 on 24 November 2026'],
	[10 * hour, 'Asia/Kolkata', '08:00 on 24 November 2026'],
	[90_000, 'UTC', '16:32 on 23 November 2026'],
	[400 * 24 * hour, 'UTC', '16:30 on 28 December 2027'],
])('%i ms from now in %s is %s', (ms, timezone, words) => {
	expect(timeIn(ms, timezone)).toBe(words);
});
