/**
 * All tests, by what they need: `npm test` runs `unit` and `engine`, `npm run test:gate` runs `gate`, and so on. `.ci/run`
 * runs everything.
 */

// What many processes load is compiled once.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/.cache/compiled`;

const everywhere = {
	transform: {
		'^.+\\.m?ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	// Not all that is installed: looking through it would take seconds. `--findRelatedTests` needs the code as well.
	roots: ['nodes', 'credentials', 'test'].map((folder) => `<rootDir>/${folder}`),
};

/** The engine of n8n, the sandbox, or nothing but code. */
const light = {
	...everywhere,
	globalSetup: '<rootDir>/test/build.mts',
	moduleNameMapper: {
		'^n8n-workflow$': '<rootDir>/test/n8n-workflow.cjs',
	},
};

/** A real n8n with its sandbox: one for all test files. */
const real = {
	...everywhere,
	globalSetup: '<rootDir>/test/e2e/global-setup.mts',
	globalTeardown: '<rootDir>/dev/harness/teardown-list.mts',
};

/** What takes too long for `npm test` (many seeds, real waiting), or looks at the documents. */
const slow = '\\.gate\\.test\\.mts$';

export default {
	projects: [
		{
			...light,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/{unit,sandbox}/**/*.test.mts'],
			testPathIgnorePatterns: [slow],
		},
		{
			...light,
			displayName: 'engine',
			testMatch: ['<rootDir>/test/engine/**/*.test.mts'],
			testPathIgnorePatterns: [slow],
		},
		{
			// Also the package as it is published, the fault matrix, some rounds of the fuzz, and outages.
			...light,
			displayName: 'gate',
			testRegex: [slow, '/test/(package|faults|fuzz|outages)/.*\\.test\\.mts$'],
		},
		{
			...real,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/*.test.mts'],
			// They take turns at the one n8n. Those with an n8n of their own name another environment.
			testEnvironment: '<rootDir>/test/e2e/stage-environment.mts',
		},
		{
			...real,
			displayName: 'browser',
			testMatch: ['<rootDir>/test/browser/*.test.mts'],
		},
		{
			// n8n in queue mode: a main process, workers, PostgreSQL and Redis.
			...everywhere,
			displayName: 'queue',
			testMatch: ['<rootDir>/test/queue/*.test.mts'],
			globalSetup: '<rootDir>/test/build.mts',
		},
	],
	// A guard against hanging, not a measure: machines differ. Jest has it for all projects alone.
	testTimeout: 120_000,
	// More than there are cores: some tests wait for a service that asks them to come back later.
	maxWorkers: 3,
};
