import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { SandboxClient } from '../../sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../../sandbox/spawn.mts';
import { credentialContent } from '../credential.mts';
import { N8nClient, type StoredCredential } from '../n8n/api.mts';
import { testOwner } from '../n8n/fresh-n8n.mts';
import type { N8nInstallation } from '../n8n/install.mts';
import { freePort } from '../n8n/ports.mts';
import { startN8n } from '../n8n/server.mts';
import { createUserFolder, installPacked, type UserFolder } from '../n8n/user-folder.mts';
import { onTeardown } from '../teardown-list.mts';
import { createPlayer, type Player } from './player.mts';
import { createPostgres, type Postgres } from './postgres.mts';
import { findQueuePrograms } from './programs.mts';
import { createRedis, type Redis } from './redis.mts';
import { unprivileged } from './unprivileged.mts';
import { createWorker, type Worker } from './worker.mts';

/** n8n in queue mode: a main process, workers, and what they work with. */
export interface QueueStage {
	/** Logged in at the main process; a restart does not end the session. */
	readonly client: N8nClient;
	/** A credential with the sandbox's organization key. */
	readonly credential: StoredCredential;
	readonly sandbox: SandboxClient;
	readonly service: SandboxProcess;
	readonly main: Player;
	readonly workers: readonly Worker[];
	readonly postgres: Postgres;
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
	const service = await spawnSandbox();
	onTeardown(service.stop);
	const [folder] = await Promise.all([installedFolder(n8n), redis.start(), postgres.start()]);
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
	const client = new N8nClient(`http://127.0.0.1:${port}`);
	await client.setUpOwner(testOwner);
	await Promise.all(workers.map((worker) => worker.start()));
	const { url, control, tokens } = service;
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

function createMain(
	n8n: N8nInstallation,
	{ path: userFolder }: UserFolder,
	port: number,
	env: Readonly<Record<string, string>>,
): Player {
	return createPlayer({
		name: 'main',
		launch: async (logFile) => await startN8n(n8n, { userFolder, port, env, logFile }),
		untilReady: async (server) => await server.ready(),
	});
}
