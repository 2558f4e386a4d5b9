/** Draws values from seeds. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';

/** Turns a seed into a number for a generator; hashed so that neighbouring seeds give unrelated values. */
export function numberOf(seed: number, purpose: string): number {
	return createHash('sha256').update(`${purpose} ${seed}`).digest().readInt32BE();
}

/** The one value that a seed draws. */
export function drawnFrom<T>(arbitrary: fc.Arbitrary<T>, seed: number, purpose: string): T {
	const [value] = fc.sample(arbitrary, { seed: numberOf(seed, purpose), numRuns: 1, unbiased: true });
	return value as T;
}

/** A value, and whether it can be sent: undefined where the fuzz makes no prediction. */
export interface Drawn<T = unknown> {
	readonly value: T;
	readonly isGood: boolean | undefined;
}

/** Mostly good values, now and then a bad one or one without a prediction. */
export function mostly(
	good: fc.Arbitrary<unknown>,
	bad: fc.Arbitrary<unknown>,
	odd?: fc.Arbitrary<unknown>,
): fc.Arbitrary<Drawn> {
	const marked = (isGood: boolean | undefined, values: fc.Arbitrary<unknown>): fc.Arbitrary<Drawn> =>
		values.map((value) => ({ value, isGood }));
	return fc.oneof(
		{ weight: 16, arbitrary: marked(true, good) },
		{ weight: 1, arbitrary: marked(false, bad) },
		...(odd === undefined ? [] : [{ weight: 1, arbitrary: marked(undefined, odd) }]),
	);
}

/** Whether something can be sent that is made of all these. */
export function areGood(...all: readonly Drawn[]): boolean | undefined {
	const goods = all.map(({ isGood }) => isGood);
	if (goods.includes(false)) return false;
	return goods.includes(undefined) ? undefined : true;
}
