import type { LoggedRequest } from '../types.mts';

const keptRequests = 20_000;

/** Every API request received; after 20,000 the oldest are dropped. */
export class RequestLog {
	#entries: LoggedRequest[] = [];
	#count = 0;
	#open = 0;

	/** Notes a request that has just arrived. */
	begin(request: Omit<LoggedRequest, 'n' | 'inFlight' | 'inFlightMs'>): LoggedRequest {
		this.#open++;
		const entry: LoggedRequest = { n: ++this.#count, ...request, inFlight: this.#open, inFlightMs: null };
		this.#entries.push(entry);
		// Cut rarely, because cutting copies the list.
		if (this.#entries.length > keptRequests * 1.2) this.#entries = this.#entries.slice(-keptRequests);
		return entry;
	}

	/** Notes that a request is over, answered or not. */
	end(entry: LoggedRequest, nowMs: number): void {
		this.#open--;
		entry.inFlightMs = Math.round((nowMs - entry.startedMs) * 1000) / 1000;
	}

	/** The requests in the order of their arrival. */
	list(): LoggedRequest[] {
		return this.#entries.slice(-keptRequests);
	}

	/** The last `count` requests, the newest first. */
	latest(count: number): LoggedRequest[] {
		return this.#entries.slice(-count).reverse();
	}

	/** How many requests arrived since the sandbox started. */
	get total(): number {
		return this.#count;
	}

	clear(): void {
		this.#entries = [];
	}
}
