/**
 * `npm test`: lint and types one after the other, in parallel with the tests, which leave CPU time unused. Arguments
 * (patterns of test files) are passed on to jest. Fails when any of them fails.
 */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

interface Ended {
	code: number;
	/** What it printed, unless that went straight to the terminal. */
	output: string;
}

/** Runs one of the project's scripts, or of its tools. */
async function run(args: readonly string[], prints: boolean): Promise<Ended> {
	const child = spawn('npm', [...args], {
		stdio: prints ? 'inherit' : ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32',
	});
	// The tests have priority: n8n gives some steps only milliseconds.
	if (!prints && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve({ code: code ?? 1, output }));
	});
}

/** Runs the checks in order; prints the output of the first one that fails at once. */
async function check(): Promise<number> {
	for (const script of ['lint', 'types']) {
		const { code, output } = await run(['run', script], false);
		if (code === 0) continue;
		process.stderr.write(`\n${output}\n"npm run ${script}" failed.\n`);
		return code;
	}
	process.stdout.write('Lint and types are in order.\n');
	return 0;
}

const checked = check();
const tested = await run(
	['exec', '--', 'jest', '--selectProjects', 'unit', 'engine', '--', ...process.argv.slice(2)],
	true,
);
const code = await checked;
// Repeated, because the output has scrolled away by now.
if (code !== 0) process.stderr.write('\nLint or types failed: see above.\n');
process.exitCode = tested.code || code;
