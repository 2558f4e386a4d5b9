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
	return algorithm === 'fixed' ? new FixedWindow(limit, length) : new SlidingWindow(limit, length);
}

/** Fixed windows, aligned to the clock: the first one may be short, as in real services. */
class FixedWindow implements Window {
	readonly #limit: number;
	readonly #length: number;
	#current = -1;
	#count = 0;

	constructor(limit: number, length: number) {
		this.#limit = limit;
		this.#length = length;
	}

	take(now: number): number {
		const index = Math.floor(now / this.#length);
		if (index !== this.#current) {
			this.#current = index;
			this.#count = 0;
		}
		if (this.#count >= this.#limit) return (index + 1) * this.#length - now;
		this.#count++;
		return 0;
	}
}

/** A request fits when fewer than `limit` were taken in the window that ends now. */
class SlidingWindow implements Window {
	readonly #limit: number;
	readonly #length: number;
	/** The times of the requests taken; those before `#start` have left the window. */
	#times: number[] = [];
	#start = 0;

	constructor(limit: number, length: number) {
		this.#limit = limit;
		this.#length = length;
	}

	take(now: number): number {
		while (this.#start < this.#times.length && (this.#times[this.#start] ?? 0) <= now - this.#length)
			this.#start++;
		if (this.#start > 4096 && this.#start > this.#times.length / 2) {
			this.#times = this.#times.slice(this.#start);
			this.#start = 0;
		}
		const oldest = this.#times[this.#start];
		if (oldest !== undefined && this.#times.length - this.#start >= this.#limit) {
			return oldest + this.#length - now;
		}
		this.#times.push(now);
		return 0;
	}
}
