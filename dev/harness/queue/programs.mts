import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { SetupProblem } from '../n8n/node24.mts';

/** The programs that queue mode needs beside n8n. */
export interface QueuePrograms {
	readonly initdb: string;
	readonly postgres: string;
	readonly redisServer: string;
	/** Starts a program as another user. */
	readonly setpriv: string;
}

/** Where Debian puts PostgreSQL's servers, one folder for each version. */
const debianPostgres = '/usr/lib/postgresql';

/**
 * Finds PostgreSQL and Redis on this machine.
 *
 * @throws {SetupProblem} with one line that names what is missing
 */
export function findQueuePrograms(): QueuePrograms {
	const bin = postgresFolders().find((folder) => isProgram(join(folder, 'initdb')));
	const redisServer = onPath('redis-server');
	const setpriv = onPath('setpriv');
	if (bin === undefined || redisServer === undefined || setpriv === undefined) {
		const missing = [
			...(bin === undefined ? ['postgresql'] : []),
			...(redisServer === undefined ? ['redis-server'] : []),
			...(setpriv === undefined ? ['util-linux'] : []),
		];
		throw new SetupProblem(
			`The tests of queue mode need PostgreSQL and Redis. Missing: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`,
		);
	}
	return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), redisServer, setpriv };
}

/** The newest of Debian's versions first, then those on the PATH. */
function postgresFolders(): string[] {
	const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
	return [
		...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianPostgres, version, 'bin')),
		...pathFolders(),
	];
}

const onPath = (name: string): string | undefined =>
	pathFolders()
		.map((folder) => join(folder, name))
		.find(isProgram);

const pathFolders = (): string[] => (process.env.PATH ?? '').split(delimiter).filter(Boolean);

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
