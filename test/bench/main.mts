/**
 * The benchmark: this node beside n8n's own nodes in real n8n servers, all sending the same messages to the same
 * servers on this machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { SetupProblem } from '../../dev/harness/n8n/node24.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import buildPackage from '../build.mts';
import type { ExpressionEngine } from '../engine/protocol.mts';
import { BenchServer } from './bench-server.mts';
import {
	floorNode,
	floorNodeOfAnother,
	floorNodeWithKeys,
	thisNodeByDefault,
	thisNodeOfAnother,
	thisNodeWithKeys,
} from './contestants.mts';
import { Loopback } from './loopback.mts';
import { measureFloor, measureLargeRuns, type Lab } from './runs.mts';
import { markdownTable, type Section } from './tables.mts';
import { measureWaits } from './waits.mts';

/** The parts of the benchmark, in the order in which they run. */
const parts: Readonly<Record<string, (n8n: N8nInstallation) => Promise<Section>>> = {
	floor: async (n8n) => await floorPart(n8n, 'vm', 9),
	legacyFloor: async (n8n) => await floorPart(n8n, 'legacy', 5),
	largeRun: async (n8n) => await largeRunPart(n8n, 'vm'),
	legacyLargeRun: async (n8n) => await largeRunPart(n8n, 'legacy'),
	waits: async () => await measureWaits(say),
};

/** Where the full output goes; docs/internals/benchmarks.md has the tables that people decide by. */
const outputFile = '.cache/bench.md';

const usage = `Usage: npx node test/bench/main.mts [options]

  --quick        fewer rounds, no long runs
  --only PART,…  run only these parts: ${Object.keys(parts).join(', ')}`;

const { values: options } = parseArgs({
	options: {
		quick: { type: 'boolean', default: false },
		only: { type: 'string', default: Object.keys(parts).join(',') },
		help: { type: 'boolean', default: false },
	},
});
const { quick } = options;
const began = performance.now();

function say(line: string): void {
	console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

/** A fresh n8n with the package, and the service that it sends to; the teardown list stops both. */
async function labFor(n8n: N8nInstallation, expressions: ExpressionEngine): Promise<Lab> {
	const server = new Loopback();
	onTeardown(() => server.stop());
	await server.start();
	say(`starting n8n with the expression engine "${expressions}"`);
	return { n8n: await BenchServer.start(n8n, expressions), server, expressions, progress: say };
}

/** Only this node and the floor, with the same expressions: close in time, since they differ by a few percent. */
async function floorPart(
	n8n: N8nInstallation,
	expressions: ExpressionEngine,
	usual: number,
): Promise<Section> {
	const rounds = quick ? 3 : usual;
	const contestants = [
		...[thisNodeByDefault, thisNodeWithKeys, thisNodeOfAnother],
		...[floorNode, floorNodeWithKeys, floorNodeOfAnother],
	];
	return await measureFloor(await labFor(n8n, expressions), contestants, rounds);
}

async function largeRunPart(n8n: N8nInstallation, expressions: ExpressionEngine): Promise<Section> {
	return await measureLargeRuns(await labFor(n8n, expressions), quick);
}

/** The machine, the versions and the date. */
function describeMachine({ node, version }: N8nInstallation): string {
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	return [
		`- Machine: ${cpus().length} cores (${cpus()[0]?.model.trim() ?? process.arch}), ${gigabytes} GB of memory, ${process.platform} ${process.arch}`,
		`- n8n ${version} on Node.js ${node.version}, with SQLite as its database`,
		`- Date: ${new Date().toISOString().slice(0, 10)}`,
	].join('\n');
}

async function main(): Promise<void> {
	if (options.help) return console.log(usage);
	const chosen = options.only.split(',').map((name) => {
		const part = parts[name];
		if (part === undefined) throw new RangeError(`--only has no part "${name}"\n\n${usage}`);
		return part;
	});
	await buildPackage();
	const installation = await ensureN8n();
	const sections: Section[] = [];
	for (const part of chosen) {
		// Fresh servers for each part, so that none inherits the heap of another.
		try {
			sections.push(await part(installation));
		} finally {
			await tearDown();
		}
	}
	const targets = sections.flatMap((section) => section.targets);
	const results = [
		describeMachine(installation),
		...sections.map(({ title, text, table }) => `## ${title}\n\n${text}\n\n${table}`),
		'## Targets',
		markdownTable(
			[thisNodeByDefault.name, 'Target', 'Result', ''],
			targets.map(({ what, wanted, found, met }) => [what, wanted, found, met ? 'met' : 'missed']),
		),
	].join('\n\n');
	console.log(results);
	mkdirSync('.cache', { recursive: true });
	writeFileSync(outputFile, `${results}\n`);
	say(`written to ${outputFile}`);
}

main().catch((error: unknown) => {
	process.exitCode = 1;
	console.error(error instanceof SetupProblem || error instanceof RangeError ? error.message : error);
});
