/** Reads the same parameters of the same items in two ways: as the node under test does, and one by one as n8n does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine, type RunOptions } from './engine.mts';
import type { ExpressionEngine } from './protocol.mts';
import type { Reading } from './reading-node.mts';
import { node, startName, startNode, workflow, type Edge } from './workflow.mts';

/** Each node's readings of each item in each of its runs. */
type Readings = Reading[][];

/** The node whose items are read. */
export const itemsName = 'Items';

/** What comes before the readers. */
export interface Before {
	/** Items given as they are, by a node whose data is pinned. */
	pinned?: boolean;
	/** The number of items in each run of the readers, which are in a loop. */
	batchSize?: number;
}

/** An engine with the nodes that read, for one test file. */
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

	/**
	 * The readings of nodes with these parameters.
	 *
	 * @param items the JSON of each, with objects in place of odd values
	 */
	async read(
		way: 'together' | 'alone',
		parameters: readonly INodeParameters[],
		items: readonly unknown[],
		{ pinned = false, batchSize }: Before = {},
	): Promise<Readings> {
		// Many nodes in one execution: making an isolate takes longer than evaluating everything in it.
		const readers = parameters.map((given, index) =>
			node(`Reading ${index}`, 'n8n-nodes-reading.readingNode', { ...given, way }),
		);
		const given = node(itemsName, 'n8n-nodes-reading.oddNode');
		const loop = node('Loop', 'harness.loop', { batchSize: batchSize ?? 1 });
		const source = batchSize === undefined ? given : loop;
		const edges: Edge[] = [[startName, itemsName]];
		for (const { name } of readers) edges.push([source.name, name, batchSize === undefined ? 0 : 1]);
		if (batchSize !== undefined)
			edges.push([itemsName, loop.name], ...readers.slice(0, 1).map(({ name }): Edge => [name, loop.name]));
		const flow = workflow(
			[startNode(), given, ...(batchSize === undefined ? [] : [loop]), ...readers],
			edges,
		);
		const options: RunOptions = {
			workflow: pinned
				? { ...flow, pinData: { [itemsName]: items.map((json) => ({ json: json as never })) } }
				: flow,
			items: items.map((json) => ({ json: { text: JSON.stringify(json) } })),
			mode: pinned ? 'manual' : 'trigger',
			watch: startName,
		};
		const run = await this.#engine!.run(options);
		expect(run.error).toBeUndefined();
		return readers.map(({ name }) =>
			run
				.runsOf(name)
				.flatMap((_run, index) => run.output(name, 0, index).map(({ json }) => json as unknown as Reading)),
		);
	}

	/** Reads in both ways, and expects the same values and errors. Returns the readings of the node under test. */
	async expectTheSame(
		parameters: readonly INodeParameters[],
		items: readonly unknown[],
		before: Before = {},
	): Promise<Readings> {
		const together = await this.read('together', parameters, items, before);
		const alone = await this.read('alone', parameters, items, before);
		const differences = parameters.flatMap((given, n) =>
			(alone[n] ?? []).flatMap(({ values }, at) =>
				Object.entries(values).flatMap(([name, right]) => {
					const found = together[n]?.[at]?.values[name];
					return found === right ? [] : [{ parameter: given[name], found, right }];
				}),
			),
		);
		expect(differences.slice(0, 3)).toEqual([]);
		return together;
	}
}

/** Builds a package with the nodes of `reading-node.mts`, as JavaScript that n8n loads. */
async function buildPackage(folder: string): Promise<void> {
	const root = process.cwd();
	const nodes = ['ReadingNode.node.js', 'OddNode.node.js'];
	// In a separate process: inside jest, esbuild does not recognize its own arrays.
	const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
	const source = join(root, 'test', 'engine', 'reading-node.mts');
	for (const file of nodes) {
		const built = ['--bundle', '--platform=node', '--format=cjs', `--outfile=${join(folder, file)}`];
		await promisify(execFile)(process.execPath, [esbuild, source, ...built]);
	}
	const n8n = { n8nNodesApiVersion: 1, nodes, credentials: [] };
	writeFileSync(
		join(folder, 'package.json'),
		JSON.stringify({ name: 'n8n-nodes-reading', version: '1.0.0', n8n }),
	);
}
