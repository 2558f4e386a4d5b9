import type { IncomingCall, Verdict } from './interface/contract.mts';
import type { StoredKey } from './records/model.mts';
import type { State } from './records/state.mts';
import type { LoggedRequest } from './types.mts';

const keptRequests = 20_000;

/** Every API request received; after 20,000 the oldest are dropped. */
export class RequestLog {
	/** How many requests arrived since the sandbox started. */
	total = 0;
	#entries: LoggedRequest[] = [];
	#open = 0;

	/** Notes a request that has just arrived. */
	begin({ body, headers, ...call }: IncomingCall, verdict: Verdict, key?: StoredKey): LoggedRequest {
		const { operationId, problems } = verdict;
		const token = headers['x-api-key'] === undefined ? {} : { 'x-api-key': key?.id ?? 'unknown' };
		const entry: LoggedRequest = {
			...{ n: ++this.total, at: new Date().toISOString(), startedMs: performance.now() },
			...{ ...call, headers: { ...headers, ...token }, body: body ?? null, operationId, problems },
			...{ conforms: problems.length === 0, fault: null, status: null, accepted: false },
			...{ keyId: key?.id ?? null, inFlight: ++this.#open, inFlightMs: null, clientClosed: false },
		};
		this.#entries.push(entry);
		// Cut rarely, because cutting copies the list.
		if (this.#entries.length > keptRequests * 1.2) this.#entries = this.#entries.slice(-keptRequests);
		return entry;
	}

	/** Notes that a request is over, answered or not. */
	end(entry: LoggedRequest): void {
		this.#open--;
		entry.inFlightMs = Math.round((performance.now() - entry.startedMs) * 1000) / 1000;
	}

	/** The last requests, in the order of their arrival. */
	list(count = keptRequests): LoggedRequest[] {
		return this.#entries.slice(-count);
	}

	clear(): void {
		this.#entries = [];
	}
}

/** The valid key that a request carries. */
export function keyOf(state: State, { headers }: IncomingCall): StoredKey | undefined {
	const token = headers['x-api-key'];
	return typeof token === 'string' ? state.keyByToken(token) : undefined;
}
