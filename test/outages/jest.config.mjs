import base from '../../jest.config.mjs';

/** Outages of the service, in real seconds and all at once: about a minute. Run with `npm run test:outages`. */
export default {
	...base,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/outages/*.test.ts'],
	testTimeout: 300_000,
};
