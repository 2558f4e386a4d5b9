import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { findNode24, headersIn, SetupProblem } from './node24.ts';
import type { Node24 } from './node24.ts';
import { explainNpmFailure } from './npm-failures.ts';
import { runNpm } from './npm.ts';
import { n8nFolder, n8nProgram, projectRoot, readJson } from './paths.ts';
import { startProgress } from './progress.ts';
import type { ProgressOutput } from './progress.ts';
import { requireRegistry, type RegistryPatience } from './registry.ts';

/** An n8n that is ready to be started. */
export interface N8nInstallation {
	readonly folder: string;
	/** n8n's command line program, to be run with Node 24. */
	readonly program: string;
	readonly version: string;
	readonly node: Node24;
}

/** n8n's modules, npm's cache of them, and room for a native build. */
const gigabytesNeeded = 3;
/** Older n8n has no isolated-vm. */
const nativeModulesIn = (folder: string): string[] =>
	['sqlite3', 'isolated-vm'].filter((name) => existsSync(join(folder, 'node_modules', name)));

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
	rmSync(log, { force: true });
	let { headers: headersFolder } = node;
	const failure = (doing: string, output: string): SetupProblem => {
		const headers = headersFolder !== null;
		return new SetupProblem(
			explainNpmFailure(output, { doing, folder, log, headers, platform: process.platform }),
		);
	};
	if (!packagesAreComplete(folder, wanted, lock)) {
		await requireDiskSpace(folder);
		await requireRegistry({ cwd: folder, node, log }, options.patience);
		const progress = startProgress(
			`Installing n8n ${wanted} for the demo and the end-to-end tests (once, about 2.2 GB, some minutes)`,
			options.output,
		);
		// What an interrupted installation left behind looks whole to npm. ("npm ci" would remove it too, but it
		// refuses to work with registries that do not carry every platform's optional packages.)
		rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
		const result = await runNpm(
			['install', '--no-save', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
			{ cwd: folder, node, log },
		);
		if (!result.ok) {
			progress.failed();
			throw failure('installing n8n', result.output);
		}
		mark(folder, { lock, node: null });
		progress.done();
	}
	const nativeModules = nativeModulesIn(folder);
	if (!nativeModulesLoad(folder, node)) {
		const progress = startProgress(
			`Building n8n's native modules (${nativeModules.join(', ')})`,
			options.output,
		);
		headersFolder ??= await fetchHeaders(node, join(root, '.e2e/node-headers'), log);
		const result = await runNpm(['rebuild', ...nativeModules], {
			cwd: folder,
			node,
			log,
			env: {
				// The compiler takes most of the time, and node-gyp uses one core unless told otherwise.
				JOBS: process.env['JOBS'] ?? 'max',
				...(headersFolder === null ? {} : { npm_config_nodedir: headersFolder }),
			},
		});
		if (!result.ok) {
			progress.failed();
			throw failure("building n8n's native modules", result.output);
		}
		if (!nativeModulesLoad(folder, node)) {
			progress.failed();
			throw new SetupProblem(
				`n8n's native modules (${nativeModules.join(', ')}) were built but do not load with Node ${node.version}: delete ${join(folder, 'node_modules')} and run it again. The whole output is in ${log}`,
			);
		}
		progress.done();
	}
	mark(folder, { lock, node: node.version });
	return installation;
}

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

/** Says which packages are wanted: the lockfile, or the manifest of a folder without one. */
function lockHash(folder: string): string {
	const lock = join(folder, 'package-lock.json');
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

/**
 * Whether npm finished with this lockfile. Without a marker (n8n was installed by hand), npm's own record counts:
 * npm writes it last.
 */
function packagesAreComplete(folder: string, wanted: string, lock: string): boolean {
	if (!existsSync(n8nProgram(folder))) return false;
	const marker = readMarker(folder);
	if ('lock' in marker) return marker.lock === lock;
	try {
		if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) return false;
		return readJson(join(folder, 'node_modules/n8n/package.json')).version === wanted;
	} catch {
		return false;
	}
}

function nativeModulesLoad(folder: string, node: Node24): boolean {
	try {
		execFileSync(
			node.program,
			[
				'-e',
				nativeModulesIn(folder)
					.map((name) => `require('${name}')`)
					.join(';'),
			],
			{
				cwd: folder,
				stdio: 'ignore',
				timeout: 60_000,
			},
		);
		return true;
	} catch {
		return false;
	}
}

/**
 * Gets the C++ headers of Node 24 from the npm registry. When that fails the build goes on without them: node-gyp
 * then tries to fetch them from nodejs.org.
 */
async function fetchHeaders(node: Node24, into: string, log: string): Promise<string | null> {
	mkdirSync(into, { recursive: true });
	writeFileSync(join(into, 'package.json'), '{ "name": "node-headers", "private": true }\n');
	const install = [
		'install',
		'--no-save',
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
		node.platformPackage,
	];
	await runNpm(install, { cwd: into, node, log });
	return headersIn(join(into, 'node_modules'));
}

async function requireDiskSpace(folder: string): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = (Number(bavail) * Number(bsize)) / 1e9;
	if (free < gigabytesNeeded) {
		throw new SetupProblem(
			`Not enough disk space to install n8n in ${folder}: about ${gigabytesNeeded} GB are needed, ${free.toFixed(1)} GB are free.`,
		);
	}
}
