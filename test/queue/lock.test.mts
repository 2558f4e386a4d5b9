import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import { databaseNames, startDatabases } from './store/databases.mts';
import { inProcess, torture } from './store/work.mts';

/**
 * The lease in n8n's store, with n8n's own code and real databases. Fails if n8n ever turns the INSERT that takes the lease
 * into an upsert, or asks for a mark before it reads the row.
 */
let n8n: N8nInstallation;
let databases: Awaited<ReturnType<typeof startDatabases>>;

beforeAll(async () => {
	n8n = await ensureN8n();
	databases = await startDatabases(n8n);
}, 600_000);

afterAll(tearDown, 120_000);

test.each(databaseNames)(
	'four processes that write under it at the same time lose nothing (%s)',
	async (name) => {
		const added = { processes: 4, times: 100 };
		expect(await torture(n8n, databases[name], { ...added, does: 'count' })).toBe(400);
		// Without the lease, marks must be lost; otherwise this test would prove nothing.
		expect(await torture(n8n, databases[name], { ...added, does: 'countUnlocked' })).toBeLessThan(400);
	},
	300_000,
);

test.each(databaseNames)(
	'a write is checked once more between reading the row and writing it (%s)',
	async (name) => {
		const database = databases[name];
		await inProcess(n8n, { database, does: 'prepare', times: 1 });
		const each = ['SELECT', 'check', 'UPDATE'];
		expect(await inProcess(n8n, { database, does: 'order', times: 0 })).toEqual([...each, ...each]);
	},
	60_000,
);

test.each(databaseNames)(
	'a row of another node is refused, and is not changed (%s)',
	async (name) => {
		const database = databases[name];
		await inProcess(n8n, { database, does: 'prepare', times: 0 });
		expect(await inProcess(n8n, { database, does: 'meetOthers', times: 0 })).toEqual([
			'Deduplication Failed',
			1,
		]);
	},
	60_000,
);
