/** Runs the engine tests in one n8n. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

import { runIn, type N8nUnderTest } from '../engine/n8n-under-test.mts';
import { cacheFolder } from './install.mts';

/** The results of a run of tests. */
export interface Counted {
	readonly passed: number;
	readonly skipped: number;
	/** The names of failed tests, and of test files that could not start. */
	readonly failures: readonly string[];
	/** Files that failed at first and passed when they were run again alone. */
	readonly repeated: readonly string[];
}

/** Jest's result for one file. */
interface FileResult {
	name: string;
	status: string;
	assertionResults: Array<{ fullName: string; status: string }>;
}

/**
 * Runs engine tests. A file with a failure is run again alone: some tests depend on n8n's time limits, which a busy
 * machine exceeds.
 *
 * @param files the test files, as jest's patterns
 */
export async function runEngineTests(under: N8nUnderTest, files: readonly string[]): Promise<Counted> {
	const first = await runJest(runIn(under), files);
	const broken = first.filter(({ status }) => status === 'failed').map(({ name }) => name);
	if (broken.length === 0) return countedIn(first);
	const again = await runJest(runIn(under), ['--runInBand', '--runTestsByPath', ...broken]);
	const counted = countedIn([...first.filter(({ name }) => !broken.includes(name)), ...again]);
	const repeated = again.filter(({ status }) => status === 'passed').map(({ name }) => relative('.', name));
	return { ...counted, repeated };
}

/** Runs jest in a separate process. Its report of failures is kept beside the installations. */
async function runJest(
	env: Readonly<Record<string, string>>,
	args: readonly string[],
): Promise<FileResult[]> {
	const output = join(cacheFolder, `jest-${process.pid}.json`);
	mkdirSync(cacheFolder, { recursive: true });
	const jest = spawn(
		process.execPath,
		['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, '--silent', ...args],
		{
			stdio: ['ignore', 'ignore', openSync(join(cacheFolder, `jest-${process.pid}.log`), 'a')],
			env: { ...process.env, ...env },
		},
	);
	await new Promise((resolve, reject) => jest.once('error', reject).once('close', resolve));
	const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as { testResults: FileResult[] };
	rmSync(output);
	return testResults;
}

function countedIn(files: readonly FileResult[]): Counted {
	const tests = files.flatMap(({ assertionResults }) => assertionResults);
	const withStatus = (wanted: string) => tests.filter(({ status }) => status === wanted);
	const couldNotStart = files.filter(
		({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
	);
	return {
		passed: withStatus('passed').length,
		skipped: withStatus('pending').length,
		failures: [
			...couldNotStart.map(({ name }) => relative('.', name)),
			...withStatus('failed').map(({ fullName }) => fullName),
		],
		repeated: [],
	};
}
