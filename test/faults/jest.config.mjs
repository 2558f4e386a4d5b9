import base from '../../jest.config.mjs';

/** Whatever can go wrong on the way: the fault matrix, and 300 rounds of the fuzz. Run with `npm run test:faults`. */
export default {
	...base,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/{faults,fuzz}/**/*.test.ts'],
};
