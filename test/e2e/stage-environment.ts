import { TestEnvironment } from 'jest-environment-node';

import { takeTurn } from './turns.ts';

/**
 * Jest's environment for Node, for test files that use the stage, which run one at a time. Files that do not use it say
 * `@jest-environment node` and run in parallel.
 */
export default class StageEnvironment extends TestEnvironment {
	#endTurn: (() => void) | undefined;

	override async setup(): Promise<void> {
		this.#endTurn = await takeTurn();
		await super.setup();
	}

	override async teardown(): Promise<void> {
		await super.teardown();
		this.#endTurn?.();
	}
}
