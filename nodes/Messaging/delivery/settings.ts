import { Input, type ParameterSource } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { deliveryFields } from '../fields/options';
import type { MembersOf } from '../fields/parameter-types';
import { AdaptiveLimiter, fixedLimiter, type Limiter } from './pace/limiter';

/** How one call is made. */
export interface CallSettings {
	/** How long to wait until the whole answer is there, in milliseconds. */
	timeoutMs: number;
	/** How often to try, the first try counted. */
	maxTries: number;
	/** How long a call waits, in milliseconds, from its first "later" on. */
	maxWaitMs: number;
	/** Whether to repeat a call that may have been processed. */
	resendUnknown: boolean;
}

/** How a whole run is made. */
export interface RunSettings {
	limiter: Limiter;
	keepToPlan: boolean;
	/** Whether calls to one recipient or resource keep their order. */
	ordered: boolean;
}

/** The options of one item. */
export type DeliveryOptions = Input<MembersOf<typeof deliveryFields, 'options'>>;

/** The options that delivery reads from one item; every operation has a collection of them. */
export function optionsOf(source: ParameterSource): DeliveryOptions {
	return new Input(deliveryFields, source).collection('options');
}

/** The longest time that a timer can hold, in milliseconds: a longer one goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads the settings of one item's call. */
export function callSettings(options: DeliveryOptions): CallSettings {
	return {
		timeoutMs: Math.min(atLeast(options, 'timeout', 1, 30) * 1000, LONGEST_TIMER_MS),
		maxTries: atLeast(options, 'maxTries', 1, 4),
		maxWaitMs: atLeast(options, 'maxWait', 0, 300) * 1000,
		resendUnknown: options.flag('resendUnknown'),
	};
}

/** Reads the settings of a run, from its first item. */
export function runSettings(options: DeliveryOptions): RunSettings {
	const bound = atLeast(options, 'maxConcurrency', 0, 0);
	return {
		limiter: bound === 0 ? new AdaptiveLimiter() : fixedLimiter(bound),
		keepToPlan: options.flag('keepToPlan'),
		ordered: options.choice('ordering') !== 'none',
	};
}

type NumberOption = 'maxConcurrency' | 'maxTries' | 'maxWait' | 'timeout';

function atLeast(options: DeliveryOptions, name: NumberOption, least: number, standard: number): number {
	const value = options.int32(name) ?? standard;
	if (value >= least) return value;
	throw new InvalidParameter(
		options.label(name),
		`needs a number from ${least} up, but it is ${value}`,
		'Correct it, or remove the option.',
	);
}
