import { TestEnvironment } from 'jest-environment-node';

import { takeTurn } from './turns.ts';

/**
 * Jest's environment for Node, for test files that use the stage: one of them at a time. A file that does not use it
 * says `@jest-environment node`, and runs beside them.
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
