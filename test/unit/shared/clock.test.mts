import { getEventListeners } from 'node:events';

import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';

beforeEach(() => jest.useFakeTimers());
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

test('a sleep that is over does not listen to its signal any more, however long it was', async () => {
	const { signal } = new AbortController();
	const sleeping = Promise.all([systemClock.sleep(hour, signal), systemClock.sleep(1, signal)]);
	await jest.advanceTimersByTimeAsync(hour / 2);
	expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(2);
	await jest.advanceTimersByTimeAsync(hour / 2);
	expect(await isOver(sleeping)).toBe(true);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
