import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { SetupProblem } from '../n8n/node24.mts';

/** The programs that queue mode needs beside n8n, where Debian puts them. */
export interface QueuePrograms {
	readonly initdb: string;
	readonly postgres: string;
	readonly redisServer: string;
}

/** One folder for each version of PostgreSQL. */
const postgresVersions = '/usr/lib/postgresql';

const redisServer = '/usr/bin/redis-server';

/**
 * Finds the newest PostgreSQL, and Redis, on this machine.
 *
 * @throws {SetupProblem} with one line that says how to install them
 */
export function findQueuePrograms(): QueuePrograms {
	const versions = existsSync(postgresVersions) ? readdirSync(postgresVersions) : [];
	const bin = versions
		.sort((one, other) => Number(other) - Number(one))
		.map((version) => join(postgresVersions, version, 'bin'))
		.find((folder) => existsSync(join(folder, 'initdb')));
	if (bin === undefined || !existsSync(redisServer)) {
		throw new SetupProblem(
			'The tests of queue mode need PostgreSQL and Redis. On Debian: apt-get install postgresql redis-server',
		);
	}
	return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), redisServer };
}
