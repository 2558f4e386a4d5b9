import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { SandboxClient } from '../../sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../../sandbox/spawn.mts';
import { credentialContent } from '../credential.mts';
import { N8nClient, type StoredCredential } from '../n8n/api.mts';
import { testOwner } from '../n8n/fresh-n8n.mts';
import { untilPrinted, type GuardedProgram } from '../n8n/guarded.mts';
import type { N8nInstallation } from '../n8n/install.mts';
import { projectRoot } from '../n8n/paths.mts';
import { freePort } from '../n8n/ports.mts';
import { startN8n, type N8nServer } from '../n8n/server.mts';
import { createUserFolder, installPacked, type UserFolder } from '../n8n/user-folder.mts';
import { onTeardown } from '../teardown-list.mts';
import { createPostgres } from './postgres.mts';
import { findQueuePrograms } from './programs.mts';
import { createRedis, type Redis } from './redis.mts';
import type { StoringService } from './service.mts';
import { unprivileged } from './unprivileged.mts';
import { startWorker } from './worker.mts';

/** One of the programs on the stage that can be killed and started again. */
export interface Player {
	readonly name: string;
	running(): boolean;
	/** Starts it and waits until it works. */
	start(): Promise<void>;
	/** Kills it at once (SIGKILL), as a crash does. */
	kill(): Promise<void>;
}

/** A worker, with its log. */
export interface WorkerPlayer extends Player {
	/** How often it has started an execution, including before it was killed. */
	startsOf(executionId: string): number;
}

/** n8n in queue mode: a main process, workers, and what they work with. */
export interface QueueStage {
	/** Logged in at the main process; a restart does not end the session. */
	readonly client: N8nClient;
	/** A credential with the sandbox's organization key. */
	readonly credential: StoredCredential;
	readonly sandbox: SandboxClient;
	/** The sandbox's process: one that is started again has the same address and keys, and no messages. */
	readonly service: Player & { address(): SandboxProcess };
	readonly main: Player;
	readonly workers: readonly WorkerPlayer[];
	readonly postgres: StoringService;
	readonly redis: Redis;
}

/**
 * How soon a job counts as stalled: lock duration, lock renewal and check interval, in ms. n8n's defaults are 60 s, 10 s
 * and 30 s.
 */
const stalledJobs = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/**
 * The newer expression engine takes 120 ms of CPU for each webhook that answers with an expression. The workers, which
 * run the node, use it.
 */
const onlyMain = { N8N_EXPRESSION_ENGINE: 'legacy' };

/**
 * Starts PostgreSQL, Redis, an n8n in queue mode with its workers, the packed node in each, and a sandbox.
 * `tearDown` ends all of them, even if the start fails half-way.
 *
 * @throws {SetupProblem} with one line, when a program is missing
 */
export async function buildQueueStage(n8n: N8nInstallation): Promise<QueueStage> {
	const programs = findQueuePrograms();
	const user = unprivileged();
	const redis = await createRedis(n8n.node, programs, user);
	const postgres = await createPostgres(n8n.node, programs, user);
	const service = await createSandbox();
	const [folder] = await Promise.all([
		installedFolder(n8n),
		redis.start(),
		postgres.start(),
		service.start(),
	]);
	const port = await freePort();
	const env = {
		EXECUTIONS_MODE: 'queue',
		// A worker can't know where the main process serves the page of a question.
		WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		// As n8n 3 always does.
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		QUEUE_HEALTH_CHECK_ACTIVE: 'false',
		...postgres.n8nSettings,
		...stalledJobs,
		// The same in all of them: each reads the credentials that the main process stored.
		N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
		// A message says which worker sent it, through an expression that reads its environment.
		N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false',
	};
	// n8n keeps a crash journal in its folder, so processes can't share one.
	const names = ['worker-1', 'worker-2', 'worker-3'];
	const workers = names.map((name) => createWorker(n8n, name, copyOf(folder), env));
	const main = createMain(n8n, folder, port, { ...env, ...onlyMain });
	// All at once, without waiting for running executions: they are no longer needed.
	onTeardown(async () => void (await Promise.all([main, ...workers].map((player) => player.kill()))));
	// It creates the tables that the workers need.
	await main.start();
	const client = new N8nClient(main.url);
	await client.setUpOwner(testOwner);
	await Promise.all(workers.map((worker) => worker.start()));
	const { url, control, tokens } = service.address();
	return {
		client,
		credential: await client.createCredential(credentialContent(url, tokens.org)),
		sandbox: new SandboxClient(control),
		service,
		main,
		workers,
		postgres,
		redis,
	};
}

async function installedFolder(n8n: N8nInstallation): Promise<UserFolder> {
	const folder = createUserFolder();
	onTeardown(folder.remove);
	await installPacked(folder, n8n.node);
	return folder;
}

/** A user folder with the same packages in it. */
function copyOf(folder: UserFolder): UserFolder {
	const copy = createUserFolder();
	onTeardown(copy.remove);
	cpSync(join(folder.path, '.n8n/nodes'), join(copy.path, '.n8n/nodes'), { recursive: true });
	return copy;
}

const logFile = (name: string, start: number): string =>
	join(projectRoot(), `.e2e/queue/${name}-${start}.log`);

function createMain(
	n8n: N8nInstallation,
	{ path: userFolder }: UserFolder,
	port: number,
	env: Readonly<Record<string, string>>,
): Player & { readonly url: string } {
	let server: N8nServer | undefined;
	let starts = 0;
	return {
		name: 'main',
		url: `http://127.0.0.1:${port}`,
		running: () => server?.running() ?? false,
		start: async () => {
			server = await startN8n(n8n, { userFolder, port, env, logFile: logFile('main', ++starts) });
			await server.ready();
		},
		kill: async () => await server?.kill(),
	};
}

function createWorker(
	n8n: N8nInstallation,
	name: string,
	{ path: userFolder }: UserFolder,
	env: Readonly<Record<string, string>>,
): WorkerPlayer {
	const runs: GuardedProgram[] = [];
	return {
		name,
		running: () => runs.at(-1)?.running() ?? false,
		start: async () => {
			const worker = await startWorker(n8n, {
				name,
				userFolder,
				env,
				logFile: logFile(name, runs.length + 1),
			});
			runs.push(worker);
			await untilPrinted(worker, 'An n8n worker', 'n8n worker is now ready');
		},
		kill: async () => await runs.at(-1)?.kill(),
		startsOf: (executionId) =>
			runs
				.map((run) => run.log().split(`Worker started execution ${executionId} (`).length - 1)
				.reduce((sum, starts) => sum + starts, 0),
	};
}

async function createSandbox(): Promise<Player & { address(): SandboxProcess }> {
	// Its address must stay the same after a restart, because the credential has it.
	const port = await freePort();
	let sandbox: SandboxProcess | undefined;
	let runs = false;
	onTeardown(async () => await sandbox?.stop());
	return {
		name: 'sandbox',
		running: () => runs,
		address: () => {
			if (sandbox === undefined) throw new Error('The sandbox was not started');
			return sandbox;
		},
		start: async () => {
			sandbox = await spawnSandbox({ port });
			runs = true;
		},
		kill: async () => {
			if (sandbox === undefined) return;
			process.kill(sandbox.pid, 'SIGKILL');
			runs = false;
			// Waits until it has ended.
			await sandbox.stop();
		},
	};
}
