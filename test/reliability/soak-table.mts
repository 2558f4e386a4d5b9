/** What `npm run soak` writes to `.e2e/soak/figures.json`. */
export interface SoakFile {
	readonly soak?: SoakFigures;
	readonly growth?: readonly GrowthFigures[];
}

interface SoakFigures {
	readonly messages: number;
	readonly seconds: number;
	readonly heapEarlyBytes: number;
	readonly heapLateBytes: number;
	readonly leftBehind: Readonly<Record<string, number>>;
	readonly listenersOfExecution: number;
}

interface GrowthFigures {
	readonly node: string;
	readonly items: number;
	readonly durationMs: number;
	readonly longestStallMs: number;
	readonly peakHeapBytes: number;
	readonly cpuMs: number;
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

/** What is leaked after many messages. */
export function soakTable(figures: SoakFigures): string {
	const left = Object.entries(figures.leftBehind).map(([kind, count]) => `${count} ${kind}`);
	return [
		'| Messages | Minutes | Heap after 10,000, MB | Heap at the end, MB | Left behind | Listeners on ended executions |',
		'| --- | --- | --- | --- | --- | --- |',
		`| ${[
			figures.messages,
			(figures.seconds / 60).toFixed(1),
			megabytes(figures.heapEarlyBytes),
			megabytes(figures.heapLateBytes),
			left.join(', ') || 'nothing',
			figures.listenersOfExecution,
		].join(' | ')} |`,
	].join('\n');
}

/** How one execution's cost grows with its items, compared with the barest node. */
export function growthTable(figures: readonly GrowthFigures[]): string {
	const rows = figures.map(({ node, items, durationMs, longestStallMs, peakHeapBytes, cpuMs }) => {
		const name = node === 'this' ? 'This node' : 'The barest node';
		return `| ${[items, name, (durationMs / 1000).toFixed(1), (cpuMs / items).toFixed(2), Math.round(longestStallMs), megabytes(peakHeapBytes)].join(' | ')} |`;
	});
	return [
		'| Items | Node | Seconds | CPU per item, ms | Longest stall, ms | Peak heap, MB |',
		'| --- | --- | --- | --- | --- | --- |',
		...rows,
	].join('\n');
}
