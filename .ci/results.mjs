/**
 * Adds up the results of the steps of `.ci/run`, and fails if anything failed: `node .ci/results.mjs FOLDER`. Each step
 * has a file with its status, and one that jest has written if it ran tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.'] = process.argv.slice(2);
const total = { passed: 0, failed: 0 };

for (const file of readdirSync(folder).filter((name) => name.endsWith('.status'))) {
	const step = file.replace('.status', '');
	const status = Number(readFileSync(join(folder, file), 'utf8'));
	const results = resultsOf(step);
	// Suites with a runtime error could not even be loaded: they have no failed test.
	const { numPassedTests: passed = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = results;
	const failedTests = numFailedTests + numRuntimeErrorTestSuites;
	// A step that fails without a failed test (lint, types, an installation, a time-out) counts as one failure.
	const failed = failedTests === 0 && status !== 0 ? 1 : failedTests;
	total.passed += passed;
	total.failed += failed;
	if (failed > 0) console.log(`Failed: ${step}, ${failed} (status ${status})`);
}

/** What jest says of a step's tests. A step without tests, or one that was killed, has no results that can be read. */
function resultsOf(step) {
	try {
		return JSON.parse(readFileSync(join(folder, `${step}.json`), 'utf8'));
	} catch {
		return {};
	}
}

console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
