import { startGuarded, type GuardedProgram } from '../n8n/guarded.mts';
import type { N8nInstallation } from '../n8n/install.mts';
import { freePort } from '../n8n/ports.mts';
import { n8nEnvironment, unwantedModules } from '../n8n/server.mts';

/** How a worker is started. */
export interface WorkerOptions {
	readonly name: string;
	readonly userFolder: string;
	readonly env: Readonly<Record<string, string>>;
	readonly logFile: string;
}

/** The variable of a worker's environment that holds its name. Expressions can read it as `$env`. */
export const workerNameVariable = 'MESSAGING_TEST_WORKER';

/** Starts an n8n worker. It takes jobs once it has printed that it is ready. */
export async function startWorker(n8n: N8nInstallation, options: WorkerOptions): Promise<GuardedProgram> {
	const { name, userFolder, env, logFile } = options;
	return startGuarded(n8n.node, {
		program: n8n.node.program,
		args: [n8n.program, 'worker'],
		cwd: userFolder,
		env: {
			...n8nEnvironment(userFolder),
			...unwantedModules(n8n.folder),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
			[workerNameVariable]: name,
		},
		logFile,
	});
}
