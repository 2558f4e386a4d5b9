/** Draws values from seeds. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';

/** Turns a seed into a number for a generator; hashed so that neighbouring seeds give unrelated values. */
function numberOf(seed: number, purpose: string): number {
	return createHash('sha256').update(`${purpose} ${seed}`).digest().readInt32BE();
}

/** The one value that a seed draws. */
export function drawnFrom<T>(arbitrary: fc.Arbitrary<T>, seed: number, purpose: string): T {
	const [value] = fc.sample(arbitrary, { seed: numberOf(seed, purpose), numRuns: 1, unbiased: true });
	return value as T;
}

/** One of these, each as often as its weight says. */
export function weighted<T>(
	...choices: ReadonlyArray<readonly [weight: number, arbitrary: fc.Arbitrary<T>]>
): fc.Arbitrary<T> {
	return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** A value, and whether it can be sent: undefined where the fuzz makes no prediction. */
export interface Drawn<T = unknown> {
	readonly value: T;
	readonly isGood: boolean | undefined;
}

/** Mostly good values, now and then a bad one or one without a prediction. */
export function mostly(
	good: fc.Arbitrary<unknown>,
	bad: readonly unknown[],
	odd: readonly unknown[] = [],
): fc.Arbitrary<Drawn> {
	const rare = (values: readonly unknown[], isGood: boolean | undefined) =>
		values.length === 0 ? [] : [[1, fc.constantFrom(...values).map((value) => ({ value, isGood }))] as const];
	return weighted<Drawn>(
		[16, good.map((value) => ({ value, isGood: true }))],
		...rare(bad, false),
		...rare(odd, undefined),
	);
}

/** Whether something can be sent that is made of all these. */
export function areGood(...all: readonly Drawn[]): boolean | undefined {
	const goods = all.map(({ isGood }) => isGood);
	if (goods.includes(false)) return false;
	return goods.includes(undefined) ? undefined : true;
}
