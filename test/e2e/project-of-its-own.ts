import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { findNode24, platformPackageName } from '../../harness/n8n/node24.ts';
import { pnpmFolder } from '../../harness/n8n/package-managers.ts';
import { n8nFolder } from '../../harness/n8n/paths.ts';

/** A project that is nothing but what n8n is installed with: real Node, real pnpm, a store of its own. */
export interface OwnProject {
	readonly root: string;
	/** Where its n8n is installed. */
	readonly folder: string;
	/** A file in it, for which its folder is made. */
	write(file: string, text: string): void;
	/** Takes a program of the test's own for node-gyp. */
	buildWith(program: string): void;
	/** Takes the real node-gyp. */
	buildWithNodeGyp(): void;
	/** As it is when npm has taken them away. */
	removeHeaders(): void;
	remove(): void;
}

/** Makes a project in a folder of its own. There are headers of Node 24 in it, without a line, and no node-gyp. */
export function makeProject(): OwnProject {
	const root = mkdtempSync(join(tmpdir(), 'own-project-'));
	const write = (file: string, text: string): void => {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), text);
	};
	const linkFolder = (to: string, name: string): void => {
		mkdirSync(dirname(join(root, name)), { recursive: true });
		symlinkSync(to, join(root, name), 'junction');
	};
	linkFolder(findNode24().folder, 'node_modules/node/bin');
	linkFolder(join(pnpmFolder(), 'bin'), 'node_modules/pnpm/bin');
	const headers = `node_modules/${platformPackageName()}/include/node`;
	for (const name of ['node.h', 'node_version.h']) write(`${headers}/${name}`, '');
	write(`${headers}/common.gypi`, '{}');
	const folder = n8nFolder(root);
	mkdirSync(folder, { recursive: true });
	copyFileSync(join(n8nFolder(), 'no-peers.pnpmfile.cjs'), join(folder, 'no-peers.pnpmfile.cjs'));
	return {
		root,
		folder,
		write,
		buildWith: (program) => {
			write('node_modules/pnpm/dist/node_modules/node-gyp/bin/node-gyp.js', program);
		},
		buildWithNodeGyp: () => {
			linkFolder(join(pnpmFolder(), 'dist'), 'node_modules/pnpm/dist');
		},
		removeHeaders: () => {
			rmSync(join(root, headers), { recursive: true });
		},
		remove: () => {
			rmSync(root, { recursive: true, force: true });
		},
	};
}
