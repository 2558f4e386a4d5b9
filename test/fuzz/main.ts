/** `npm run fuzz`: random faults, cancels, kills, retries and answers, checked against the rules in `judge/`. */
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fuzzAnswers, fuzzDeliveries, findingText, seedsFrom, type Finding } from './fuzz.ts';

/** Seeds between two progress lines. */
const sayEvery = 500;

/** Which seeds are played. */
interface FuzzOptions {
	readonly from: number;
	readonly seeds: number;
}

/** What `--help` prints. */
const usage = `Usage: npm run fuzz -- [options]

  --seeds N   how many seeds (10000)
  --from N    the first of them (1)
  --seed N    this one alone, to see again what it found`;

/** Reads the command line; `undefined` when it only asks for help. Throws a RangeError for bad options. */
function readOptions(args: string[]): FuzzOptions | undefined {
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
	if (values.seed !== undefined) return { from: numberIn('--seed', values.seed), seeds: 1 };
	return { from: numberIn('--from', values.from), seeds: numberIn('--seeds', values.seeds) };
}

function numberIn(name: string, text: string): number {
	const number = Number(text);
	if (Number.isInteger(number) && number >= 0 && number <= 1e9) return number;
	throw new RangeError(`${name} needs a whole number, but it is "${text}"`);
}

/** The longest that one turn may take, in milliseconds. */
const longestTurnMs = 100;

/** How often a trial with a long turn is repeated: a machine busy with something else is not slow each time. */
const looks = 4;

/** Runs something and measures the longest turn of the event loop, in milliseconds of CPU time. */
async function longestTurnOf<T>(run: () => Promise<T>): Promise<{ made: T; longest: number }> {
	let longest = 0;
	let isOver = false;
	const watch = async (): Promise<void> => {
		while (!isOver) {
			const before = process.cpuUsage();
			await turn();
			const { user, system } = process.cpuUsage(before);
			longest = Math.max(longest, (user + system) / 1000);
		}
	};
	const watching = watch();
	const made = await run();
	isOver = true;
	await watching;
	return { made, longest };
}

/**
 * Runs something, again if a turn was too long.
 *
 * @returns the result, and a finding if even the fastest run had a turn that was too long
 */
async function watched<T>(run: () => Promise<T>): Promise<{ made: T; slow: string[] }> {
	let { made, longest } = await longestTurnOf(run);
	for (let look = 1; look < looks && longest > longestTurnMs; look++) {
		const again = await longestTurnOf(run);
		made = again.made;
		longest = Math.min(longest, again.longest);
	}
	return {
		made,
		slow: longest > longestTurnMs ? [`a turn of the event loop takes ${Math.round(longest)} ms`] : [],
	};
}

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
		...(await fuzzAnswers(seeds, teller('Answers'), watched)),
		...(await fuzzDeliveries(seeds, teller('Deliveries'))),
	];
	const found = new Set(findings.map(({ seed }) => seed)).size;
	console.log(`${found} of ${seeds.length} seeds found something, ${seconds()}.`);
	process.exitCode = found > 0 ? 1 : 0;
}

await main();
