/**
 * fast-check, as jest's tests import it: always with the same seed, and with the test's number of runs times RUNS:
 * a tenth in `npm test`, four times as many in the gate. `RUNS=20 SEED=7 npx jest <file>` searches further.
 */
const { join } = require('node:path');

const fc = require(join(__dirname, '../node_modules/fast-check/lib/cjs/fast-check.js'));

const times = Number(process.env.RUNS ?? 0.1);
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
