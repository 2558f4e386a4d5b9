/** Runs the engine tests in one n8n, on one Node.js. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { runIn, type N8nUnderTest } from '../engine/n8n-under-test.ts';
import { cacheFolder } from './install.ts';

/** How the tests went. */
export interface Counted {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	/** The names of those that failed, and of test files that did not even start. */
	readonly failures: readonly string[];
}

/** The part of jest's result that is read. */
interface JestResult {
	numPassedTests: number;
	numFailedTests: number;
	numPendingTests: number;
	numRuntimeErrorTestSuites: number;
	testResults: Array<{
		name: string;
		status: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

/**
 * Runs jest in a process of its own.
 *
 * @param files the test files, as jest's patterns
 */
export async function runEngineTests(under: N8nUnderTest, files: readonly string[]): Promise<Counted> {
	const output = join(cacheFolder, `jest-${process.pid}.json`);
	const jest = spawn(
		process.execPath,
		['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, '--silent', ...files],
		{
			stdio: ['ignore', 'ignore', openSync(join(cacheFolder, `jest-${process.pid}.log`), 'w')],
			env: { ...process.env, ...runIn(under) },
		},
	);
	await new Promise((resolve, reject) => jest.once('error', reject).once('close', resolve));
	const written = readFileSync(output, 'utf8');
	rmSync(output);
	return countedIn(written);
}

/**
 * Counts what a run of jest has written.
 *
 * @param written by `--json`
 */
export function countedIn(written: string): Counted {
	const result = JSON.parse(written) as JestResult;
	const broken = result.testResults.filter(
		({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
	);
	const tests = result.testResults.flatMap(({ assertionResults }) => assertionResults);
	return {
		passed: result.numPassedTests,
		failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
		skipped: result.numPendingTests,
		failures: [
			...broken.map(({ name }) => name.slice(process.cwd().length + 1)),
			...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
		],
	};
}
