/**
 * From now on time passes for limits when a test says so, and for nothing else: programs and servers have theirs.
 */
export const takeTheClock = (): void => {
	jest.useFakeTimers({
		doNotFake: [
			'Date',
			'hrtime',
			'nextTick',
			'performance',
			'queueMicrotask',
			'setImmediate',
			'clearImmediate',
			'setInterval',
			'clearInterval',
		],
	});
};

/** Lets a limit pass, which is the only one, and ends what it limits with its last millisecond. */
export function passLimit(ms: number): void {
	jest.advanceTimersByTime(ms - 1);
	expect(jest.getTimerCount()).toBe(1);
	jest.advanceTimersByTime(1);
	expect(jest.getTimerCount()).toBe(0);
}
