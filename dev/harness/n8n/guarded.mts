import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { SetupProblem, type Node24 } from './node24.mts';
import { guardProgram } from './paths.mts';

/** A program that runs until it is stopped, or until the process that started it ends in any way. */
export interface GuardedProgram {
	/** The file that holds what it printed. */
	readonly logFile: string;
	/** What it printed until now. */
	log(): string;
	/** Whether it runs. */
	running(): boolean;
	/** Resolves when it has ended, with stop() or by itself. */
	readonly ended: Promise<void>;
	/** Stops it and everything it started. */
	stop(): Promise<void>;
	/** Kills it and everything it started at once (SIGKILL), as a crash does. Not on Windows. */
	kill(): Promise<void>;
}

/** What is started, and how. */
export interface GuardedProgramOptions {
	readonly program: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** Overwritten if it exists. */
	readonly logFile: string;
}

const millisecondsToStop = 15_000;

/** Starts a program under the guard. The caller has to stop it. */
export function startGuarded(node: Node24, options: GuardedProgramOptions): GuardedProgram {
	const { program, args, cwd, env, logFile } = options;
	mkdirSync(dirname(logFile), { recursive: true });
	const output = openSync(logFile, 'w');
	const guard = spawn(node.program, [guardProgram(), program, ...args], {
		cwd,
		env,
		stdio: ['pipe', output, output],
	});
	closeSync(output);
	// The guard may be gone by the time its standard input is closed.
	guard.stdin?.on('error', () => undefined);

	let running = true;
	const ended = new Promise<void>((resolve) => {
		const end = (): void => {
			running = false;
			resolve();
		};
		guard.once('close', end);
		guard.once('error', end);
	});
	/** Waits for the end, and kills the guard after a time-out. */
	const end = async (): Promise<void> => {
		await Promise.race([ended, sleep(millisecondsToStop, undefined, { ref: false })]);
		if (running) guard.kill('SIGKILL');
		await ended;
	};
	return {
		logFile,
		log: () => readFileSync(logFile, 'utf8'),
		running: () => running,
		ended,
		stop: async () => {
			if (!running) return;
			guard.stdin?.end();
			await end();
		},
		kill: async () => {
			if (!running) return;
			guard.kill('SIGUSR2');
			await end();
		},
	};
}

/** Even on a busy machine, everything starts within this time. */
const secondsToStart = 240;

/**
 * Waits until a program has printed that it is ready.
 *
 * @throws {SetupProblem} with the last lines it printed, when it ended or took too long
 */
export async function untilPrinted(program: GuardedProgram, name: string, words: string): Promise<void> {
	const deadline = Date.now() + secondsToStart * 1000;
	while (!program.log().includes(words)) {
		if (!program.running() || Date.now() > deadline) {
			const last = program.log().trim().split('\n').slice(-3).join(' | ');
			const what = program.running() ? `was not ready after ${secondsToStart} s` : 'ended';
			throw new SetupProblem(`${name} ${what}: ${last} (its log is in ${program.logFile})`);
		}
		await sleep(100);
	}
}

/** The variables that a program needs to run; no others are passed on. */
export function basicEnvironment(): Record<string, string> {
	const names = /^(PATH|LANG|LC_.*|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|PATHEXT|WINDIR)$/i;
	return Object.fromEntries(
		Object.entries(process.env).flatMap(([name, value = '']) => (names.test(name) ? [[name, value]] : [])),
	);
}
