import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';

import { SetupProblem, type Node24 } from './node24.mts';

/** How a command is run. */
export interface CommandOptions {
	readonly cwd: string;
	/** Comes first on the PATH, so that native modules are built for the Node.js that loads them. */
	readonly node: Node24;
	/** The file that everything it prints is added to. */
	readonly log: string;
	/** The beginning of the error, such as "installing n8n". */
	readonly doing: string;
	/** The end of the error: what the user can do. */
	readonly advice: string;
	/** After so many minutes it is stopped and fails. */
	readonly minutes: number;
	/** Whether what it prints goes to the terminal too. */
	readonly shown?: boolean;
	readonly env?: Readonly<Record<string, string>>;
}

/** How many of its last lines an error quotes. */
const quotedLines = 12;

/**
 * Runs a command of npm, pnpm or node-gyp to its end.
 *
 * @throws {SetupProblem} when it fails, with the last lines that it printed
 */
export async function run(program: string, args: readonly string[], options: CommandOptions): Promise<void> {
	const { cwd, node, log, doing, advice, minutes, shown = false, env } = options;
	mkdirSync(dirname(log), { recursive: true });
	appendFileSync(log, `$ ${[basename(program), ...args].join(' ')}\n`);
	// On Windows npm is a .cmd file, which only a shell can start; the shell splits arguments at spaces.
	const shell = process.platform === 'win32' && program === 'npm';
	const given = shell ? args.map((argument) => `"${argument}"`) : args;
	const child = spawn(program, given, {
		cwd,
		env: { ...environment(node), ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: minutes * 60_000,
		shell,
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (printed: string) => {
			// An address may hold the password of a registry or a proxy.
			const text = printed.replace(/\/\/[^/@\s]+@/g, '//');
			output = (output + text).slice(-20_000);
			appendFileSync(log, text);
			if (shown) process.stdout.write(text);
		});
	}
	const problem = await new Promise<string | null>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code, signal) => {
			resolve(code === 0 ? null : signal === null ? `exit code ${code}` : `stopped by ${signal}`);
		});
	});
	if (problem === null) return;
	const said = output.trim().split('\n').slice(-quotedLines);
	const lines = [
		`Failed while ${doing} (${problem}). It said last:`,
		...said.map((line) => `  ${line}`),
		advice,
		`The whole output is in ${log}`,
	];
	throw new SetupProblem(lines.join('\n'));
}

/**
 * The environment without the variables that npm and jest set for this program. The user's npm configuration
 * (registry, proxy, certificates) stays.
 */
function environment(node: Node24): NodeJS.ProcessEnv {
	const foreign =
		/^(npm_(?!config_)|npm_config_(local_prefix|prefix|user_agent|noproxy|yes|nodedir)$|NODE_(ENV|OPTIONS)$)/i;
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
	const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
	return { ...env, [path]: [node.folder, env[path]].filter(Boolean).join(delimiter) };
}
