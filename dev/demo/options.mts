import { parseArgs } from 'node:util';

/** The options of the demo. */
export interface DemoOptions {
	/** Exit after the workflow has run, instead of leaving editor and page open. */
	readonly once: boolean;
	readonly help: boolean;
}

export const usage = `Usage: npm run demo [-- options]

  --once   run the workflow, print what the sandbox received, and exit
  --help   this text`;

/** Reads the command line. */
export function readOptions(args: string[]): DemoOptions {
	const { values } = parseArgs({
		args,
		options: { once: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
	});
	return values;
}
