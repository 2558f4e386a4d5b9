/** `npm run fuzz`: random faults, cancels, kills, retries and answers, checked against the rules in `judge/`. */
import { parseArgs } from 'node:util';
import { fuzzAnswers, fuzzDeliveries, findingText, seedsFrom, type Finding } from './fuzz.ts';

/** Seeds between two progress lines. */
const sayEvery = 500;

/** What `--help` prints. */
const usage = `Usage: npm run fuzz -- [options]

  --seeds N   how many seeds (10000)
  --from N    the first of them (1)
  --seed N    this one alone, to see again what it found`;

/** Reads the command line; `undefined` when it only asks for help. Throws a RangeError for bad options. */
function readSeeds(args: string[]): number[] | undefined {
	const { values } = parseArgs({
		args,
		options: {
			seeds: { type: 'string', default: '10000' },
			from: { type: 'string', default: '1' },
			seed: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	if (values.seed !== undefined) return [numberIn('--seed', values.seed)];
	return seedsFrom(numberIn('--from', values.from), numberIn('--seeds', values.seeds));
}

function numberIn(name: string, text: string): number {
	const number = Number(text);
	if (Number.isInteger(number) && number >= 0 && number <= 1e9) return number;
	throw new RangeError(`${name} needs a whole number, but it is "${text}"`);
}

async function main(): Promise<void> {
	const seeds = readSeeds(process.argv.slice(2));
	if (seeds === undefined) return console.log(usage);
	const began = performance.now();
	const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
	const told = new Set<Finding>();
	const tell = (finding: Finding): void => {
		if (!told.has(finding)) console.log(findingText(finding));
		told.add(finding);
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
	const found = new Set(findings.map(({ seed }) => seed)).size;
	console.log(`${found} of ${seeds.length} seeds found something, ${seconds()}.`);
	process.exitCode = found > 0 ? 1 : 0;
}

await main();
