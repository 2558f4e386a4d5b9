import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from './command.mts';
import type { Node24 } from './node24.mts';
import { ownPackage, projectRoot } from './paths.mts';

/** A folder that n8n takes for a user's home (N8N_USER_FOLDER), or that another program keeps its data in. */
export interface UserFolder {
	readonly path: string;
	remove(): void;
}

/**
 * Makes a new user folder. It lies in the system's temporary folder and not in the project: there, Node.js would
 * find the project's n8n-workflow before the one of n8n.
 */
export function createUserFolder(): UserFolder {
	const path = mkdtempSync(join(tmpdir(), `${ownPackage().name}-n8n-`));
	return {
		path,
		remove: () => {
			rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
		},
	};
}

/** Packs the project and installs the tarball in a user folder, the way a user does it by hand. */
export async function installPacked(folder: UserFolder, node: Node24): Promise<void> {
	const tarball = await packProject(node, join(folder.path, 'packed'));
	const nodes = join(folder.path, '.n8n/nodes');
	mkdirSync(nodes, { recursive: true });
	// n8n writes the same file before its first installation. Without it, npm would use one in a parent folder.
	writeFileSync(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }\n');
	const install = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', tarball];
	await npm(install, nodes, node, 'installing the packed node');
}

/**
 * Packs the project, which must be built: the demo and the tests begin with that.
 *
 * @returns the tarball
 */
export async function packProject(node: Node24, destination: string): Promise<string> {
	mkdirSync(destination, { recursive: true });
	// It is built already: "npm pack" need not build it again.
	const packing = ['pack', '--ignore-scripts', '--pack-destination', destination];
	await npm(packing, projectRoot(), node, 'packing the node');
	const { name, version } = ownPackage();
	return join(destination, `${name}-${version}.tgz`);
}

async function npm(args: string[], cwd: string, node: Node24, doing: string): Promise<void> {
	const advice = 'Check the network and "npm config get registry". Then run it again.';
	await run('npm', args, { cwd, node, doing, advice, minutes: 5, log: join(projectRoot(), '.e2e/npm.log') });
}
