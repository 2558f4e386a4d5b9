import { Child } from './child.mts';

/** Begins anew with this latency, with faults if wanted. Without a latency, only returns the counts. */
export interface ServerCommand {
	latencyMs?: number;
	hasFaults?: boolean;
}

/** What the server has counted since it began. */
export interface ServerCounts {
	/** Requests that send a message. */
	sends: number;
	/** The most requests that were open at once. */
	mostInFlight: number;
}

/** The bare server, running. Its address is what it says when it is ready. */
export type Loopback = Child<ServerCommand, ServerCounts, string>;

/** Starts the bare server in a process of its own. */
export const startLoopback = (): Loopback => new Child('bench/loopback-server.mts');
