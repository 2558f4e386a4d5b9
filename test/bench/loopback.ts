import { Child } from './child.ts';

/** What the bare server has counted since it was last told to begin. */
export interface ServerCounts {
	/** Requests that send a message. */
	sends: number;
	/** The most requests that were open at once. */
	mostInFlight: number;
}

/** Commands: reset the counts and answer after this time, or return the counts. */
export type ServerCommand = { kind: 'begin'; latencyMs: number } | { kind: 'count' };

/** The bare server, running. */
export class Loopback {
	readonly url: string;
	readonly #child: Child<ServerCommand, ServerCounts, string>;

	private constructor(url: string, child: Child<ServerCommand, ServerCounts, string>) {
		this.url = url;
		this.#child = child;
	}

	static async start(): Promise<Loopback> {
		const child = new Child<ServerCommand, ServerCounts, string>('loopback-server.ts');
		return new Loopback(await child.ready, child);
	}

	/** Resets the counts, and sets the time after which it answers. */
	async begin(latencyMs: number): Promise<void> {
		await this.#child.ask({ kind: 'begin', latencyMs });
	}

	/** What was counted since it began. */
	async counts(): Promise<ServerCounts> {
		return await this.#child.ask({ kind: 'count' });
	}

	async stop(): Promise<void> {
		await this.#child.stop();
	}
}
