/** What the parts of the benchmark share: sections of the document, their tables, and numbers for people. */

/** A part of the results. */
export interface Section {
	title: string;
	text: string;
	table: string;
	targets: Target[];
}

/** What is expected of this node, and whether it was met. */
export interface Target {
	what: string;
	wanted: string;
	found: string;
	met: boolean;
}

/** A table in Markdown. */
export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A target that is a limit from above. */
export function atMost(
	what: string,
	found: number,
	wanted: number,
	shown: (value: number) => string = String,
): Target {
	return { what, wanted: `at most ${shown(wanted)}`, found: shown(found), met: found <= wanted };
}

/** The middle value, or the mean of the middle two. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** A ratio with two digits: 0.31, 1.06. */
export function ratio(value: number): string {
	return value.toFixed(2);
}

/** Milliseconds as a text with a unit: "420 ms", "23.4 s". */
export function time(ms: number): string {
	if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
	return ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
}
