/** Tests of n8n in queue mode: a main process, workers, PostgreSQL and Redis. Run with `npm run test:queue`. */
export default {
	rootDir: '../..',
	roots: ['<rootDir>/test/queue'],
	testMatch: ['<rootDir>/test/queue/*.test.ts'],
	testEnvironment: 'node',
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }] },
	modulePathIgnorePatterns: [
		'<rootDir>/dev/harness/n8n/node_modules/',
		'<rootDir>/dist/',
		'<rootDir>/.cache/',
		'<rootDir>/.e2e/',
	],
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	maxWorkers: 1,
	// A guard against hanging, not a measure: machines differ.
	testTimeout: 420_000,
};
