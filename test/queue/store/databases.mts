import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { N8nInstallation } from '../../../dev/harness/n8n/install.mts';
import { createPostgres } from '../../../dev/harness/queue/postgres.mts';
import { findQueuePrograms } from '../../../dev/harness/queue/programs.mts';
import { unprivileged } from '../../../dev/harness/queue/unprivileged.mts';
import { onTeardown } from '../../../dev/harness/teardown-list.mts';
import { postgres, sqlite, type StoreWork } from './work.mts';

/** The databases that n8n supports. */
export const databaseNames = ['SQLite', 'PostgreSQL'] as const;

/** Starts one of each; `tearDown` ends them. */
export async function startDatabases(
	n8n: N8nInstallation,
): Promise<Record<(typeof databaseNames)[number], StoreWork['database']>> {
	const folder = mkdtempSync(join(tmpdir(), 'messaging-lock-'));
	onTeardown(() => rmSync(folder, { recursive: true, force: true }));
	const programs = findQueuePrograms();
	const server = await createPostgres(n8n.node, programs, unprivileged());
	await server.start();
	return { SQLite: sqlite(join(folder, 'database.sqlite')), PostgreSQL: postgres(server.n8nSettings) };
}
