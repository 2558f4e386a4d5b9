import { TestEnvironment } from 'jest-environment-node';

/**
 * What this process of jest keeps from one test file to the next, by name. It stands outside of the files' own
 * environments, each of which ends with its file.
 */
const kept = new Map<string, unknown>();

/** Jest's environment for Node, in which a test file finds what the files before it have started. See `keep.ts`. */
export default class KeepingEnvironment extends TestEnvironment {
	constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
		super(...given);
		Object.assign(this.global, { keptByJest: kept });
	}
}
