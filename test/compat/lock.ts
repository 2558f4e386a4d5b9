/** Tests the lock of once keys in another n8n, with that n8n's code on SQLite and PostgreSQL. */
import { ensureN8n } from '../../dev/harness/n8n/install.ts';
import { databaseNames, startDatabases } from '../queue/store/databases.ts';
import { torture } from '../queue/store/work.ts';
import { wholeN8nFolder } from './e2e.ts';

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
	const atEnd: Array<() => Promise<void> | void> = [];
	try {
		const databases = await startDatabases(installation, (step) => atEnd.push(step));
		const found = [];
		for (const name of databaseNames) {
			const all = { processes: 4, times: 100 };
			const kept = await torture(installation, databases[name], { ...all, does: 'count' });
			const without = await torture(installation, databases[name], { ...all, does: 'countUnlocked' });
			found.push({ name, kept, without });
		}
		return found;
	} finally {
		for (const step of atEnd.reverse()) await step();
	}
}
