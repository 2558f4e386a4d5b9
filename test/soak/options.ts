/** What the command line asks of the soak. */
import { parseArgs } from 'node:util';

/** How the soak is run. */
export interface SoakOptions {
	/** How long the soak goes on; with five minutes or more it also sends the full number of messages. */
	seconds: number;
	/** The most items of one execution, where growth is measured. */
	most: number;
	parts: ReadonlyArray<'soak' | 'growth'>;
}

/** What `--help` prints. */
export const usage = `Usage: npm run soak -- [options]

  --seconds N   how long the soak goes on (360; from 300 on, 100,000 messages at least)
  --most N      the most items of one execution, where growth is measured: 1000, 10000 or 100000 (100000)
  --only PART   run only this part: soak or growth`;

/** Reads the command line; `undefined` when it only asks for help. What is wrong with it is a RangeError. */
export function readOptions(args: string[]): SoakOptions | undefined {
	const { values } = parseArgs({
		args,
		options: {
			seconds: { type: 'string', default: '360' },
			most: { type: 'string', default: '100000' },
			only: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { only } = values;
	if (only !== undefined && only !== 'soak' && only !== 'growth') {
		throw new RangeError(`--only has no part "${only}": soak, growth`);
	}
	return {
		seconds: numberIn('--seconds', values.seconds),
		most: numberIn('--most', values.most),
		parts: only === undefined ? ['soak', 'growth'] : [only],
	};
}

function numberIn(name: string, text: string): number {
	const number = Number(text);
	if (number > 0 && number <= 1e6) return number;
	throw new RangeError(`${name} needs a number, but it is "${text}"`);
}
