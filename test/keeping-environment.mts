import { TestEnvironment } from 'jest-environment-node';

/**
 * What this jest process keeps from one test file to the next, by name. It is outside the files' environments, which end
 * with each file.
 */
const kept = new Map<string, unknown>();

/** Jest's environment for Node, with access to what earlier test files have started, see `keep.mts`. */
export default class KeepingEnvironment extends TestEnvironment {
	constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
		super(...given);
		Object.assign(this.global, { keptByJest: kept });
	}
}
