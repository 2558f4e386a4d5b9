import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { basicEnvironment, startGuarded, untilPrinted, type GuardedProgram } from '../n8n/guarded.mts';
import { SetupProblem, type Node24 } from '../n8n/node24.mts';
import { projectRoot } from '../n8n/paths.mts';
import { freePort } from '../n8n/ports.mts';
import { onTeardown } from '../teardown-list.mts';
import type { QueuePrograms } from './programs.mts';
import type { StoringService } from './service.mts';
import type { Unprivileged } from './unprivileged.mts';

/** A PostgreSQL with an empty database. */
export interface Postgres extends StoringService {
	/** The settings with which n8n uses it. */
	readonly n8nSettings: Readonly<Record<string, string>>;
}

/** Makes a PostgreSQL with a new folder, reachable only from this machine. It is not started yet. `tearDown` ends it. */
export async function createPostgres(
	node: Node24,
	programs: QueuePrograms,
	user: Unprivileged,
): Promise<Postgres> {
	const folder = user.folder();
	onTeardown(folder.remove);
	const data = join(folder.path, 'data');
	const password = randomBytes(16).toString('hex');
	const passwordFile = join(folder.path, 'password');
	// The database's user has to read it. The folder around it keeps others out.
	writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 });
	initialize(programs, user, data, passwordFile);

	const port = await freePort();
	const command = user.command(programs.postgres, [
		'-D',
		data,
		'-p',
		String(port),
		...setting('listen_addresses', '127.0.0.1'),
		...setting('unix_socket_directories', ''),
		// Written data survives a crash of the program, but not of the machine.
		...setting('fsync', 'off'),
	]);
	let program: GuardedProgram | undefined;
	let starts = 0;
	const service: Postgres = {
		port,
		n8nSettings: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
		start: async () => {
			program = startGuarded(node, {
				...command,
				cwd: folder.path,
				env: basicEnvironment(),
				logFile: join(projectRoot(), `.e2e/queue/postgres-${++starts}.log`),
			});
			await untilPrinted(program, 'PostgreSQL', 'database system is ready to accept connections');
		},
		stop: async () => {
			if (program?.running() !== true) return;
			// Unlike SIGTERM, this does not wait for clients to disconnect.
			process.kill(serverPid(data), 'SIGINT');
			await Promise.race([program.ended, sleep(10_000, undefined, { ref: false })]);
			await program.stop();
		},
		kill: async () => await program?.kill(),
	};
	onTeardown(service.stop);
	return service;
}

function initialize(programs: QueuePrograms, user: Unprivileged, data: string, passwordFile: string): void {
	const { program, args } = user.command(programs.initdb, [
		`--pgdata=${data}`,
		'--username=n8n',
		`--pwfile=${passwordFile}`,
		'--auth=scram-sha-256',
		'--encoding=UTF8',
		'--no-locale',
		'--no-sync',
	]);
	try {
		execFileSync(program, args, {
			cwd: '/',
			env: basicEnvironment(),
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'pipe'],
			timeout: 120_000,
		});
	} catch (error) {
		const words = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
		throw new SetupProblem(`PostgreSQL's initdb failed: ${words.trim().split('\n').join(' | ')}`);
	}
}

const setting = (name: string, value: string): string[] => ['-c', `${name}=${value}`];

/** PostgreSQL's main process, from its pid file. */
const serverPid = (data: string): number =>
	Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
