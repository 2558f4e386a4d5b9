/** Runs the end-to-end tests in an n8n other than the project's own. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { countedIn, filesIn, type Counted } from './engine-tests.ts';
import { cacheFolder } from './install.ts';

/** Packages that n8n takes from elsewhere than the registry, or whose newer versions break it. */
const overrides = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' };

/**
 * Runs all end-to-end tests in a complete n8n, which they install if it is missing.
 */
export async function runEndToEndTests(n8n: string): Promise<Counted> {
	const folder = wholeN8nFolder(n8n);
	const output = join(folder, 'jest.json');
	const jest = spawn(
		process.execPath,
		[
			...['node_modules/jest/bin/jest.js', '--selectProjects', 'e2e', '--maxWorkers=2'],
			...['--json', `--outputFile=${output}`],
		],
		{ stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, E2E_N8N: folder } },
	);
	await new Promise((resolve, reject) => jest.once('error', reject).once('close', resolve));
	return countedIn(filesIn(readFileSync(output, 'utf8')));
}

/** The folder for a complete n8n, installed or not. */
export function wholeN8nFolder(n8n: string): string {
	const folder = join(cacheFolder, `n8n-${n8n}`);
	mkdirSync(folder, { recursive: true });
	const wanted = { name: 'compat-n8n', private: true, dependencies: { n8n }, pnpm: { overrides } };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted));
	return folder;
}
