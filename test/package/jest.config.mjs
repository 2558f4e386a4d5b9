import base from '../../jest.config.mjs';

/** What is published: packed twice, looked through, and scanned as n8n scans it. Run with `npm run test:package`. */
export default {
	...base,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/package/*.test.ts'],
};
