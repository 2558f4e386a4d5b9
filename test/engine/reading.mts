/** Reads the same parameters of the same items in two ways: as the node under test does, and one by one as n8n does. */
import type { INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from './engine.mts';
import type { ExpressionEngine } from './protocol.mts';
import type { Reading } from './worker/reading-node.mts';
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

/** An engine whose helper node reads, for one test file. */
export class ReadingLab {
	#engine: Engine | undefined;

	async start(expressions: ExpressionEngine): Promise<void> {
		this.#engine = await startEngine({ expressions });
	}

	async stop(): Promise<void> {
		await this.#engine?.stop();
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
			node(`Reading ${index}`, 'harness.reads', { ...given, way }),
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
