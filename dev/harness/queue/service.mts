import { setTimeout as sleep } from 'node:timers/promises';

import type { GuardedProgram } from '../n8n/guarded.mts';
import { SetupProblem } from '../n8n/node24.mts';

/** A server beside n8n that can be stopped, killed and started again with what it had stored. */
export interface StoringService {
	readonly port: number;
	start(): Promise<void>;
	/** Stops it gracefully. */
	stop(): Promise<void>;
	/** Kills it at once, as a crash does. */
	kill(): Promise<void>;
}

const secondsToStart = 180;

/**
 * Waits until a program has printed that it is ready.
 *
 * @throws {SetupProblem} with the last lines it printed, when it ended or took too long
 */
export async function untilPrinted(program: GuardedProgram, name: string, words: string): Promise<void> {
	const deadline = Date.now() + secondsToStart * 1000;
	while (!program.log().includes(words)) {
		if (!program.running() || Date.now() > deadline) {
			const last = program
				.log()
				.split('\n')
				.filter((line) => line.trim() !== '')
				.slice(-3)
				.join(' | ');
			const what = program.running() ? `was not ready after ${secondsToStart} s` : 'ended';
			throw new SetupProblem(`${name} ${what}: ${last} (its log is in ${program.logFile})`);
		}
		await sleep(100);
	}
}
