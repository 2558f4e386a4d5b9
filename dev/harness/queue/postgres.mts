import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { basicEnvironment, startGuarded, untilPrinted } from '../n8n/guarded.mts';
import { SetupProblem, type Node24 } from '../n8n/node24.mts';
import { freePort } from '../n8n/ports.mts';
import { onTeardown } from '../teardown-list.mts';
import { createPlayer, type Player } from './player.mts';
import type { QueuePrograms } from './programs.mts';
import type { Unprivileged } from './unprivileged.mts';

/** A PostgreSQL with an empty database. */
export interface Postgres extends Pick<Player, 'start' | 'stop'> {
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
	const player = createPlayer({
		name: 'postgres',
		launch: (logFile) =>
			startGuarded(node, { ...command, cwd: folder.path, env: basicEnvironment(), logFile }),
		untilReady: async (program) =>
			await untilPrinted(program, 'PostgreSQL', 'database system is ready to accept connections'),
	});
	const stop = async (): Promise<void> => {
		const pidFile = join(data, 'postmaster.pid');
		// Unlike SIGTERM, this does not wait for clients to disconnect.
		if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGINT');
		await player.stop();
	};
	onTeardown(stop);
	return {
		start: player.start,
		stop,
		n8nSettings: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
	};
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
