import { join } from 'node:path';

import type { GuardedProgram } from '../n8n/guarded.mts';
import { projectRoot } from '../n8n/paths.mts';

/** A program on the stage that can be ended and started again, with what it had stored. */
export interface Player {
	/** Starts it and waits until it works. */
	start(): Promise<void>;
	/** Stops it gracefully. */
	stop(): Promise<void>;
	/** Kills it at once (SIGKILL), as a crash does. */
	kill(): Promise<void>;
	/** What it has printed in all its runs, including those that were killed. */
	log(): string;
}

/** How a player's program is started. */
export interface PlayerOptions<Program extends GuardedProgram> {
	/** The name of its log files: each start has one of its own. */
	readonly name: string;
	launch(logFile: string): Program | Promise<Program>;
	/** Waits until the program works. */
	untilReady(program: Program): Promise<void>;
}

/** Makes a player. It is not started yet. The caller has to stop or kill it. */
export function createPlayer<Program extends GuardedProgram>(options: PlayerOptions<Program>): Player {
	const { name, launch, untilReady } = options;
	const runs: Program[] = [];
	return {
		start: async () => {
			const logFile = join(projectRoot(), `.e2e/queue/${name}-${runs.length + 1}.log`);
			const program = await launch(logFile);
			runs.push(program);
			await untilReady(program);
		},
		stop: async () => await runs.at(-1)?.stop(),
		kill: async () => await runs.at(-1)?.kill(),
		log: () => runs.map((run) => run.log()).join(''),
	};
}
