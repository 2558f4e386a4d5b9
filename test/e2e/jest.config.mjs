/** End-to-end tests: a real n8n with the packed node installed, and the sandbox. Run with `npm run test:e2e`. */
export default {
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['<rootDir>/test/e2e/*.test.ts'],
	testEnvironment: '<rootDir>/test/e2e/stage-environment.ts',
	testSequencer: '<rootDir>/test/e2e/sequencer.mjs',
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }] },
	modulePathIgnorePatterns: [
		'<rootDir>/dev/harness/n8n/node_modules/',
		'<rootDir>/dist/',
		'<rootDir>/.cache/',
		'<rootDir>/.e2e/',
	],
	globalSetup: '<rootDir>/test/e2e/global-setup.ts',
	globalTeardown: '<rootDir>/dev/harness/global-teardown.ts',
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	// One n8n and one sandbox serve the test files, one after the other, and beside them runs what has an n8n of its own.
	maxWorkers: 2,
	testTimeout: 90_000,
};
