/** Runs processes that use n8n's store on a real database, see `process.mts`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { build } from 'esbuild';

import type { N8nInstallation } from '../../../dev/harness/n8n/install.mts';
import { projectRoot } from '../../../dev/harness/n8n/paths.mts';

/** What one process does. */
export interface StoreWork {
	/** The folder in which n8n is installed. */
	readonly n8n: string;
	/** As TypeORM has it. */
	readonly database: { readonly type: string; readonly [setting: string]: unknown };
	/**
	 * Creates the table with so many marks in the row; adds marks, with or without the lease; sends; counts the marks; tells in
	 * which order n8n reads the row, asks for a mark, and writes the row; tries to take the lease where another node has its
	 * row, and counts what is in it afterwards.
	 */
	readonly does: 'prepare' | 'count' | 'countUnlocked' | 'send' | 'look' | 'order' | 'meetOthers';
	readonly times: number;
}

/** What sending one after the other cost: milliseconds each, and bytes of PostgreSQL's write-ahead log for a message. */
export interface SendTimes {
	readonly took: number[];
	readonly walBytes: number;
}

/** A database in a file. */
export function sqlite(file: string): StoreWork['database'] {
	const pool = { poolSize: 3, enableWAL: true, acquireTimeout: 60_000, destroyTimeout: 5000 };
	return { type: 'sqlite-pooled', database: file, ...pool };
}

/** A server's database, from n8n's settings. */
export function postgres(settings: Readonly<Record<string, string>>): StoreWork['database'] {
	const of = (name: string): string | undefined => settings[`DB_POSTGRESDB_${name}`];
	return {
		...{ type: 'postgres', host: of('HOST'), port: Number(of('PORT')), poolSize: 2 },
		...{ username: of('USER'), password: of('PASSWORD'), database: of('DATABASE') },
	};
}

/** The program of a process as one file, placed where this project's modules resolve. */
let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
	const outfile = join(projectRoot(), '.cache/store-process.cjs');
	await build({
		entryPoints: [join(projectRoot(), 'test/queue/store/process.mts')],
		...{ outfile, bundle: true, platform: 'node', format: 'cjs', external: ['n8n-workflow'] },
		logLevel: 'warning',
	});
	return outfile;
}

/** Runs one process and returns its result. */
export async function inProcess(n8n: N8nInstallation, work: Omit<StoreWork, 'n8n'>): Promise<unknown> {
	const given: StoreWork = { ...work, n8n: n8n.folder };
	const program = await (bundled ??= bundle());
	const child = spawn(n8n.node.program, [program], {
		env: { ...process.env, WORK: JSON.stringify(given) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	let errors = '';
	child.stdout.on('data', (text: Buffer) => (output += text.toString()));
	child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
	const code = await new Promise((resolve) => child.once('close', resolve));
	if (code !== 0) throw new Error(`A process with n8n's store has failed:\n${errors.slice(-2000)}`);
	return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}

/**
 * Has processes add marks to one row at the same time, either all under the lease or all without.
 *
 * @returns the number of marks at the end: fewer than were added if some were overwritten
 */
export async function torture(
	n8n: N8nInstallation,
	database: StoreWork['database'],
	{ processes, times, does }: { processes: number; times: number; does: 'count' | 'countUnlocked' },
): Promise<number> {
	await inProcess(n8n, { database, does: 'prepare', times: 0 });
	const all = Array.from({ length: processes }, async () => await inProcess(n8n, { database, does, times }));
	await Promise.all(all);
	return Number(await inProcess(n8n, { database, does: 'look', times: 0 }));
}
