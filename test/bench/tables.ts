/** The results as tables for people. */
import { floorNode, httpRequestNode, thisNodeByDefault } from './contestants.ts';
import { longestStall, type Cost } from './large-run.ts';
import type { PlanUse } from './plan-share.ts';
import type { SharedUse } from './shared-plan.ts';
import type { Target } from './targets.ts';
import { pairedRatio, type Standing } from './throughput.ts';

/** A table in Markdown, its columns aligned. */
export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = head.map((title, column) =>
		Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[]): string =>
		`| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
	return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
		'\n',
	);
}

/** The contestants' times, each compared with the barest node. */
export function throughputTable(standings: readonly Standing[]): string {
	const rows = standings.map((entry) => {
		const { latencyMs, name, durationsMs, cpuMs, mostInFlight } = entry;
		const peer = standings.find((other) => other.name === floorNode.name && other.latencyMs === latencyMs);
		return [
			`${latencyMs} ms`,
			name,
			peer === undefined ? '' : ratio(pairedRatio(durationsMs, peer.durationsMs)),
			peer === undefined ? '' : ratio(pairedRatio(cpuMs, peer.cpuMs)),
			time(median(durationsMs)),
			`${time(Math.min(...durationsMs))} to ${time(Math.max(...durationsMs))}`,
			String(mostInFlight),
		];
	});
	return markdownTable(
		[
			...['Answer after', 'Contestant', 'Time beside the floor', 'CPU beside it'],
			...['Median', 'From … to', 'In flight'],
		],
		rows,
	);
}

/** What the large run cost, each beside the HTTP Request node. */
export function costTable(costs: readonly Cost[], sends: number): string {
	const peer = costs.find(({ name }) => name === httpRequestNode.name);
	const cpuOf = ({ measures }: Cost): number => median(measures.map(({ cpuMs }) => cpuMs));
	const heapOf = ({ measures }: Cost): number => median(measures.map(({ peakHeapBytes }) => peakHeapBytes));
	const beside = (own: number, other: number | undefined): string =>
		other === undefined ? '' : ` (${ratio(own / other)})`;
	const rows = costs.map((cost) => {
		const longest = longestStall(cost.measures);
		return [
			cost.name,
			time(longest.longestStallMs),
			time(longest.longestStallCollectingMs),
			`${megabytes(heapOf(cost))}${beside(heapOf(cost), peer && heapOf(peer))}`,
			`${(cpuOf(cost) / sends).toFixed(2)} ms${beside(cpuOf(cost), peer && cpuOf(peer))}`,
			`${time(median(cost.durationsMs))}${beside(median(cost.durationsMs), peer && median(peer.durationsMs))}`,
			String(cost.mostInFlight),
		];
	});
	return markdownTable(
		[
			'Contestant',
			'Longest stall',
			'Garbage collection in it',
			'Peak heap',
			'CPU per message',
			'Time',
			'In flight',
		],
		rows,
	);
}

/** How much of each plan was used. */
export function planTable(uses: readonly PlanUse[]): string {
	const rows = uses.map(({ plan, share, refusals, accepted }) => [
		`${plan.limit} per ${plan.seconds} s`,
		plan.algorithm,
		plan.visible ? 'yes' : 'no',
		percent(share),
		String(refusals),
		String(accepted),
	]);
	return markdownTable(['Plan', 'Window', 'Shown by /Me', 'Used', '429s', 'Accepted'], rows);
}

/** How servers shared a plan. */
export function sharedPlanTable(uses: readonly SharedUse[]): string {
	const rows = uses.map(({ plan, each, used, refused, alone }) => [
		`${plan.limit} per ${plan.seconds} s`,
		plan.algorithm,
		percent(used),
		each.map(percent).join(', '),
		percent(refused),
		percent(alone),
	]);
	return markdownTable(
		['Plan', 'Window', 'Used', 'By each', 'Refused', 'Used by the last one, alone again'],
		rows,
	);
}

/** Expected and measured values. */
export function targetTable(targets: readonly Target[]): string {
	const rows = targets.map(({ what, wanted, found, met }) => [what, wanted, found, met ? 'met' : 'missed']);
	return markdownTable([`${thisNodeByDefault.name}`, 'Target', 'Result', ''], rows);
}

/** The middle value, or the mean of the middle two. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** A ratio with significant digits only: 0.31, 1.06, 34. */
export function ratio(value: number): string {
	return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

/** Milliseconds as a text with a unit: "420 ms", "23.4 s". */
function time(ms: number): string {
	if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
	return ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
}

/** A share as percent with one digit. */
export function percent(share: number): string {
	return `${(share * 100).toFixed(1)} %`;
}

/** Bytes as megabytes. */
function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(0)} MB`;
}
