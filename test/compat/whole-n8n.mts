/** What needs a complete n8n, and its installation. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { n8nFolder } from '../../dev/harness/n8n/paths.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { databaseNames, startDatabases } from '../queue/store/databases.mts';
import { torture } from '../queue/store/work.mts';
import { cacheFolder } from './install.mts';
import { versions } from './versions.mts';

/** Packages that n8n takes from elsewhere than the registry, or whose newer versions break it. */
const overrides = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' };

/** The folder for a complete n8n, installed or not: for the newest one, that of the other tests. */
export function wholeN8nFolder(n8n: string): string {
	if (n8n === versions.at(-1)?.n8n) return n8nFolder();
	const folder = join(cacheFolder, `n8n-${n8n}`);
	mkdirSync(folder, { recursive: true });
	const wanted = { name: 'compat-n8n', private: true, dependencies: { n8n }, pnpm: { overrides } };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted));
	return folder;
}

/**
 * Has processes write to one row under the lock, on each database.
 *
 * @param n8n its version, installed if missing
 * @returns for each database, how many of 400 writes were not lost, with and without the lock
 */
export async function tortureLock(
	n8n: string,
): Promise<Array<{ name: string; kept: number; without: number }>> {
	const installation = await ensureN8n({ folder: wholeN8nFolder(n8n) });
	try {
		const databases = await startDatabases(installation, onTeardown);
		const found = [];
		for (const name of databaseNames) {
			const all = { processes: 4, times: 100 };
			const kept = await torture(installation, databases[name], { ...all, does: 'count' });
			const without = await torture(installation, databases[name], { ...all, does: 'countUnlocked' });
			found.push({ name, kept, without });
		}
		return found;
	} finally {
		await tearDown();
	}
}
