import { createWindow } from '../../dev/sandbox/rate-limit.mts';

describe('windows', () => {
	test('a fixed window counts anew at each boundary', () => {
		const window = createWindow('fixed', 2, 1);
		expect([window.take(900), window.take(950)]).toEqual([0, 0]);
		expect(window.take(990)).toBe(10);
		expect([window.take(1000), window.take(1001)]).toEqual([0, 0]);
		expect(window.take(1002)).toBe(998);
	});

	test('a sliding window counts what the last second took', () => {
		const window = createWindow('sliding', 2, 1);
		expect([window.take(900), window.take(950)]).toEqual([0, 0]);
		expect(window.take(1500)).toBe(400);
		expect(window.take(1899)).toBe(1);
		expect(window.take(1900)).toBe(0);
		expect(window.take(1949)).toBe(1);
		expect(window.take(1950)).toBe(0);
	});
});
