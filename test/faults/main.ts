/**
 * `npm run faults`: the fault matrix alone; `--write` updates docs/internals/faults.md. Other arguments are passed on to
 * jest.
 */
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const writes = args.includes('--write');
const jest = ['jest', 'test/faults', ...args.filter((arg) => arg !== '--write')];
const run = (program: readonly string[]): number =>
	spawnSync('npm', ['exec', '--', ...program], {
		stdio: 'inherit',
		shell: process.platform === 'win32',
		env: { ...process.env, ...(writes ? { FAULTS: 'write' } : {}) },
	}).status ?? 1;

const failed = run(jest);
process.exitCode = (writes ? run(['oxfmt', 'docs/internals/faults.md']) : 0) || failed;
