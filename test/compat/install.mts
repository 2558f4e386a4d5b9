/** Fetches an n8n-core, and the Node.js that it runs on, into a cache that git does not see. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { platformPackageName, type Node24 } from '../../dev/harness/n8n/node24.mts';
import { runPnpm } from '../../dev/harness/n8n/install.mts';
import { nodeVersions } from './versions.mts';

/** Holds all installations under test. */
export const cacheFolder = join(process.cwd(), '.cache', 'compat');

/** Without install scripts and without a lockfile. */
const add = ['add', '--save-exact', '--no-lockfile', '--ignore-scripts'];

/**
 * The folder with only one version of n8n-core installed.
 *
 * @throws with what pnpm said, when it can't be installed
 */
export async function installedCore(core: string, node: Node24): Promise<string> {
	return await installed(core, `n8n-core@${core}`, 'node_modules/n8n-core/package.json', node);
}

/**
 * The newest n8n-core on npm.
 *
 * @throws with what npm said, when it can't be asked
 */
export function newestCore(): string {
	const answer = execFileSync('npm', ['view', 'n8n-core@latest', 'version'], { encoding: 'utf8' });
	return answer.trim();
}

/**
 * The program of a major version of Node.js.
 *
 * @throws with what pnpm said, when it can't be installed
 */
export async function installedNode(major: number, node: Node24): Promise<string> {
	const version = nodeVersions[major];
	if (version === undefined) return node.program;
	const name = platformPackageName();
	const program = join('node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
	return join(await installed(`node-${version}`, `${name}@${version}`, program, node), program);
}

async function installed(name: string, wanted: string, proof: string, node: Node24): Promise<string> {
	const folder = join(cacheFolder, name);
	const marker = join(folder, 'installed');
	if (existsSync(marker) && existsSync(join(folder, proof))) return folder;
	// Remains of an interrupted installation.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'package.json'), '{ "name": "compat", "private": true }\n');
	process.stdout.write(`Installing ${wanted} ...\n`);
	await runPnpm([...add, wanted], { cwd: folder, node, doing: `installing ${wanted}` });
	writeFileSync(marker, '');
	return folder;
}
