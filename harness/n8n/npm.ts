import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';

import { SetupProblem } from './node24.ts';
import type { Node24 } from './node24.ts';
import { guardProgram } from './paths.ts';

/** How an npm command ended. */
export interface NpmResult {
	readonly ok: boolean;
	/** Whether it was stopped because it took too long. */
	readonly timedOut: boolean;
	/** The last part of what npm printed, both streams in order. */
	readonly output: string;
}

const keptOutput = 200_000;

/**
 * Runs the npm found on the PATH, under Node 24, so that native modules are built for the Node.js that loads
 * them. What it prints goes to the log file. After `limitMs` it is stopped.
 */
export function runNpm(
	args: readonly string[],
	options: { cwd: string; node: Node24; log?: string; env?: Record<string, string>; limitMs?: number },
): Promise<NpmResult> {
	const { cwd, node, log, limitMs } = options;
	if (log !== undefined) {
		mkdirSync(dirname(log), { recursive: true });
		writeFileSync(log, `$ npm ${args.join(' ')}\n`, { flag: 'a' });
	}
	return new Promise((resolve, reject) => {
		// npm's own children, compilers among them, would go on when only npm was stopped.
		const npm = spawn(node.program, [guardProgram(), 'npm', ...args.map(quoted)], {
			cwd,
			env: { ...environment(node), ...options.env },
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		npm.stdin.on('error', () => undefined);
		let output = '';
		const keep = (chunk: Buffer): void => {
			const text = chunk.toString();
			output = (output + text).slice(-keptOutput);
			if (log !== undefined) appendFileSync(log, text);
		};
		npm.stdout.on('data', keep);
		npm.stderr.on('data', keep);
		let timedOut = false;
		const limit =
			limitMs === undefined
				? undefined
				: setTimeout(() => {
						timedOut = true;
						// The guard stops npm, and npm's children, when nobody is at the other end any more.
						npm.stdin.end();
					}, limitMs);
		npm.once('error', reject);
		npm.once('close', (code) => {
			clearTimeout(limit);
			if (/^spawn npm ENOENT$/m.test(output)) {
				reject(new SetupProblem('npm was not found on the PATH: install Node.js together with npm.'));
			} else resolve({ ok: code === 0 && !timedOut, timedOut, output });
		});
	});
}

/** The shell that starts npm on Windows splits arguments at spaces. */
const quoted = (argument: string): string =>
	process.platform === 'win32' && /\s/.test(argument) ? `"${argument}"` : argument;

/**
 * How often, and after how many milliseconds, npm repeats a request that broke: left alone, it goes on for minutes
 * after the network is gone. The project's .npmrc says the same to the "npm install" of a person.
 */
const fetchRetries = {
	npm_config_fetch_retries: '3',
	npm_config_fetch_retry_factor: '2',
	npm_config_fetch_retry_mintimeout: '1000',
	npm_config_fetch_retry_maxtimeout: '4000',
};

/**
 * Settings of an npm that runs this very program (`npm_config_*`, `npm_package_*`) must not reach the npm that
 * works in another folder; what the person set in their own .npmrc files does.
 */
function environment(node: Node24): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...fetchRetries };
	for (const [name, value] of Object.entries(process.env)) {
		if (/^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(name)) continue;
		if (/^npm_config_(local_prefix|prefix|global_prefix|user_agent|noproxy|yes)$/i.test(name)) continue;
		// Jest sets NODE_ENV=test; npm would read "production" from it and leave packages out.
		if (name === 'NODE_ENV' || name === 'NODE_OPTIONS') continue;
		env[name] = value;
	}
	const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
	env[pathName] = [node.folder, env[pathName]].filter(Boolean).join(delimiter);
	return env;
}
