/** `npm run fuzz`: random faults, cancels, kills, retries, answers and schemas, and whether what must be so is so. */
import { fuzzAnswers, fuzzDeliveries, findingText, seedsFrom, type Finding } from './fuzz.ts';
import { watched } from './loop-watch.ts';
import { readOptions, usage } from './options.ts';

/** How often it says how far it is, in seeds. */
const sayEvery = 500;

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	if (options === undefined) return console.log(usage);
	const seeds = seedsFrom(options.from, options.seeds);
	const began = performance.now();
	const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`;
	const teller = (what: string) => {
		let done = 0;
		return (finding: Finding | undefined): void => {
			done += 1;
			if (finding !== undefined) console.log(findingText(finding));
			if (done % sayEvery === 0) console.log(`${what}: ${done} of ${seeds.length}, ${seconds()}`);
		};
	};
	const findings = [
		...(await fuzzAnswers(seeds, teller('Answers and schemas'), watched)),
		...(await fuzzDeliveries(seeds, teller('Deliveries'))),
	];
	const found = new Set(findings.map(({ seed }) => seed)).size;
	console.log(`${found} of ${seeds.length} seeds found something, ${seconds()}.`);
	process.exitCode = found > 0 ? 1 : 0;
}

await main();
