import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run, type CommandOptions } from './command.mts';
import { findNode24, platformPackageName, SetupProblem, type Node24 } from './node24.mts';
import { n8nFolder, n8nProgram, projectRoot, readJson } from './paths.mts';

/** An n8n that is ready to be started. */
export interface N8nInstallation {
	readonly folder: string;
	/** n8n's command line program, to be run with Node 24. */
	readonly program: string;
	readonly version: string;
	readonly node: Node24;
}

/**
 * Installs n8n with pnpm, unless it is installed: the version in dev/harness/n8n/package.json, with the packages of the
 * lockfile beside it, from the registry that the person's npm configuration names.
 *
 * @throws {SetupProblem} with what failed, the last lines of what pnpm or the compiler said, and what to do
 */
export async function ensureN8n(): Promise<N8nInstallation> {
	const folder = n8nFolder();
	const node = findNode24();
	const version = wantedVersion(folder);
	const installation = { folder, program: n8nProgram(folder), version, node };
	const wanted = readFileSync(join(folder, 'pnpm-lock.yaml'));
	// Written last, so that an interrupted installation starts again.
	const marker = join(folder, 'node_modules/.installed.json');
	const state = JSON.stringify({
		lock: createHash('sha256').update(wanted).digest('hex'),
		node: node.version,
	});
	if (existsSync(marker) && readFileSync(marker, 'utf8') === state) return installation;

	console.log(
		`Installing n8n ${version} for the demo and the tests (once; about 2.4 GB, one to three minutes)`,
	);
	const began = Date.now();
	rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
	await runPnpm(['install', '--frozen-lockfile', '--ignore-scripts'], {
		cwd: folder,
		node,
		doing: 'installing n8n',
		shown: true,
	});
	for (const name of ['sqlite3', 'isolated-vm']) await ensureNativeModule(name, folder, node);
	writeFileSync(marker, state);
	console.log(`n8n is installed (${Math.round((Date.now() - began) / 1000)} s).`);
	return installation;
}

/** The version in the folder's package.json, which is exact. */
function wantedVersion(folder: string): string {
	const { dependencies } = readJson(join(folder, 'package.json')) as { dependencies?: { n8n?: string } };
	if (dependencies?.n8n === undefined) throw new SetupProblem(`${folder}/package.json names no n8n`);
	return dependencies.n8n;
}

const logFile = (): string => join(projectRoot(), '.e2e/n8n-install.log');

/**
 * Runs the pnpm of the dev dependencies, with a store inside the project: deleting the project deletes everything.
 *
 * @throws {SetupProblem} when it fails
 */
export async function runPnpm(
	args: readonly string[],
	options: Pick<CommandOptions, 'cwd' | 'node' | 'doing' | 'shown'>,
): Promise<void> {
	const root = projectRoot();
	const settings = [
		'--ignore-workspace',
		`--config.store-dir=${join(root, '.cache/pnpm/store')}`,
		`--config.cache-dir=${join(root, '.cache/pnpm/metadata')}`,
		`--config.state-dir=${join(root, '.cache/pnpm/state')}`,
		'--config.manage-package-manager-versions=false',
		// The flat layout that npm makes, with each package of n8n once: with a second n8n-core, n8n's services would
		// exist twice. Peer dependencies are what makes copies: the pnpmfile removes them.
		'--config.node-linker=hoisted',
		`--config.pnpmfile=${join(n8nFolder(root), 'no-peers.pnpmfile.cjs')}`,
		'--config.confirm-modules-purge=false',
		'--reporter=append-only',
		// The project's .npmrc silences npm, but this takes a minute and should show progress.
		'--loglevel=info',
	];
	await run(options.node.program, [join(pnpmFolder(), 'bin/pnpm.cjs'), ...args, ...settings], {
		...options,
		log: logFile(),
		minutes: 30,
		advice:
			'Check the network, "npm config get registry" and that 3 GB of disk space are free. Then run it again.',
	});
}

const pnpmFolder = (): string => join(projectRoot(), 'node_modules/pnpm');

/**
 * Makes a native module load: with its own binary, a downloaded one, or one compiled here. Its install script does the
 * same, but it may wait forever for a download, and it uses the node-gyp of n8n, which fails with Python 3.12 and later.
 * This uses pnpm's.
 */
async function ensureNativeModule(name: string, folder: string, node: Node24): Promise<void> {
	const cwd = join(folder, 'node_modules', name);
	const loads = (): boolean => {
		try {
			execFileSync(node.program, ['-e', `require('${name}')`], {
				cwd: folder,
				stdio: 'ignore',
				timeout: 60_000,
			});
			return true;
		} catch {
			return false;
		}
	};
	if (loads()) return;
	const build = {
		cwd,
		node,
		log: logFile(),
		doing: `building ${name}, a native module of n8n`,
		advice:
			'It needs Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++; macOS: xcode-select --install), and the C++ headers of Node 24, which "npm ci" restores. Then run it again.',
	};
	const prebuilt = join(folder, 'node_modules/prebuild-install/bin.js');
	if (JSON.stringify(readJson(join(cwd, 'package.json'))).includes('prebuild-install')) {
		await run(node.program, [prebuilt, '-r', 'napi'], { ...build, minutes: 0.5 }).catch(() => undefined);
		if (loads()) return;
	}
	console.log(`Compiling ${name}, a native module of n8n (about half a minute)`);
	const nodeGyp = join(pnpmFolder(), 'dist/node_modules/node-gyp/bin/node-gyp.js');
	// Node's C++ headers come with the dev dependency; where they are missing, node-gyp fetches them from nodejs.org.
	const headers = join(projectRoot(), 'node_modules/node/node_modules', platformPackageName());
	const nodeDir = existsSync(join(headers, 'include/node/node.h')) ? [`--nodedir=${headers}`] : [];
	// SQLite is one huge file, which takes twice as long with its default -O3.
	const env = { JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' };
	await run(node.program, [nodeGyp, 'rebuild', ...nodeDir], { ...build, minutes: 15, env });
	if (!loads())
		throw new SetupProblem(`${name} was built but does not load with Node ${node.version}: see ${logFile()}`);
}
