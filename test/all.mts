/**
 * `npm test`: lint and types one after the other, in parallel with the tests, which leave CPU time unused. Arguments
 * (patterns of test files) are passed on to jest. Fails when any of them fails.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const options = {
	// What many processes load is compiled once.
	env: { NODE_COMPILE_CACHE: join(process.cwd(), '.cache', 'compiled'), ...process.env },
	shell: process.platform === 'win32',
};

/** Runs one of the project's checks, and prints what it has found at once. */
async function passes(script: 'lint' | 'types'): Promise<boolean> {
	const running = promisify(execFile)('npm', ['run', script], options);
	// The tests have priority: n8n gives some steps only milliseconds.
	if (running.child.pid !== undefined)
		setPriority(running.child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
	try {
		await running;
		return true;
	} catch (error) {
		const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
		process.stderr.write(`\n${stdout}${stderr}\n"npm run ${script}" failed.\n`);
		return false;
	}
}

const checked = passes('lint').then(async (isLinted) => isLinted && (await passes('types')));
const jest = ['exec', '--', 'jest', '--selectProjects', 'unit', 'engine', '--', ...process.argv.slice(2)];
const [code] = (await once(spawn('npm', jest, { ...options, stdio: 'inherit' }), 'close')) as [number | null];
process.exitCode = code ?? 1;
if (!(await checked)) {
	// Repeated, because the output has scrolled away by now.
	process.stderr.write('\nLint or types failed: see above.\n');
	process.exitCode = 1;
}
