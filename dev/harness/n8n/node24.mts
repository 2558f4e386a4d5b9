import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { projectRoot } from './paths.mts';

/** The Node.js that n8n runs on. */
export interface Node24 {
	/** The program. */
	readonly program: string;
	/** Its folder, to be put first on the PATH of npm and of build scripts. */
	readonly folder: string;
	/** The full version, without a leading "v". */
	readonly version: string;
}

/** A problem that the user has to fix. It says what is missing and how to get it. */
export class SetupProblem extends Error {
	override readonly name = 'SetupProblem';

	constructor(message: string) {
		super(message);
		// The place in the code does not help the reader.
		this.stack = `${this.name}: ${message}`;
	}
}

/**
 * The Node.js of the dev dependency `node`, whichever Node.js runs this code: n8n needs version 24, and a contributor
 * may have 20.
 *
 * @throws {SetupProblem} when it is missing, does not run here, or is another version
 */
export function findNode24(root = projectRoot()): Node24 {
	const bin = join(root, 'node_modules/node/bin');
	const program = [join(bin, 'node'), join(bin, 'node.exe')].find(existsSync);
	const again = 'delete node_modules and run "npm ci", with install scripts allowed (no --ignore-scripts).';
	if (program === undefined) throw new SetupProblem(`Node 24 is missing in node_modules: ${again}`);
	let version: string;
	try {
		version = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 }).trim().slice(1);
	} catch {
		throw new SetupProblem(
			`The Node 24 in node_modules does not run on ${process.platform} ${process.arch}: ${again}`,
		);
	}
	if (!version.startsWith('24.')) {
		throw new SetupProblem(`n8n needs Node 24, but node_modules holds ${version}: ${again}`);
	}
	return { program, folder: dirname(program), version };
}

/** The npm package that holds Node.js for this platform, by the rule of the npm package `node` itself. */
export function platformPackageName(): string {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
	return `${prefix}-${platform}-${process.arch}`;
}
