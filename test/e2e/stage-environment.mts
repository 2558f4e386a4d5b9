import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { TestEnvironment } from 'jest-environment-node';

/** The environment variable with a port for the process whose turn it is. */
export const turnPort = 'E2E_TURN_PORT';

/**
 * Jest's environment for Node, for test files that use the stage, which run one at a time: only one process can listen
 * on the port, and one that ends frees it.
 */
export default class StageEnvironment extends TestEnvironment {
	#turn: Server | undefined;

	override async setup(): Promise<void> {
		while (this.#turn === undefined) {
			const turn = createServer().listen(Number(process.env[turnPort]), '127.0.0.1');
			try {
				await once(turn, 'listening');
				this.#turn = turn;
			} catch (error) {
				if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
				await sleep(100);
			}
		}
		await super.setup();
	}

	override async teardown(): Promise<void> {
		await super.teardown();
		this.#turn?.close();
	}
}
