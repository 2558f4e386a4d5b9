/** How time, stall and heap of one execution grow with its items, compared with the barest node. */
import type { INodeParameters } from 'n8n-workflow';
import { Child } from '../bench/child.ts';
import { freshKey } from '../bench/messages.ts';
import { Loopback } from '../bench/loopback.ts';
import { byId } from '../../dev/harness/workflows.ts';
import type { Holdings, RunReport, RunTask, Task } from './protocol.ts';

const sizes = [1000, 10_000, 100_000] as const;
const itemsToWarmUp = 2000;
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const longestRunMs = 3_600_000;

const message = { toEmail: '={{ $json.email }}', text: "={{ $json.name + ' ' + $now }}" };

const parametersOf: Readonly<Record<RunTask['node'], INodeParameters>> = {
	this: { resource: 'message', operation: 'send', channelId: byId(channelId), ...message, options: {} },
	barest: { channelId, ...message },
};

/** The measures of one execution. */
export interface GrowthFigures {
	node: RunTask['node'];
	items: number;
	durationMs: number;
	longestStallMs: number;
	peakHeapBytes: number;
	cpuMs: number;
}

/**
 * Runs one execution of each size with each node, in separate processes, so that none inherits a heap.
 *
 * @param most the most items
 */
export async function growth(most: number, progress: (line: string) => void): Promise<GrowthFigures[]> {
	const figures: GrowthFigures[] = [];
	const server = await Loopback.start();
	try {
		await server.begin(0);
		for (const items of sizes.filter((size) => size <= most)) {
			for (const node of ['this', 'barest'] as const) {
				const { durationMs = NaN, measures } = await measured(server, node, items);
				if (measures === undefined) throw new Error('n8n has no record of the run');
				const { longestStallMs, peakHeapBytes, cpuMs } = measures;
				figures.push({ node, items, durationMs, longestStallMs, peakHeapBytes, cpuMs });
				progress(
					`${items} items, ${node}: ${durationMs} ms, stall ${longestStallMs.toFixed(0)} ms, heap ${(peakHeapBytes / 1e6).toFixed(0)} MB`,
				);
			}
		}
	} finally {
		await server.stop();
	}
	return figures;
}

async function measured(server: Loopback, node: RunTask['node'], items: number): Promise<RunReport> {
	const engine = new Child<Task, RunReport | Holdings>('./engine-process.ts', longestRunMs);
	try {
		await engine.ready;
		const run = async (count: number): Promise<RunReport> => {
			const place = { url: server.url, apiKey: freshKey(), parameters: parametersOf[node] };
			const report = await engine.ask({ kind: 'run', node, items: count, ...place });
			if (!('done' in report) || report.done !== count) {
				throw new Error(`${node}: not all of ${count} items were sent: ${JSON.stringify(report)}`);
			}
			return report;
		};
		await run(itemsToWarmUp);
		return await run(items);
	} finally {
		await engine.stop();
	}
}

/** The cost of an item in the largest execution relative to the next smaller one: 1 is linear. */
export function growthPerItem(
	figures: readonly GrowthFigures[],
	node: RunTask['node'],
	figure: 'durationMs' | 'peakHeapBytes' | 'cpuMs',
): number {
	const [late, early] = figures.filter((each) => each.node === node).reverse();
	if (late === undefined || early === undefined) return NaN;
	return late[figure] / late.items / (early[figure] / early.items);
}
