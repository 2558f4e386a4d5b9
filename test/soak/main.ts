/**
 * `npm run soak`: what many executions leak in n8n's process, and how one execution's cost grows with its items. The
 * figures go to `.e2e/soak/figures.json`, for the documentation.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../dev/harness/n8n/paths.ts';
import { growth, growthPerItem, type GrowthFigures } from './growth.ts';
import { fullLength, mostGrowth, soak, type SoakFigures } from './soak.ts';

/** How the soak is run. */
interface SoakOptions {
	/** The duration; from five minutes on, it also sends the full number of messages. */
	seconds: number;
	/** The most items of one execution for `growth`. */
	most: number;
	parts: ReadonlyArray<'soak' | 'growth'>;
}

/** What `--help` prints. */
const usage = `Usage: npm run soak -- [options]

  --seconds N   how long the soak goes on (360; from 300 on, 100,000 messages at least)
  --most N      the most items of one execution, where growth is measured: 1000, 10000 or 100000 (100000)
  --only PART   run only this part: soak or growth`;

/** Reads the command line; `undefined` when it only asks for help. Throws a RangeError for bad options. */
function readOptions(args: string[]): SoakOptions | undefined {
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

/** The most that an item's cost may grow in an execution ten times as large, relative to the barest node's. */
const mostPerItem = 1.25;

/** All measurements, and the machine. */
interface Figures {
	machine: string;
	date: string;
	soak?: SoakFigures;
	growth?: GrowthFigures[];
}

const file = join(projectRoot(), '.e2e/soak/figures.json');

/** Keeps the figures of parts that were not measured now. */
function write(figures: Pick<Figures, 'soak'> | Pick<Figures, 'growth'>): void {
	let before: Partial<Figures> = {};
	try {
		before = JSON.parse(readFileSync(file, 'utf8')) as Figures;
	} catch {
		// No figures yet.
	}
	const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? process.arch}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, Node.js ${process.version}`;
	const all: Figures = { ...before, ...figures, machine, date: new Date().toISOString().slice(0, 10) };
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(all, null, '\t')}\n`);
}

/** The limits that a soak exceeds. */
function faultsOfSoak({ messages, heapEarlyBytes, heapLateBytes, ...left }: SoakFigures): string[] {
	const grown = heapLateBytes / heapEarlyBytes - 1;
	const behind = Object.entries(left.leftBehind).map(([kind, number]) => `${number} of ${kind}`);
	if (messages < fullLength) console.log(`Cut short: ${messages} of ${fullLength} messages.`);
	console.log(
		`After ${messages} messages the heap is ${(grown * 100).toFixed(1)} % larger than after 10,000.`,
	);
	console.log(`Left behind: ${behind.join(', ') || 'nothing'}.`);
	console.log(`Listeners on an execution that has ended: ${left.listenersOfExecution}.`);
	return [
		...(grown > mostGrowth ? ['The heap has grown.'] : []),
		...(behind.length > 0 ? ['Something was left behind.'] : []),
		...(left.listenersOfExecution > 0 ? ['Somebody listens to executions that have ended.'] : []),
	];
}

/** The limits that a growth exceeds. */
function faultsOfGrowth(figures: GrowthFigures[]): string[] {
	// The time has no limit: on a busy machine it depends on the other programs.
	return (['durationMs', 'peakHeapBytes', 'cpuMs'] as const).flatMap((figure) => {
		const [own, floor] = (['this', 'barest'] as const).map((node) => growthPerItem(figures, node, figure));
		console.log(`${figure} of an item, ten times as many: ${own?.toFixed(2)}, barest ${floor?.toFixed(2)}`);
		const isSteeper = figure !== 'durationMs' && (own ?? 0) > Math.max(1, floor ?? 1) * mostPerItem;
		return isSteeper ? [`${figure} grows faster than the number of items.`] : [];
	});
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	if (options === undefined) return console.log(usage);
	const began = performance.now();
	const progress = (line: string): void =>
		console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);
	const faults: string[] = [];
	if (options.parts.includes('soak')) {
		const figures = await soak(options.seconds, progress);
		write({ soak: figures });
		faults.push(...faultsOfSoak(figures));
	}
	if (options.parts.includes('growth')) {
		const figures = await growth(options.most, progress);
		write({ growth: figures });
		faults.push(...faultsOfGrowth(figures));
	}
	for (const fault of faults) console.error(fault);
	process.exitCode = faults.length > 0 ? 1 : 0;
}

/** The engine's processes take their n8n's folder and key from here. */
async function withThrowawayFolder(run: () => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'messaging-soak-'));
	Object.assign(process.env, {
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'the key of a throwaway n8n',
		N8N_LOG_LEVEL: 'error',
	});
	try {
		await run();
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

await withThrowawayFolder(main);
