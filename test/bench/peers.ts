/** The real n8n with its own nodes, which the benchmark compares this package with. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where n8n and its nodes are installed, and which versions they are. */
export interface Peers {
	/** The folder that holds `node_modules`. */
	folder: string;
	/** The package with the HTTP Request node and the Telegram node. */
	nodesPackage: string;
	versions: { n8n: string; core: string; nodes: string };
}

/** Says in one line what is missing. */
export class PeersMissing extends Error {
	override readonly name = 'PeersMissing';
}

/** The n8n of the end-to-end tests. */
export function findPeers(root = process.cwd()): Peers {
	const folder = join(root, 'test', 'e2e', 'n8n');
	const modules = join(folder, 'node_modules');
	const nodesPackage = join(modules, 'n8n-nodes-base');
	if (
		!['n8n', 'n8n-core', 'n8n-workflow', 'n8n-nodes-base'].every((name) => existsSync(join(modules, name)))
	) {
		throw new PeersMissing(
			'The benchmark compares with the nodes of the real n8n, which is not installed yet: run "npm run test:e2e" once, it installs n8n in test/e2e/n8n (about 2.2 GB, some minutes).',
		);
	}
	const versionOf = (name: string): string => {
		const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as {
			version: string;
		};
		return version;
	};
	return {
		folder,
		nodesPackage,
		versions: {
			n8n: versionOf('n8n'),
			core: versionOf('n8n-core'),
			nodes: versionOf('n8n-nodes-base'),
		},
	};
}
