/** Runs the engine tests in one n8n, on one Node.js. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { runIn, type N8nUnderTest } from '../engine/n8n-under-test.ts';
import { cacheFolder } from './install.ts';

/** The results of a run of tests. */
export interface Counted {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	/** The names of failed tests, and of test files that could not start. */
	readonly failures: readonly string[];
	/** Tests, or whole files, that failed at first and passed when their file was run again alone. */
	readonly repeated: readonly string[];
}

/** The part of jest's result that is read. */
interface JestResult {
	testResults: FileResult[];
}

/** Jest's result for one file. */
export interface FileResult {
	name: string;
	status: string;
	assertionResults: Array<{ fullName: string; status: string }>;
}

/**
 * Runs engine tests. A file with a failure is run again alone: some tests depend on n8n's time limits, which a busy
 * machine exceeds.
 *
 * @param files the test files, as jest's patterns
 * @param workers how many files run at the same time; jest's default unless given
 */
export async function runEngineTests(
	under: N8nUnderTest,
	files: readonly string[],
	workers?: string,
): Promise<Counted> {
	const first = await runJest(under, [...(workers ? [`--maxWorkers=${workers}`] : []), ...files]);
	const broken = first.filter(({ status }) => status === 'failed').map(({ name }) => name);
	if (broken.length === 0) return countedIn(first);
	const again = await runJest(under, ['--runInBand', '--runTestsByPath', ...broken]);
	return countedIn(
		[...first.filter(({ name }) => !broken.includes(name)), ...again],
		failedAtFirst(first, again),
	);
}

/** Runs jest in a separate process. Its report of failures is kept beside the installations. */
async function runJest(under: N8nUnderTest, args: readonly string[]): Promise<FileResult[]> {
	const output = join(cacheFolder, `jest-${process.pid}.json`);
	const jest = spawn(
		process.execPath,
		['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, '--silent', ...args],
		{
			stdio: ['ignore', 'ignore', openSync(join(cacheFolder, `jest-${process.pid}.log`), 'a')],
			env: { ...process.env, ...runIn(under) },
		},
	);
	await new Promise((resolve, reject) => jest.once('error', reject).once('close', resolve));
	const results = filesIn(readFileSync(output, 'utf8'));
	rmSync(output);
	return results;
}

/**
 * The results of a run of jest, by file.
 *
 * @param written by `--json`
 */
export function filesIn(written: string): FileResult[] {
	return (JSON.parse(written) as JestResult).testResults;
}

/**
 * Counts the results.
 *
 * @param failedBefore the names of tests that failed in the first run
 */
export function countedIn(files: readonly FileResult[], failedBefore: readonly string[] = []): Counted {
	const tests = files.flatMap(({ assertionResults }) => assertionResults);
	const count = (wanted: string) => tests.filter(({ status }) => status === wanted).length;
	const failures = namesOfFailed(files);
	return {
		passed: count('passed'),
		failed: failures.length,
		skipped: count('pending'),
		failures,
		repeated: failedBefore.filter((name) => !failures.includes(name)),
	};
}

/** The tests that failed at first; for a file in which none passed then and all do now, only its name. */
function failedAtFirst(first: readonly FileResult[], again: readonly FileResult[]): string[] {
	const passesNow = new Set(again.filter(({ status }) => status === 'passed').map(({ name }) => name));
	return first.flatMap((file) => {
		const isWhole =
			passesNow.has(file.name) && !file.assertionResults.some(({ status }) => status === 'passed');
		return namesOfFailed([isWhole ? { ...file, assertionResults: [] } : file]);
	});
}

/** The failed tests, and the files that could not start. */
function namesOfFailed(files: readonly FileResult[]): string[] {
	const broken = files.filter(
		({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
	);
	const tests = files.flatMap(({ assertionResults }) => assertionResults);
	return [
		...broken.map(({ name }) => name.slice(process.cwd().length + 1)),
		...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
	];
}
