/**
 * Random faults, cancels, kills, retries and answers, checked against the rules in `judge/`.
 *
 *     npx node test/fuzz/main.mts              10,000 seeds
 *     npx node test/fuzz/main.mts --seeds 300  so many
 *     npx node test/fuzz/main.mts --seed 17    this one alone, to see again what it found
 */
import { parseArgs } from 'node:util';
import buildPackage from '../build.mts';
import { refusedLine } from './executions.mts';
import { fuzzAnswers, fuzzDeliveries, findingText, seedsUpTo, type Finding } from './fuzz.mts';

/** Seeds between two progress lines. */
const sayEvery = 500;

/** The seeds that the command line asks for. */
function readSeeds(): number[] {
	const { values } = parseArgs({
		options: {
			seeds: { type: 'string', default: '10000' },
			seed: { type: 'string' },
		},
	});
	if (values.seed !== undefined) return [numberIn('--seed', values.seed)];
	return seedsUpTo(numberIn('--seeds', values.seeds));
}

function numberIn(name: string, text: string): number {
	const number = Number(text);
	if (Number.isInteger(number) && number >= 0 && number <= 1e9) return number;
	throw new RangeError(`${name} needs a whole number, but it is "${text}"`);
}

const seeds = readSeeds();
await buildPackage();
const began = performance.now();
const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
const printed = new Set<Finding>();
const tell = (finding: Finding): void => {
	if (!printed.has(finding)) console.log(findingText(finding));
	printed.add(finding);
};
const teller = (what: string) => {
	let done = 0;
	return (finding: Finding | undefined): void => {
		done += 1;
		if (finding !== undefined) tell(finding);
		if (done % sayEvery === 0) console.log(`${what}: ${done} of ${seeds.length}, ${seconds()}`);
	};
};
const findings = [
	...(await fuzzAnswers(seeds, teller('Answers'))),
	...(await fuzzDeliveries(seeds, teller('Deliveries'))),
];
// Some concern no single seed, and are only found at the end.
findings.forEach(tell);
console.log(refusedLine());
const found = new Set(findings.map(({ seed }) => seed)).size;
console.log(`${found} of ${seeds.length} seeds found something, ${seconds()}.`);
process.exitCode = found > 0 ? 1 : 0;
