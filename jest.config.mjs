/**
 * All tests, by what they need: `npm test` runs `unit` and `engine`, and `.ci/run` everything. The scripts of package.json
 * say which projects run together, and with how many workers.
 */
const everywhere = {
	transform: {
		'^.+\\.m?ts$': [
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
	testEnvironment: '<rootDir>/test/keeping-environment.mts',
	globalSetup: '<rootDir>/test/build.mts',
	moduleNameMapper: {
		'^n8n-workflow$': '<rootDir>/test/n8n-workflow.cjs',
	},
};

/** End-to-end tests with an n8n of their own, which run beside the others. */
const apart = '/e2e/(installing|trigger)\\.test\\.mts$';

/** A real n8n. */
const real = { ...everywhere, testEnvironment: 'node' };

/** What takes too long for `npm test`: many seeds, real waiting. */
const slow = '\\.gate\\.test\\.mts$';

/** What the documents say: the pages that `npm run docs` writes, the workflows to paste, links and names. */
const documents = '/(engine/docs|engine/document-workflows|unit/documents)\\.test\\.mts$';

export default {
	projects: [
		{
			...light,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/{unit,sandbox}/**/*.test.mts'],
			testPathIgnorePatterns: [slow, documents],
		},
		{
			...light,
			displayName: 'engine',
			testMatch: ['<rootDir>/test/engine/**/*.test.mts'],
			testPathIgnorePatterns: [slow, documents],
		},
		{
			...light,
			displayName: 'gate',
			testMatch: ['<rootDir>/test/{unit,sandbox,engine}/**/*.gate.test.mts'],
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
			testMatch: ['<rootDir>/test/package/*.test.mts'],
		},
		{
			// Whatever can go wrong on the way: the fault matrix, and some rounds of the fuzz.
			...light,
			displayName: 'faults',
			testMatch: ['<rootDir>/test/{faults,fuzz}/**/*.test.mts'],
		},
		{
			// The service is down for a while.
			...light,
			displayName: 'outages',
			testMatch: ['<rootDir>/test/outages/**/*.test.mts'],
		},
		{
			...real,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/*.test.mts'],
			testPathIgnorePatterns: [apart],
			// One n8n serves one test file after the other.
			testEnvironment: '<rootDir>/test/e2e/stage-environment.mts',
			globalSetup: '<rootDir>/test/e2e/global-setup.mts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.mts',
		},
		{
			...real,
			displayName: 'e2eApart',
			testRegex: [apart],
			globalSetup: '<rootDir>/test/e2e/global-setup.mts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.mts',
		},
		{
			// One n8n serves all test files, one after the other.
			...real,
			displayName: 'browser',
			testMatch: ['<rootDir>/test/browser/*.test.mts'],
			globalSetup: '<rootDir>/test/e2e/global-setup.mts',
			globalTeardown: '<rootDir>/dev/harness/global-teardown.mts',
		},
		{
			// n8n in queue mode: a main process, workers, PostgreSQL and Redis.
			...real,
			displayName: 'queue',
			testMatch: ['<rootDir>/test/queue/*.test.mts'],
		},
	],
	// A guard against hanging, not a measure: machines differ.
	testTimeout: 120_000,
	reporters: ['default', '<rootDir>/test/results-reporter.mts'],
	// On a busy machine, the engine and the sandbox take seconds to end.
	workerGracefulExitTimeout: 10_000,
	// More than there are cores: some tests wait for a service that asks them to come back later.
	maxWorkers: 3,
};
