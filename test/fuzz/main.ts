/** `npm run fuzz`: random faults, cancels, kills and retries, and whether what must be so is so. */
import { parseArgs } from 'node:util';
import { findingText, fuzzDeliveries } from './fuzz.ts';

const { values } = parseArgs({
	options: {
		seeds: { type: 'string', default: '10000' },
		from: { type: 'string', default: '1' },
		seed: { type: 'string' },
	},
});
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const began = performance.now();
let done = 0;
const findings = await fuzzDeliveries(
	Array.from({ length: count }, (_, n) => from + n),
	(finding) => {
		done += 1;
		if (finding) console.log(findingText(finding));
		if (done % 100 === 0)
			console.log(`${done} of ${count}, ${Math.round((performance.now() - began) / 1000)} s`);
	},
);
console.log(
	`${findings.length} of ${done} seeds found something, ${Math.round((performance.now() - began) / 1000)} s`,
);
process.exitCode = findings.length > 0 ? 1 : 0;
