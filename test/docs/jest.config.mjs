import base from '../../jest.config.mjs';

/** Writes the pages of `docs/operations/`: `npm run docs`. The same test holds them against the node in `npm test`. */
export default {
	...base,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/engine/docs.test.ts'],
	globals: { writesDocs: true },
	reporters: ['default'],
};
