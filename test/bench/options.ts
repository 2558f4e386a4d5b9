/** The benchmark's command line. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The parts of the benchmark, in the order in which they run. */
export const partNames = [
	'floor',
	'legacyFloor',
	'largeRun',
	'legacyLargeRun',
	'plan',
	'sharedPlan',
] as const;

/** A part of the benchmark. */
export type PartName = (typeof partNames)[number];

/** How the benchmark is run. */
export interface BenchOptions {
	/** Fewer rounds and no long runs: for a look while working, not for the document. */
	quick: boolean;
	/** Whether the results go into docs/internals/benchmarks.md. */
	write: boolean;
	parts: readonly PartName[];
	/** The folder of the built package to measure; the project's root unless given. */
	package: string;
	/** Rounds beside the floor; the default for the mode unless given. */
	rounds: number | undefined;
	/** A folder for CPU profiles of n8n's process; none unless given. */
	profile: string | undefined;
}

/** What `--help` prints. */
export const usage = `Usage: npm run bench -- [options]

  --quick           fewer rounds, no long runs
  --write           put the results into docs/internals/benchmarks.md
  --only PART,…     run only these parts: ${partNames.join(', ')}
  --rounds N        rounds in which this node and the floor take turns
  --package FOLDER  measure the built package in this folder instead of this project's
  --profile FOLDER  write CPU profiles of n8n's process there`;

const config = {
	quick: { type: 'boolean', default: false },
	write: { type: 'boolean', default: false },
	only: { type: 'string' },
	rounds: { type: 'string' },
	package: { type: 'string', default: '.' },
	profile: { type: 'string' },
	help: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

/** Reads the command line; `undefined` when it only asks for help. Throws a RangeError of one line for bad options. */
export function readOptions(args: string[]): BenchOptions | undefined {
	const values = valuesOf(args);
	if (values.help) return undefined;
	const parts = values.only?.split(',').map(partNamed) ?? partNames;
	if (values.write && (values.quick || values.only !== undefined)) {
		throw new RangeError('--write needs a whole run: leave out --quick and --only');
	}
	return {
		quick: values.quick,
		write: values.write,
		parts,
		package: packageIn(values.package),
		rounds: values.rounds === undefined ? undefined : countOf(values.rounds),
		profile: values.profile === undefined ? undefined : resolve(values.profile),
	};
}

function valuesOf(args: string[]) {
	try {
		return parseArgs({ args, options: config }).values;
	} catch (error) {
		const [problem] = error instanceof Error ? error.message.split('. ') : [String(error)];
		throw new RangeError(`${problem}; --help lists the options`);
	}
}

function partNamed(text: string): PartName {
	const part = partNames.find((name) => name === text);
	if (part === undefined) throw new RangeError(`--only has no part "${text}": ${partNames.join(', ')}`);
	return part;
}

function packageIn(text: string): string {
	const folder = resolve(text);
	if (existsSync(join(folder, 'package.json'))) return folder;
	throw new RangeError(`--package needs the folder of a package, but there is no package.json in ${folder}`);
}

function countOf(text: string): number {
	const count = Number(text);
	if (Number.isInteger(count) && count > 0 && count <= 50) return count;
	throw new RangeError(`--rounds needs a whole number from 1 to 50, but it is "${text}"`);
}
