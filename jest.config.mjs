/**
 * All tests, by what they need: `npm test` runs `unit` and `engine`, and `.ci/run` everything. The scripts of package.json
 * say which projects run together, and with how many workers.
 */
const everywhere = {
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	// Looking through all that is installed would take seconds.
	roots: ['<rootDir>/test'],
};

/** The engine of n8n, the sandbox, or nothing but code. */
const light = {
	...everywhere,
	// An engine and a sandbox serve one test file after the other.
	testEnvironment: '<rootDir>/test/keeping-environment.ts',
	globalSetup: '<rootDir>/test/build.ts',
	moduleNameMapper: {
		'^n8n-workflow$': '<rootDir>/test/n8n-workflow.cjs',
	},
};

/** End-to-end tests with an n8n of their own, which run beside the others. */
const apart = '/e2e/(installing|trigger)\\.test\\.ts$';

/** A real n8n. */
const real = { ...everywhere, testEnvironment: 'node' };

/** What takes too long for `npm test`: many seeds, real waiting. */
const slow = '\\.gate\\.test\\.ts$';

/** What the documents say: the pages that `npm run docs` writes, the workflows to paste, links and names. */
const documents = '/(engine/docs|engine/document-workflows|unit/documents)\\.test\\.ts$';

export default {
	projects: [
		{
			...light,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/{unit,sandbox}/**/*.test.ts'],
			testPathIgnorePatterns: [slow, documents],
		},
		{
			...light,
			displayName: 'engine',
			testMatch: ['<rootDir>/test/engine/**/*.test.ts'],
			testPathIgnorePatterns: [slow, documents],
		},
		{
			...light,
			displayName: 'gate',
			testMatch: ['<rootDir>/test/{unit,sandbox,engine}/**/*.gate.test.ts'],
		},
		{
			...light,
			displayName: 'docs',
			testRegex: [documents],
		},
		{
			// What is published: packed twice, looked through, and scanned as n8n scans it.
			...light,
			displayName: 'package',
			testMatch: ['<rootDir>/test/package/*.test.ts'],
		},
		{
			// Whatever can go wrong on the way: the fault matrix, and some rounds of the fuzz.
			...light,
			displayName: 'faults',
			testMatch: ['<rootDir>/test/{faults,fuzz}/**/*.test.ts'],
		},
		{
			// The service is down for a while.
			...light,
			displayName: 'outages',
			testMatch: ['<rootDir>/test/outages/**/*.test.ts'],
		},
		{
			...real,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/*.test.ts'],
			testPathIgnorePatterns: [apart],
			// One n8n serves one test file after the other.
			testEnvironment: '<rootDir>/test/e2e/stage-environment.ts',
			globalSetup: '<rootDir>/test/e2e/global-setup.ts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.ts',
		},
		{
			...real,
			displayName: 'e2eApart',
			testRegex: [apart],
			globalSetup: '<rootDir>/test/e2e/global-setup.ts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.ts',
		},
		{
			// One n8n serves all test files, one after the other.
			...real,
			displayName: 'browser',
			testMatch: ['<rootDir>/test/browser/*.test.ts'],
			globalSetup: '<rootDir>/test/browser/global-setup.ts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.ts',
		},
		{
			// n8n in queue mode: a main process, workers, PostgreSQL and Redis.
			...real,
			displayName: 'queue',
			testMatch: ['<rootDir>/test/queue/*.test.ts'],
		},
	],
	// A guard against hanging, not a measure: machines differ.
	testTimeout: 120_000,
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	// On a busy machine, the engine and the sandbox take seconds to end.
	workerGracefulExitTimeout: 10_000,
	// More than there are cores: some tests wait for a service that asks them to come back later.
	maxWorkers: 3,
};
