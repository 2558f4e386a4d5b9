/**
 * `npx node test/reliability/write.mts`: writes the figures of the last runs into docs/internals/measurements.md.
 * Tables whose tests were not run since the last clean-up stay unchanged.
 */
import { existsSync, readFileSync } from 'node:fs';

import { markdownTable } from '../bench/tables.mts';
import { writeBetween } from '../format.mts';
import type { Figures } from '../queue/figures.mts';
import type { GrowthFigures } from '../soak/growth.mts';
import type { SoakFigures } from '../soak/soak.mts';

/** Writes a table with the figures in a file, if it is there. */
function write<T>(name: string, file: string, tableOf: (figures: T) => string): void {
	if (!existsSync(file)) return console.log(`Left ${name} as it was: there is no ${file}`);
	const figures = JSON.parse(readFileSync(file, 'utf8')) as T;
	writeBetween(
		'docs/internals/measurements.md',
		name,
		'npx node test/reliability/write.mts',
		tableOf(figures),
	);
	console.log(`Wrote ${name}`);
}

const counts = (numbers: Readonly<Record<string, number | undefined>> = {}): string =>
	Object.entries(numbers)
		.map(([what, count]) => `${count} ${what}`)
		.join(', ');
const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

write<Readonly<Record<string, Figures>>>('queue', '.e2e/queue/figures.json', (figures) =>
	markdownTable(
		['Scenario', 'Messages', 'Arrived', 'Twice', 'Lost in silence', 'What n8n says of them', 'Seconds'],
		Object.entries(figures).map(([scenario, row]) => {
			const { messages, accepted, twice, 'lost in silence': lost, verdicts, seconds } = row;
			const retried = counts(row['what the retries say']);
			const said = counts(verdicts) + (retried === '' ? '' : `; the retries: ${retried}`);
			return [scenario, ...[messages, accepted, twice, lost].map(String), said, String(seconds)];
		}),
	),
);

/** What is leaked after many messages. */
write<{ soak: SoakFigures }>('soak', '.e2e/soak/figures.json', ({ soak }) =>
	markdownTable(
		[
			...['Messages', 'Minutes', 'Heap after 10,000, MB', 'Heap at the end, MB'],
			...['Left behind', 'Listeners on ended executions'],
		],
		[
			[
				String(soak.messages),
				(soak.seconds / 60).toFixed(1),
				megabytes(soak.heapEarlyBytes),
				megabytes(soak.heapLateBytes),
				counts(soak.leftBehind) || 'nothing',
				String(soak.listenersOfExecution),
			],
		],
	),
);

/** How one execution's cost grows with its items, compared with the barest node. */
write<{ growth: readonly GrowthFigures[] }>('growth', '.e2e/soak/figures.json', ({ growth }) =>
	markdownTable(
		['Items', 'Node', 'Seconds', 'CPU per item, ms', 'Longest stall, ms', 'Peak heap, MB'],
		growth.map(({ node, items, durationMs, longestStallMs, peakHeapBytes, cpuMs }) => [
			String(items),
			node === 'this' ? 'This node' : 'The barest node',
			(durationMs / 1000).toFixed(1),
			(cpuMs / items).toFixed(2),
			String(Math.round(longestStallMs)),
			megabytes(peakHeapBytes),
		]),
	),
);
