import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import type { Node24 } from '../../dev/harness/n8n/node24.mts';
import { projectRoot } from '../../dev/harness/n8n/paths.mts';

/** The README's commands, run without a container: its home folder is the user folder of a test. */

const HOME = '/home/node';
const read = (document: string): string => readFileSync(join(projectRoot(), document), 'utf8');

/** The commands in the first code block below a heading of the README, as lines of a shell. */
export function commandsBelow(heading: string): string[] {
	const [, below = ''] = read('README.md').split(`\n${heading}\n`);
	const block = /^```sh\n([\s\S]*?)^```$/m.exec(below)?.[1];
	if (block === undefined) throw new Error(`The README has no commands below "${heading}"`);
	return block.trim().split('\n').map(withoutContainer);
}

/** The command with which docs/install.md removes the package. */
export function removal(): string[] {
	const command = /`(npm uninstall [^`]+)`/.exec(read('docs/install.md'))?.[1];
	if (command === undefined) throw new Error('docs/install.md does not say how to remove the package');
	return [`cd ${HOME}/.n8n/nodes`, command];
}

/** What runs in the container, or copies a file into it, without the part that leads there. */
function withoutContainer(line: string): string {
	// The test itself restarts n8n.
	if (line === 'docker compose restart n8n') return ':';
	const [, folder = HOME, inside] = /^docker compose exec -u node (?:-w (\S+) )?n8n (.*)$/.exec(line) ?? [];
	if (inside !== undefined) return `(cd ${folder} && ${inside})`;
	return line.replace(/^docker compose cp (\S+) n8n:(\S+)$/, 'cp $1 $2');
}

/**
 * Runs commands in one shell that stops at the first failure.
 *
 * @param home of the user who runs them
 * @param tarballs the folder in which the first command runs
 */
export async function runCommands(
	commands: readonly string[],
	{ home, tarballs, node }: { home: string; tarballs: string; node: Node24 },
): Promise<void> {
	mkdirSync(tarballs, { recursive: true });
	const script = ['set -e', ...commands].join('\n').replaceAll(HOME, home);
	// Variables of jest and of the outer npm must not reach this npm.
	const foreign = /^(npm_(?!config_)|npm_config_(local_prefix|prefix)$|NODE_(ENV|OPTIONS)$)/i;
	const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
	await promisify(execFile)('sh', ['-c', script], {
		cwd: tarballs,
		env: { ...kept, PATH: [node.folder, process.env['PATH']].join(delimiter), HOME: home },
		timeout: 120_000,
	});
}
