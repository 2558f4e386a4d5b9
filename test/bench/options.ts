/** What the command line asks of the benchmark. */
import { parseArgs } from 'node:util';
import type { ExpressionEngine } from '../engine/protocol.ts';

/** The parts of the benchmark, in the order in which they run. */
export const partNames = ['throughput', 'oneAtATime', 'largeRun', 'plan'] as const;

/** A part of the benchmark. */
export type PartName = (typeof partNames)[number];

/** How the benchmark is run. */
export interface BenchOptions {
	/** Fewer rounds and no long runs: for a look while working, not for the document. */
	quick: boolean;
	/** Whether the results go into docs/benchmarks.md. */
	write: boolean;
	parts: readonly PartName[];
	/** The folder of the built package to measure; the project's root unless given. */
	package: string;
	/** Rounds of the throughput part; the default for the mode unless given. */
	rounds: number | undefined;
	/** How n8n evaluates expressions: `vm` is its default, `legacy` the engine before it. */
	expressions: ExpressionEngine;
	/** A folder for CPU profiles of the engine's process; none unless given. */
	profile: string | undefined;
}

/** What `--help` prints. */
export const usage = `Usage: npm run bench -- [options]

  --quick           fewer rounds, no long runs
  --write           put the results into docs/benchmarks.md
  --only PART,…     run only these parts: ${partNames.join(', ')}
  --rounds N        rounds in which the contestants of the throughput part take turns
  --expressions E   n8n's expression engine: vm (its default) or legacy
  --package FOLDER  measure the built package in this folder instead of this project's
  --profile FOLDER  write a CPU profile of n8n's process there`;

/** Reads the command line; `undefined` when it only asks for help. */
export function readOptions(args: string[]): BenchOptions | undefined {
	const { values } = parseArgs({
		args,
		options: {
			quick: { type: 'boolean', default: false },
			write: { type: 'boolean', default: false },
			only: { type: 'string' },
			rounds: { type: 'string' },
			package: { type: 'string' },
			expressions: { type: 'string', default: 'vm' },
			profile: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const parts = values.only?.split(',').map(partNamed) ?? partNames;
	if (values.write && (values.quick || values.only !== undefined || values.expressions !== 'vm')) {
		throw new RangeError('--write needs a whole run: leave out --quick, --only and --expressions');
	}
	return {
		quick: values.quick,
		write: values.write,
		parts,
		package: values.package ?? process.cwd(),
		rounds: values.rounds === undefined ? undefined : countOf(values.rounds),
		expressions: engineNamed(values.expressions),
		profile: values.profile,
	};
}

function partNamed(text: string): PartName {
	const part = partNames.find((name) => name === text);
	if (part === undefined) throw new RangeError(`--only has no part "${text}": ${partNames.join(', ')}`);
	return part;
}

function engineNamed(text: string): ExpressionEngine {
	if (text === 'vm' || text === 'legacy') return text;
	throw new RangeError(`--expressions needs vm or legacy, but it is "${text}"`);
}

function countOf(text: string): number {
	const count = Number(text);
	if (Number.isInteger(count) && count > 0 && count <= 50) return count;
	throw new RangeError(`--rounds needs a whole number from 1 to 50, but it is "${text}"`);
}
