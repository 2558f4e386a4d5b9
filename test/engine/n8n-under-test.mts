/** Which n8n the engine tests use: the project's own, or an older one installed by `npx node test/compat/main.mts`. */
import { join } from 'node:path';
import type { ExpressionEngine } from './protocol.mts';

/** An n8n, and what is needed to start a process of it. */
export interface N8nUnderTest {
	/** The program of the engine's process, placed where it finds this n8n's modules. */
	readonly worker: string;
	/** The Node.js that runs it. */
	readonly node: string;
	/** The folder of the built package, placed where it finds the same modules. */
	readonly packageUnderTest: string;
	/** Features that it lacks and that tests check. */
	readonly lacks: readonly Lack[];
}

/**
 * What an older n8n lacks. `cause`: it drops the network error behind its own. `isolates`: it evaluates expressions
 * in its own process by default. `toolErrors`: it ends an execution if a tool of an agent fails, unless On Error continues.
 */
export type Lack = 'cause' | 'isolates' | 'toolErrors';

const variable = 'N8N_UNDER_TEST';

/** Environment variables that select another n8n than the project's own. */
export function runIn(n8n: N8nUnderTest): Record<string, string> {
	return { [variable]: JSON.stringify(n8n) };
}

/** The n8n that engine tests run in. */
export function n8nUnderTest(): N8nUnderTest {
	const other = process.env[variable];
	if (other !== undefined) return JSON.parse(other) as N8nUnderTest;
	const root = process.cwd();
	return {
		worker: join(root, 'test', 'engine', 'worker.mts'),
		node: process.execPath,
		packageUnderTest: root,
		lacks: [],
	};
}

/** The ways in which that n8n evaluates expressions. */
export const expressionEngines: readonly ExpressionEngine[] = n8nUnderTest().lacks.includes('isolates')
	? ['legacy']
	: ['vm', 'legacy'];
