import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of jest's result that is counted. */
interface JestResult {
	readonly numPassedTests: number;
	readonly numFailedTests: number;
	/** Test files that could not even be loaded. */
	readonly numRuntimeErrorTestSuites: number;
}

/**
 * A reporter for jest that writes how many tests passed and failed into the folder named by RESULTS_DIR, one file
 * for each run. Without RESULTS_DIR it does nothing, so every configuration can include it.
 */
export default class ResultsReporter {
	onRunComplete(_contexts: unknown, result: JestResult): void {
		const folder = process.env.RESULTS_DIR;
		if (folder === undefined || folder === '') return;
		mkdirSync(folder, { recursive: true });
		writeFileSync(
			join(folder, `jest-${process.pid}-${Date.now()}.json`),
			JSON.stringify({
				passed: result.numPassedTests,
				failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
			}),
		);
	}
}
