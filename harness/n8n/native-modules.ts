import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { headersIn, type Node24 } from './node24.ts';
import { pnpmFolder, runPnpm, runScript, type CommandResult } from './package-managers.ts';
import { readJson } from './paths.ts';

/** Where and with what native modules are built. */
export interface NativeBuild {
	readonly root: string;
	/** The folder whose node_modules they are in. */
	readonly folder: string;
	readonly node: Node24;
	readonly log: string;
	readonly signal?: AbortSignal;
	/** How long a binary, or the headers, may take to arrive. Where the network swallows what is sent, nothing else ends the attempt. */
	readonly downloadLimitMs?: number;
}

/** Longer than a download takes. */
const usualDownloadLimitMs = 20_000;

/** Older n8n has no isolated-vm. */
const namesIn = (folder: string): string[] =>
	['sqlite3', 'isolated-vm'].filter((name) => existsSync(join(folder, 'node_modules', name)));

/** The native modules that don't load, and so have to be fetched or built. isolated-vm brings what most systems need. */
export function nativeModulesToBuild({ folder, node }: Pick<NativeBuild, 'folder' | 'node'>): string[] {
	return namesIn(folder).filter((name) => !loads(name, folder, node));
}

function loads(name: string, folder: string, node: Node24): boolean {
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
}

/**
 * Gets a native module ready: the binary that its makers offer where it can be had, otherwise one built here. That is
 * what the module's own install script does, but without an end to the waiting for the download, and with the node-gyp
 * of n8n's tree, which fails with Python 3.12 and later.
 */
export async function getNativeModule(name: string, build: NativeBuild): Promise<CommandResult> {
	const module = join(build.folder, 'node_modules', name);
	const options = { ...build, cwd: module };
	const limitMs = build.downloadLimitMs ?? usualDownloadLimitMs;
	const prebuilt = await fetchPrebuilt(module, { ...build, limitMs });
	if (prebuilt?.ok === true && loads(name, build.folder, build.node)) return prebuilt;
	const nodeGyp = join(pnpmFolder(build.root), 'dist/node_modules/node-gyp/bin/node-gyp.js');
	const headers = headersFor(build) ?? (await fetchHeaders(build));
	if (headers === null) {
		const fetched = await runScript(nodeGyp, ['install', '--ensure'], { ...options, limitMs });
		if (!fetched.ok) return fetched;
	}
	return await runScript(nodeGyp, ['rebuild', ...(headers === null ? [] : [`--nodedir=${headers}`])], {
		...options,
		env: {
			// The compiler takes most of the time, and node-gyp uses one core unless told otherwise.
			JOBS: process.env['JOBS'] ?? 'max',
			// SQLite is one huge file, which takes almost twice as long with the -O3 that it is built with otherwise.
			// This n8n serves the demo and the tests, where SQLite has little to do.
			CFLAGS: process.env['CFLAGS'] ?? '-O1',
			CXXFLAGS: process.env['CXXFLAGS'] ?? '-O1',
		},
	});
}

/** Runs the part of the module's install script that fetches a binary; null when there is none. */
async function fetchPrebuilt(
	module: string,
	build: NativeBuild & { limitMs: number },
): Promise<CommandResult | null> {
	const { scripts } = readJson(join(module, 'package.json'));
	const install =
		typeof scripts === 'object' && scripts !== null && 'install' in scripts ? String(scripts.install) : '';
	const [, args] = /\bprebuild-install\b([^|&]*)/.exec(install) ?? [];
	if (args === undefined) return null;
	return await runScript(
		createRequire(join(module, 'package.json')).resolve('prebuild-install/bin.js'),
		args.split(' ').filter(Boolean),
		{
			...build,
			cwd: module,
			env: await proxySettings(build),
		},
	);
}

/** The proxy in the person's .npmrc, as npm hands it on to install scripts. */
async function proxySettings({ root, folder, node }: NativeBuild): Promise<Record<string, string>> {
	const settings: Record<string, string> = {};
	for (const name of ['proxy', 'https-proxy']) {
		const { ok, output } = await runPnpm(['config', 'get', name], { cwd: folder, root, node });
		const value = output.trim();
		if (ok && URL.canParse(value)) settings[`npm_config_${name.replace('-', '_')}`] = value;
	}
	return settings;
}

const fetchedHeaders = (root: string): string => join(root, '.e2e/node-headers');

/** Where the C++ headers of Node 24 are, if they are at hand. */
const headersFor = ({ root, node }: Pick<NativeBuild, 'root' | 'node'>): string | null =>
	node.headers ?? headersIn(join(fetchedHeaders(root), 'node_modules'));

/**
 * Gets the C++ headers of Node 24 from the npm registry. When that fails they are left to node-gyp, which fetches them
 * from nodejs.org.
 */
async function fetchHeaders(build: NativeBuild): Promise<string | null> {
	const into = fetchedHeaders(build.root);
	mkdirSync(into, { recursive: true });
	writeFileSync(join(into, 'package.json'), '{ "name": "node-headers", "private": true }\n');
	const add = ['add', '--no-lockfile', '--ignore-scripts', build.node.platformPackage];
	await runPnpm(add, { ...build, cwd: into });
	return headersFor(build);
}
