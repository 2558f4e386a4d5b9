/**
 * fast-check, as jest's tests import it: always with the same seed, and with as many runs as a test says, times RUNS.
 * `npm test` makes do with a fourth of them, the gate takes four times as many, and `RUNS=20 SEED=7 npx jest <file>`
 * looks further.
 */
const { join } = require('node:path');

const fc = require(join(__dirname, '../node_modules/fast-check/lib/cjs/fast-check.js'));

const times = Number(process.env.RUNS ?? 0.25);
const seed = Number(process.env.SEED ?? 1);

/** At least one run. */
const drawn = ({ numRuns = 100, ...given } = {}) => ({
	seed,
	...given,
	numRuns: Math.max(1, Math.ceil(numRuns * times)),
});

module.exports = {
	...fc,
	__esModule: true,
	assert: (property, given) => fc.assert(property, drawn(given)),
};
module.exports.default = module.exports;
