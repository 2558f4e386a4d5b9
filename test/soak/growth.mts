/** How time, stall and heap of one execution grow with its items, compared with the barest node. */
import type { INodeParameters } from 'n8n-workflow';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { freshKey } from '../bench/contestants.mts';
import { Loopback } from '../bench/loopback.mts';
import { measuresBetween, type Measures } from '../bench/samples.mts';
import { startEngine } from '../engine/engine.mts';
import { nodeName } from '../engine/workflow.mts';
import { execute, succeededIn, type Task } from './execute.mts';

const sizes = [1000, 10_000, 100_000] as const;
const itemsToWarmUp = 2000;
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
/** The most that an item's cost may grow in an execution ten times as large, relative to the barest node's. */
const mostPerItem = 1.25;

const message = { toEmail: '={{ $json.email }}', text: "={{ $json.name + ' ' + $now }}" };

const parametersOf: Readonly<Record<Task['node'], INodeParameters>> = {
	this: sendThrough(channelId, message),
	barest: { channelId, ...message },
};

/** The measures of one execution. */
export interface GrowthFigures extends Measures {
	node: Task['node'];
	items: number;
	durationMs: number;
}

/**
 * Runs one execution of each size with each node, in separate processes, so that none inherits a heap.
 *
 * @param most the most items
 */
export async function growth(most: number, progress: (line: string) => void): Promise<GrowthFigures[]> {
	const figures: GrowthFigures[] = [];
	const server = new Loopback();
	try {
		await server.start();
		for (const items of sizes.filter((size) => size <= most)) {
			for (const node of ['this', 'barest'] as const) {
				const found = await measured(server.url, node, items);
				figures.push(found);
				progress(`${items} items, ${node}: ${found.durationMs} ms, CPU ${found.cpuMs.toFixed(0)} ms`);
			}
		}
	} finally {
		server.stop();
	}
	return figures;
}

async function measured(baseUrl: string, node: Task['node'], items: number): Promise<GrowthFigures> {
	const engine = await startEngine({ expressions: 'vm' });
	try {
		const run = async (count: number): Promise<GrowthFigures> => {
			const credential = { baseUrl, apiKey: freshKey() };
			const made = await execute(engine, { node, items: count, credential, parameters: parametersOf[node] });
			const done = succeededIn(made);
			if (done !== count) throw new Error(`${node}: ${done} of ${count} items were sent`);
			const record = made.runsOf(nodeName).at(-1);
			const { samples } = made.report;
			if (record === undefined || samples === undefined) throw new Error('n8n has no record of the run');
			const { startTime, executionTime } = record;
			const measures = measuresBetween(samples, startTime, startTime + executionTime);
			return { node, items, durationMs: executionTime, ...measures };
		};
		await run(itemsToWarmUp);
		return await run(items);
	} finally {
		await engine.stop();
	}
}

/** Prints how the cost of an item grows in the largest execution. Returns the limits that it exceeds. */
export function faultsOfGrowth(figures: readonly GrowthFigures[]): string[] {
	// The time has no limit: on a busy machine it depends on the other programs.
	return (['durationMs', 'peakHeapBytes', 'cpuMs'] as const).flatMap((figure) => {
		/** Relative to the next smaller execution: 1 is linear. */
		const perItem = (node: Task['node']): number => {
			const [late, early] = figures.filter((each) => each.node === node).reverse();
			return late && early ? late[figure] / late.items / (early[figure] / early.items) : NaN;
		};
		const [own, floor] = [perItem('this'), perItem('barest')];
		console.log(`${figure} of an item, ten times as many: ${own.toFixed(2)}, barest ${floor.toFixed(2)}`);
		const isSteeper = figure !== 'durationMs' && own > Math.max(1, floor) * mostPerItem;
		return isSteeper ? [`${figure} grows faster than the number of items.`] : [];
	});
}
