/** Reads the same parameters of the same items in two ways: as the node under test does, and one by one as n8n does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from './engine.mts';
import type { ExpressionEngine } from './protocol.mts';
import type { Reading } from './reading-node.mts';
import type { Reshaping } from './worker/helper-nodes.mts';
import { node, startName, startNode, workflow, type Edge } from './workflow.mts';

/** The node whose items are read. */
export const itemsName = 'Items';

/** A node behind it that gives the same items, one that makes others of both, and one that does not run. */
export const [againName, reshapedName, neverName] = ["It's", 'Reshaped', 'Say "never"'];

/** What comes before the readers. */
export interface Before {
	/** Items given as they are, by a node whose data is pinned. */
	pinned?: boolean;
	/** The number of items in each run of the readers, which are in a loop. */
	batchSize?: number;
	/** How a node before the readers makes other items of those that are read. */
	reshaped?: Reshaping;
}

/** An engine with the node that reads, for one test file. */
export class ReadingLab {
	readonly #folder = mkdtempSync(join(tmpdir(), 'messaging-reading-'));
	#engine: Engine | undefined;

	async start(expressions: ExpressionEngine): Promise<void> {
		await buildPackage(this.#folder);
		this.#engine = await startEngine({ expressions, further: this.#folder });
	}

	async stop(): Promise<void> {
		await this.#engine?.stop();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	/** The readings of nodes with these parameters: for each node those of each item, in each of its runs. */
	async #read(
		way: 'together' | 'alone',
		parameters: readonly INodeParameters[],
		items: readonly unknown[],
		{ pinned = false, batchSize, reshaped }: Before,
	): Promise<Reading[][]> {
		// Many nodes in one execution: making an isolate takes longer than evaluating everything in it.
		const readers = parameters.map((given, index) =>
			node(`Reading ${index}`, 'n8n-nodes-reading.readingNode', { ...given, way }),
		);
		const names = readers.map(({ name }) => name);
		const others = [
			node(againName, 'harness.reshape', { as: 'Edit Fields' }),
			...(reshaped === undefined ? [] : [node(reshapedName, 'harness.reshape', { as: reshaped })]),
			...(batchSize === undefined ? [] : [node('Loop', 'harness.loop', { batchSize })]),
			node(neverName, 'harness.start'),
		];
		const last = reshaped === undefined ? againName : reshapedName;
		const edges: Edge[] = [
			[itemsName, againName],
			...(reshaped === undefined
				? []
				: ([
						[itemsName, last],
						[againName, last, 0, 1],
					] satisfies Edge[])),
			...(batchSize === undefined
				? []
				: ([
						[last, 'Loop'],
						[names[0] ?? '', 'Loop'],
					] satisfies Edge[])),
			...names.flatMap((name): Edge[] => [
				batchSize === undefined ? [last, name] : ['Loop', name, 1],
				[neverName, name],
			]),
		];
		const nodes = [
			startNode(),
			node(itemsName, 'harness.reshape', { as: 'Edit Fields' }),
			...others,
			...readers,
		];
		const flow = workflow(nodes, [[startName, itemsName], ...edges]);
		const given = items.map((json) => ({ json: json as never }));
		const run = await this.#engine!.run({
			workflow: pinned ? { ...flow, pinData: { [itemsName]: given } } : flow,
			items: given,
			mode: pinned ? 'manual' : 'trigger',
			watch: startName,
		});
		expect(run.error).toBeUndefined();
		return names.map((name) =>
			run
				.runsOf(name)
				.flatMap((_run, index) => run.output(name, 0, index).map(({ json }) => json as Reading)),
		);
	}

	/** Reads in both ways, and expects the same values and errors. Returns the readings of the node under test. */
	async expectTheSame(
		parameters: readonly INodeParameters[],
		items: readonly unknown[],
		before: Before = {},
	): Promise<Reading[]> {
		const together = await this.#read('together', parameters, items, before);
		const alone = await this.#read('alone', parameters, items, before);
		const differences = parameters.flatMap((given, n) =>
			(alone[n] ?? []).flatMap(({ values }, at) =>
				Object.entries(values).flatMap(([name, right]) => {
					const found = together[n]?.[at]?.values[name];
					return found === right ? [] : [{ parameter: given[name], found, right }];
				}),
			),
		);
		expect(differences.slice(0, 3)).toEqual([]);
		return together.flat();
	}
}

/** Builds a package with the node of `reading-node.mts`, as JavaScript that n8n loads. */
async function buildPackage(folder: string): Promise<void> {
	const root = process.cwd();
	// In a separate process: inside jest, esbuild does not recognize its own arrays.
	const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
	const source = join(root, 'test', 'engine', 'reading-node.mts');
	const file = 'ReadingNode.node.js';
	const built = ['--bundle', '--platform=node', '--format=cjs', `--outfile=${join(folder, file)}`];
	await promisify(execFile)(process.execPath, [esbuild, source, ...built]);
	const n8n = { n8nNodesApiVersion: 1, nodes: [file], credentials: [] };
	const manifest = { name: 'n8n-nodes-reading', version: '1.0.0', n8n };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}
