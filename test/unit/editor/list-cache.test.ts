import { cachedList } from '../../../nodes/Messaging/editor/list-cache.ts';
import { systemClock } from '../../../nodes/Messaging/time/clock.ts';

let reads = 0;
let now: number;
const read = () => {
	reads++;
	return Promise.resolve([{ n: reads }]);
};

beforeEach(() => {
	reads = 0;
	now = 1_000_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

test('typing and paging use what opening has read, for a minute', async () => {
	await cachedList('typing', true, read);
	await cachedList('typing', false, read);
	now = 1_059_000;
	await cachedList('typing', false, read);
	expect(reads).toBe(1);
	now = 1_061_000;
	await cachedList('typing', false, read);
	expect(reads).toBe(2);
});

test('opening reads anew, but not twice at once', async () => {
	await Promise.all([cachedList('opening', true, read), cachedList('opening', true, read)]);
	expect(reads).toBe(1);
	now = 1_004_000;
	await cachedList('opening', true, read);
	expect(reads).toBe(2);
});

test('a clock that is set back keeps no old list', async () => {
	jest.useFakeTimers({ now: 1_000_000_000 });
	await cachedList('set back', true, read);
	jest.setSystemTime(1_000_000_000 - 3_600_000);
	now += 4_000;
	await cachedList('set back', true, read);
	expect(reads).toBe(2);
});

test('a failure is not kept', async () => {
	await expect(cachedList('failing', true, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
	expect(await cachedList('failing', false, read)).toEqual([{ n: 1 }]);
});

test('it is bounded: the oldest lists go first', async () => {
	for (let n = 0; n < 60; n++) await cachedList(`bounded ${n}`, true, read);
	await cachedList('bounded 59', false, read);
	expect(reads).toBe(60);
	await cachedList('bounded 0', false, read);
	expect(reads).toBe(61);
});

test('a list that is too large to keep beside others serves the typing, until the next one comes', async () => {
	const large = Array.from({ length: 100_001 }, () => ({}));
	await cachedList('large', true, () => Promise.resolve(large));
	expect(await cachedList('large', false, read)).toHaveLength(100_001);
	expect(reads).toBe(0);
	await cachedList('next', true, read);
	await cachedList('next', false, read);
	expect(reads).toBe(1);
	expect(await cachedList('large', false, read)).toEqual([{ n: 2 }]);
});
