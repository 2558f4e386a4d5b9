/** n8n's engine in a process of its own, seen from the process that measures. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionRequest, ExpressionEngine, Measures } from '../engine/protocol.ts';
import { Child } from './child.ts';
import type { BenchOptions } from './options.ts';
import type { Peers } from './peers.ts';

/** What the process is started with. */
export interface EngineSettings {
	/** Folders of the packages to load. */
	packages: string[];
	expressions: ExpressionEngine;
}

/** A workflow to execute. */
export interface EngineTask {
	request: ExecutionRequest;
	/** The node whose output counts. */
	watch: string;
}

/** How the execution went. */
export interface EngineAnswer {
	status: string;
	durationMs: number;
	/** User and system time of the whole process. */
	cpuMs: number;
	/** How many items the node gave out. */
	items: number;
	problem: string | null;
	measures: Measures | null;
}

/** The engine of the installed n8n, with its own nodes and the package under test loaded. */
export class BenchEngine {
	readonly #child: Child<EngineTask, EngineAnswer>;
	readonly #userFolder: string;

	private constructor(child: Child<EngineTask, EngineAnswer>, userFolder: string) {
		this.#child = child;
		this.#userFolder = userFolder;
	}

	static async start(
		{ package: own, expressions, profile }: BenchOptions,
		{ nodesPackage }: Peers,
	): Promise<BenchEngine> {
		const userFolder = await mkdtemp(join(tmpdir(), 'messaging-bench-'));
		const settings: EngineSettings = { packages: [own, nodesPackage], expressions };
		const child = new Child<EngineTask, EngineAnswer>('engine-process.ts', {
			settings,
			flags: ['--expose-gc', ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])],
			env: {
				N8N_USER_FOLDER: userFolder,
				N8N_ENCRYPTION_KEY: 'the key of a throwaway n8n',
				N8N_LOG_LEVEL: 'error',
			},
		});
		const engine = new BenchEngine(child, userFolder);
		try {
			await child.ready;
		} catch (error) {
			await engine.stop();
			throw error;
		}
		return engine;
	}

	/** Executes a workflow; anything but a success of every item ends the benchmark. */
	async run(task: EngineTask): Promise<EngineAnswer> {
		const answer = await this.#child.ask(task);
		if (answer.status !== 'success') {
			throw new Error(`A run of "${task.watch}" ended with "${answer.status}": ${answer.problem}`);
		}
		const asked = task.request.items.length;
		if (answer.items !== asked) throw new Error(`"${task.watch}" gave ${answer.items} of ${asked} items`);
		return answer;
	}

	async stop(): Promise<void> {
		await this.#child.stop();
		await rm(this.#userFolder, { recursive: true, force: true });
	}
}
