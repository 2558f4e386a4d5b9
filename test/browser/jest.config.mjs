/** Browser tests: the editor of a real n8n, used as a person does. Run with `npm run test:browser`. */
export default {
	rootDir: '../..',
	roots: ['<rootDir>/test/browser'],
	testMatch: ['<rootDir>/test/browser/*.test.ts'],
	testEnvironment: 'node',
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }] },
	modulePathIgnorePatterns: [
		'<rootDir>/dev/harness/n8n/node_modules/',
		'<rootDir>/dist/',
		'<rootDir>/.cache/',
		'<rootDir>/.e2e/',
	],
	globalSetup: '<rootDir>/test/browser/global-setup.ts',
	globalTeardown: '<rootDir>/dev/harness/global-teardown.ts',
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	// One n8n and one sandbox serve all test files, one after the other.
	maxWorkers: 1,
	testTimeout: 120_000,
};
