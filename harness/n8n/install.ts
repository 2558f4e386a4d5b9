import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { getNativeModule, nativeModulesToBuild } from './native-modules.ts';
import { findNode24, SetupProblem } from './node24.ts';
import type { Node24 } from './node24.ts';
import { explainFailure } from './package-manager-failures.ts';
import { runPnpm } from './package-managers.ts';
import { n8nFolder, n8nProgram, projectRoot, readJson } from './paths.ts';
import { startProgress } from './progress.ts';
import type { Progress, ProgressOutput } from './progress.ts';
import { requireRegistry, type RegistryPatience } from './registry.ts';
import { startSqlite3Aside, type Sqlite3Aside } from './sqlite3-aside.ts';

/** An n8n that is ready to be started. */
export interface N8nInstallation {
	readonly folder: string;
	/** n8n's command line program, to be run with Node 24. */
	readonly program: string;
	readonly version: string;
	readonly node: Node24;
}

/** n8n's modules, which share their disk space with pnpm's store, and room for a native build. */
const gigabytesNeeded = 3;

/**
 * Makes sure that the n8n named in harness/n8n/package.json is installed there, and installs or repairs it when
 * it is not. Whatever goes wrong is a SetupProblem of one line.
 */
export async function ensureN8n(
	options: { root?: string; folder?: string; output?: ProgressOutput; patience?: RegistryPatience } = {},
): Promise<N8nInstallation> {
	const root = options.root ?? projectRoot();
	const folder = options.folder ?? n8nFolder(root);
	const node = findNode24(root);
	const wanted = wantedVersion(folder);
	const installation = { folder, program: n8nProgram(folder), version: wanted, node };
	const lock = lockHash(folder);
	if (isMarked(folder, lock, node)) return installation;

	const log = join(root, '.e2e/n8n-install.log');
	let doing = 'installing n8n';
	let progress: Progress | undefined;
	let sqlite3: Sqlite3Aside | null = null;
	const failure = (output: string): SetupProblem =>
		new SetupProblem(explainFailure(output, { doing, folder, log, platform: process.platform }));
	try {
		rmSync(log, { force: true });
		const build = { root, folder, node, log };
		if (!packagesAreComplete(folder, lock)) {
			await requireDiskSpace(folder);
			await requireRegistry({ cwd: folder, node, log }, options.patience);
			progress = startProgress(
				`Installing n8n ${wanted} for the demo and the end-to-end tests (once, about 2.4 GB, a minute or a few)`,
				options.output,
			);
			sqlite3 = startSqlite3Aside({ ...build, log: join(root, '.e2e/n8n-sqlite3.log') });
			// What an interrupted installation, or another program than pnpm, left behind.
			rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
			const frozen = existsSync(lockFile(folder)) ? '--frozen-lockfile' : '--no-lockfile';
			const result = await runPnpm(['install', frozen, '--ignore-scripts'], { ...build, cwd: folder });
			if (!result.ok) throw failure(result.output);
			await sqlite3?.take();
			mark(folder, { lock, node: null });
			progress.done();
			progress = undefined;
		}
		for (const name of nativeModulesToBuild(build)) {
			doing = `building ${name}, a native module of n8n`;
			progress = startProgress(`Building ${name}, a native module of n8n`, options.output);
			const result = await getNativeModule(name, build);
			if (!result.ok) throw failure(result.output);
			if (nativeModulesToBuild(build).includes(name)) {
				throw new SetupProblem(
					`${name}, a native module of n8n, was built but does not load with Node ${node.version}: delete ${join(folder, 'node_modules')} and run it again. The whole output is in ${log}`,
				);
			}
			progress.done();
			progress = undefined;
		}
		mark(folder, { lock, node: node.version });
	} catch (error) {
		await sqlite3?.stop();
		progress?.failed();
		throw isRefusal(error) ? failure(`Error: ${error.message}`) : error;
	}
	return installation;
}

/** Whether the system refused something, for want of space or of a permission. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException =>
	typeof error === 'object' && error !== null && 'syscall' in error;

/** The version in the folder's package.json, which is exact. */
function wantedVersion(folder: string): string {
	const { dependencies } = readJson(join(folder, 'package.json'));
	const version =
		typeof dependencies === 'object' && dependencies !== null && 'n8n' in dependencies
			? dependencies.n8n
			: undefined;
	if (typeof version !== 'string') throw new SetupProblem(`${folder}/package.json names no n8n`);
	return version;
}

const lockFile = (folder: string): string => join(folder, 'pnpm-lock.yaml');

/** Says which packages are wanted: the lockfile, or the manifest of a folder without one. */
function lockHash(folder: string): string {
	const lock = lockFile(folder);
	const file = existsSync(lock) ? lock : join(folder, 'package.json');
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** What stands in the marker: the lockfile that was installed and the Node.js for which native modules are built. */
interface Marker {
	readonly lock: string;
	readonly node: string | null;
}

const markerFile = (folder: string): string => join(folder, 'node_modules/.installed.json');

/** Written after each finished step, so that an installation which was interrupted is seen and gone on with. */
function mark(folder: string, marker: Marker): void {
	mkdirSync(join(folder, 'node_modules'), { recursive: true });
	writeFileSync(markerFile(folder), JSON.stringify(marker));
}

function readMarker(folder: string): Record<string, unknown> {
	try {
		return readJson(markerFile(folder));
	} catch {
		return {};
	}
}

function isMarked(folder: string, lock: string, node: Node24): boolean {
	const marker = readMarker(folder);
	return marker.lock === lock && marker.node === node.version && existsSync(n8nProgram(folder));
}

/** Whether pnpm finished with this lockfile. */
const packagesAreComplete = (folder: string, lock: string): boolean =>
	readMarker(folder).lock === lock && existsSync(n8nProgram(folder));

async function requireDiskSpace(folder: string): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = (Number(bavail) * Number(bsize)) / 1e9;
	if (free < gigabytesNeeded) {
		throw new SetupProblem(
			`Not enough disk space to install n8n in ${folder}: about ${gigabytesNeeded} GB are needed, ${free.toFixed(1)} GB are free.`,
		);
	}
}
