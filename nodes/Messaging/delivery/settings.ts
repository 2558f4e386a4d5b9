import { InvalidParameter } from '../fields/invalid-parameter';
import type { Input } from '../fields/input';
import type { CommonOptions } from '../fields/options';

/** How one call is made. */
export interface CallSettings {
	/** How long to wait for an answer, in milliseconds. */
	timeoutMs: number;
}

/** How many requests may be under way at once when the user leaves it to the node. */
const AUTOMATIC_CONCURRENCY = 10;

/** Reads the call settings of one item. */
export function callSettings(options: Input<CommonOptions>): CallSettings {
	return { timeoutMs: atLeast(options, 'timeout', 1, 30) * 1000 };
}

/** How many requests of this run may be under way at once. */
export function concurrency(options: Input<CommonOptions>): number {
	return atLeast(options, 'maxConcurrency', 0, 0) || AUTOMATIC_CONCURRENCY;
}

function atLeast(
	options: Input<CommonOptions>,
	name: 'maxConcurrency' | 'timeout',
	least: number,
	standard: number,
): number {
	const value = options.int32(name) ?? standard;
	if (value >= least) return value;
	throw new InvalidParameter(
		options.label(name),
		`needs a number from ${least} up, but it is ${value}`,
		'Correct it, or remove the option.',
	);
}
