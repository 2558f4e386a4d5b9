/** Unit, sandbox and engine tests. What takes longer, or needs a real n8n, has a config of its own. */
export default {
	// An engine and a sandbox serve one test file after the other.
	testEnvironment: '<rootDir>/test/keeping-environment.ts',
	globalSetup: '<rootDir>/test/build.ts',
	testMatch: ['<rootDir>/test/{unit,sandbox,engine}/**/*.test.ts'],
	modulePathIgnorePatterns: [
		'<rootDir>/dist/',
		'<rootDir>/dev/harness/n8n/node_modules/',
		'<rootDir>/.cache/',
		'<rootDir>/.e2e/',
	],
	moduleNameMapper: { '^n8n-workflow$': '<rootDir>/test/n8n-workflow.cjs' },
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
		],
	},
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	// A guard against hanging, not a measure: machines differ.
	testTimeout: 120_000,
	// More than there are cores: some tests wait for a service that asks them to come back later.
	maxWorkers: 3,
};
