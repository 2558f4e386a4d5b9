/** What the command line asks of the fuzz. */
import { parseArgs } from 'node:util';

/** Which seeds are played. */
export interface FuzzOptions {
	readonly from: number;
	readonly seeds: number;
}

/** What `--help` prints. */
export const usage = `Usage: npm run fuzz -- [options]

  --seeds N   how many seeds (10000)
  --from N    the first of them (1)
  --seed N    this one alone, to see again what it found`;

/** Reads the command line; `undefined` when it only asks for help. What is wrong with it is a RangeError. */
export function readOptions(args: string[]): FuzzOptions | undefined {
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
