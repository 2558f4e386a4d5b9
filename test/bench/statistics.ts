/** The value in the middle, or the mean of the two there. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The smallest and the largest value. */
export function range(values: readonly number[]): { least: number; most: number } {
	return { least: Math.min(...values), most: Math.max(...values) };
}

/** A ratio with as many digits as it can bear: 0.31, 1.06, 34. */
export function ratio(value: number): string {
	return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

/** Milliseconds as a text with a unit: "420 ms", "23.4 s". */
export function time(ms: number): string {
	if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
	return ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
}

/** A share as percent with one digit. */
export function percent(share: number): string {
	return `${(share * 100).toFixed(1)} %`;
}

/** Bytes as megabytes. */
export function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(0)} MB`;
}
