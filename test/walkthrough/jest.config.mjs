/** Adds an operation to a copy of the project, by the book. Run with `npm run test:walkthrough`. */
export default {
	rootDir: '../..',
	roots: ['<rootDir>/test/walkthrough'],
	testMatch: ['<rootDir>/test/walkthrough/*.test.ts'],
	testEnvironment: 'node',
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }] },
	reporters: ['default', '<rootDir>/test/results-reporter.ts'],
	maxWorkers: 1,
	testTimeout: 600_000,
};
