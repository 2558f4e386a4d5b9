/**
 * How often property tests run: always with the same seed, and with the test's number of runs times RUNS: a tenth in
 * `npm test`, four times as many in the gate. `RUNS=20 SEED=7 npx jest <file>` searches further.
 */
import fc from 'fast-check';

const { RUNS, SEED } = process.env;

/** Settings of `fc.assert` for this many runs, at least one. */
export const runs = (numRuns = 100) => ({ numRuns: Math.max(1, Math.ceil(numRuns * Number(RUNS ?? 0.1))) });

fc.configureGlobal({ seed: Number(SEED ?? 1), ...runs() });
