/** How the windows of a resource plan are counted. */
export type WindowAlgorithm = 'fixed' | 'sliding';

/** One key's requests counted against its plan. */
export interface Window {
	/** Takes a request that arrives at `now` (milliseconds). 0 when it fits, else how long until one would. */
	take(now: number): number;
}

/** A window for a plan of `limit` requests per `seconds` seconds. Refused requests do not count. */
export function createWindow(algorithm: WindowAlgorithm, limit: number, seconds: number): Window {
	const length = seconds * 1000;
	return algorithm === 'fixed' ? fixedWindow(limit, length) : slidingWindow(limit, length);
}

/** Fixed windows, aligned to the clock: the first one may be short, as in real services. */
function fixedWindow(limit: number, length: number): Window {
	let current = -1;
	let count = 0;
	return {
		take(now) {
			const index = Math.floor(now / length);
			if (index !== current) [current, count] = [index, 0];
			if (count >= limit) return (index + 1) * length - now;
			count++;
			return 0;
		},
	};
}

/** A request fits when fewer than `limit` were taken in the window that ends now. */
function slidingWindow(limit: number, length: number): Window {
	/** The times of the requests taken; those before `start` have left the window. */
	let times: number[] = [];
	let start = 0;
	return {
		take(now) {
			while (start < times.length && (times[start] ?? 0) <= now - length) start++;
			// Cut rarely, because cutting copies the list.
			if (start > 4096 && start > times.length / 2) [times, start] = [times.slice(start), 0];
			const oldest = times[start];
			if (oldest !== undefined && times.length - start >= limit) return oldest + length - now;
			times.push(now);
			return 0;
		},
	};
}
