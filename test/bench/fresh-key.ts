let keys = 0;

/** A key that was not used before: the node knows no plan of it yet. */
export function freshKey(): string {
	return `acc_benchmark_${String(++keys).padStart(6, '0')}`;
}
