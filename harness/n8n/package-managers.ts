import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

import { SetupProblem } from './node24.ts';
import type { Node24 } from './node24.ts';
import { guardProgram, n8nFolder, projectRoot } from './paths.ts';

/** How a command of a package manager ended. */
export interface CommandResult {
	readonly ok: boolean;
	/** Whether it was stopped because it took too long. */
	readonly timedOut: boolean;
	/** The last part of what it printed, both streams in order. */
	readonly output: string;
}

/** Where and how a command runs. */
export interface CommandOptions {
	readonly cwd: string;
	/** The project whose pnpm it is, and in whose cache that keeps what it fetches; this one unless told otherwise. */
	readonly root?: string;
	/** The Node.js that runs it, so that native modules are built for the Node.js that loads them. */
	readonly node: Node24;
	/** The file that gets what it prints. What can't be written there, on a full disk, is missing in it. */
	readonly log?: string;
	readonly env?: Readonly<Record<string, string>>;
	/** After so many milliseconds it is stopped. */
	readonly limitMs?: number;
	/** After so many milliseconds in which it printed nothing it is stopped. */
	readonly silenceMs?: number;
	/** Stops it. */
	readonly signal?: AbortSignal;
}

const keptOutput = 200_000;

/** Runs the npm found on the PATH: for what a user of n8n does with npm, and for what pnpm itself leaves to npm. */
export function runNpm(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
	return run('npm', args.map(quoted), options);
}

/** Runs a JavaScript file of an installed package. */
export function runScript(
	file: string,
	args: readonly string[],
	options: CommandOptions,
): Promise<CommandResult> {
	return run(options.node.program, [file, ...args], options);
}

/**
 * Runs the project's own pnpm, which installs n8n in a third of the time that npm takes.
 *
 * @throws {SetupProblem} when it is not there
 */
export async function runPnpm(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
	const root = options.root ?? projectRoot();
	const pnpm = join(pnpmFolder(root), 'bin/pnpm.cjs');
	if (!existsSync(pnpm)) {
		throw new SetupProblem('pnpm is missing in node_modules: run "npm install" again.');
	}
	return await runScript(pnpm, [...args, ...pnpmSettings(root)], { silenceMs: longestSilenceMs, ...options });
}

/**
 * pnpm waits without an end for the rest of an answer that has begun. While anything goes on it says how far it is,
 * also of each large package; a request without an answer it repeats by itself before this.
 */
const longestSilenceMs = 180_000;

/** Where the project's own pnpm is. */
export const pnpmFolder = (root = projectRoot()): string => join(root, 'node_modules/pnpm');

/** What must not depend on the settings of the person who runs it. */
const pnpmSettings = (root: string): string[] => [
	// Nothing outside the folder counts, and nothing is written there but what stands in the project's own cache.
	'--ignore-workspace',
	`--config.store-dir=${join(root, '.cache/pnpm/store')}`,
	`--config.cache-dir=${join(root, '.cache/pnpm/metadata')}`,
	`--config.state-dir=${join(root, '.cache/pnpm/state')}`,
	'--config.update-notifier=false',
	'--config.manage-package-manager-versions=false',
	// The flat layout that npm makes, in which each package of n8n is there once: with a second n8n-core, n8n's services
	// would exist twice. Peer dependencies are what makes copies, see there.
	'--config.node-linker=hoisted',
	`--config.pnpmfile=${join(n8nFolder(root), 'no-peers.pnpmfile.cjs')}`,
	'--config.ignore-pnpmfile=false',
	'--config.auto-install-peers=true',
	// Nobody is there to answer.
	'--config.confirm-modules-purge=false',
	'--reporter=append-only',
	'--loglevel=info',
	'--config.color=never',
];

function run(
	program: string,
	args: readonly string[],
	{ cwd, node, log, limitMs, silenceMs, signal, ...options }: CommandOptions,
): Promise<CommandResult> {
	if (signal?.aborted === true) return Promise.resolve({ ok: false, timedOut: false, output: '' });
	const write = writerOf(log);
	write(`$ ${[basename(program), ...args].join(' ')}\n`);
	return new Promise((resolve, reject) => {
		// Its own children, compilers among them, would go on when only itself was stopped.
		const child = spawn(node.program, [guardProgram(), program, ...args], {
			cwd,
			env: { ...environment(node), ...options.env },
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		child.stdin.on('error', () => undefined);
		let output = '';
		let timedOut = false;
		// The guard stops it, and its children, when nobody is at the other end any more.
		const stop = (): void => {
			child.stdin.end();
		};
		const keep = (text: string): void => {
			output = (output + text).slice(-keptOutput);
			write(text);
		};
		const stopAfter = (ms: number | undefined, what: string): NodeJS.Timeout | undefined =>
			ms === undefined
				? undefined
				: setTimeout(() => {
						timedOut = true;
						keep(`\nStopped after ${ms / 1000} s${what}.\n`);
						stop();
					}, ms);
		const limit = stopAfter(limitMs, '');
		const silence = stopAfter(silenceMs, ' without a word');
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text: string) => {
				silence?.refresh();
				keep(text);
			});
		}
		signal?.addEventListener('abort', stop);
		child.once('error', reject);
		child.once('close', (code) => {
			clearTimeout(limit);
			clearTimeout(silence);
			signal?.removeEventListener('abort', stop);
			if (/^spawn npm ENOENT$/m.test(output)) {
				reject(new SetupProblem('npm was not found on the PATH: install Node.js together with npm.'));
			} else resolve({ ok: code === 0 && !timedOut && signal?.aborted !== true, timedOut, output });
		});
	});
}

/** A full disk has to be told in one line, by what the command says of it: the log must not fail before that. */
function writerOf(log: string | undefined): (text: string) => void {
	return (text) => {
		if (log === undefined) return;
		try {
			mkdirSync(dirname(log), { recursive: true });
			appendFileSync(log, text);
		} catch {
			// The output that is kept has it too.
		}
	};
}

/** The shell that starts npm on Windows splits arguments at spaces. */
const quoted = (argument: string): string =>
	process.platform === 'win32' && /\s/.test(argument) ? `"${argument}"` : argument;

/**
 * How often, and after how many milliseconds, a request that broke is repeated, and after how many milliseconds without
 * a sign of life it counts as broken: left alone, npm and pnpm go on for minutes after the network is gone. Both read
 * these. The project's .npmrc says the same of repeated requests to the "npm install" of a person.
 */
const fetchSettings = {
	npm_config_fetch_retries: '3',
	npm_config_fetch_retry_factor: '2',
	npm_config_fetch_retry_mintimeout: '1000',
	npm_config_fetch_retry_maxtimeout: '4000',
	npm_config_fetch_timeout: '20000',
};

/**
 * Settings of an npm that runs this very program (`npm_config_*`, `npm_package_*`) must not reach the npm or pnpm that
 * works in another folder; what the person set in their own .npmrc files does.
 */
function environment(node: Node24): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...fetchSettings };
	for (const [name, value] of Object.entries(process.env)) {
		if (/^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(name)) continue;
		if (/^npm_config_(local_prefix|prefix|global_prefix|user_agent|noproxy|yes)$/i.test(name)) continue;
		// The headers of the person's own Node, which node-gyp would take before those that it is told to take.
		if (/^npm_config_nodedir$/i.test(name)) continue;
		// Jest sets NODE_ENV=test; npm would read "production" from it and leave packages out.
		if (name === 'NODE_ENV' || name === 'NODE_OPTIONS') continue;
		env[name] = value;
	}
	const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
	env[pathName] = [node.folder, env[pathName]].filter(Boolean).join(delimiter);
	return env;
}
