import { startGuarded, untilPrinted } from '../n8n/guarded.mts';
import type { N8nInstallation } from '../n8n/install.mts';
import { freePort } from '../n8n/ports.mts';
import { n8nEnvironment, unwantedModules } from '../n8n/server.mts';
import type { UserFolder } from '../n8n/user-folder.mts';
import { createPlayer, type Player } from './player.mts';

/** A worker of n8n in queue mode. */
export interface Worker extends Player {
	readonly name: string;
	/** How often it has started an execution, including before it was killed. */
	startsOf(executionId: string): number;
}

/** The variable of a worker's environment that holds its name. Expressions can read it as `$env`. */
export const workerNameVariable = 'MESSAGING_TEST_WORKER';

/** Makes an n8n worker. It is not started yet, and takes jobs as long as it runs. */
export function createWorker(
	n8n: N8nInstallation,
	name: string,
	{ path: userFolder }: UserFolder,
	env: Readonly<Record<string, string>>,
): Worker {
	const player = createPlayer({
		name,
		launch: async (logFile) =>
			startGuarded(n8n.node, {
				program: n8n.node.program,
				args: [n8n.program, 'worker'],
				cwd: userFolder,
				env: {
					...n8nEnvironment(userFolder),
					...unwantedModules(n8n.folder),
					N8N_RUNNERS_BROKER_PORT: String(await freePort()),
					...env,
					[workerNameVariable]: name,
					// PostgreSQL knows its connections by that.
					PGAPPNAME: name,
				},
				logFile,
			}),
		untilReady: async (worker) => await untilPrinted(worker, 'An n8n worker', 'n8n worker is now ready'),
	});
	return {
		...player,
		name,
		startsOf: (id) => player.log().split(`Worker started execution ${id} (`).length - 1,
	};
}
