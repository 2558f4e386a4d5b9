/** Which n8n the engine tests run in: the project's own, or an older one that `npm run compat` has installed. */
import { join } from 'node:path';

/** An n8n, and all that a process of it is started with. */
export interface N8nUnderTest {
	/** The program of the engine's process, where it finds this n8n's modules. */
	readonly worker: string;
	/** The Node.js that runs it. */
	readonly node: string;
	/** The folder of the built package, where it finds the same modules. */
	readonly packageUnderTest: string;
	/** What it does not have of what the tests look at. */
	readonly lacks: readonly Lack[];
}

/**
 * What an older n8n lacks: `cause` it drops the error of the network that stands behind its own, `isolates` it
 * evaluates expressions in its own code, if nobody sets it to do otherwise, `signedLinks` it signs no links to an execution that waits, `keyStore` it has
 * no store of what was processed before.
 */
export type Lack = 'cause' | 'isolates' | 'keyStore' | 'signedLinks';

const variable = 'N8N_UNDER_TEST';

/** The environment variables with which engine tests run in another n8n than the project's own. */
export function runIn(n8n: N8nUnderTest): Record<string, string> {
	return { [variable]: JSON.stringify(n8n) };
}

/** The n8n that engine tests run in. */
export function n8nUnderTest(): N8nUnderTest {
	const other = process.env[variable];
	if (other !== undefined) return JSON.parse(other) as N8nUnderTest;
	const root = process.cwd();
	return {
		worker: join(root, 'test', 'engine', 'worker.ts'),
		node: process.execPath,
		packageUnderTest: root,
		lacks: [],
	};
}
