import { Input, type ParameterSource } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { deliveryFields } from '../fields/options';
import { asText } from '../fields/values';
import type { MembersOf, Properties } from '../fields/parameter-types';
import { refuseHalf } from '../fields/half-text';
import { defined } from '../json/defined';
import { quoted } from '../text/readable';
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
	/** What identifies the message: one with the same key is not sent again. */
	onceKey?: string;
}

/** How a whole run is made. */
export interface RunSettings {
	limiter: Limiter;
	keepToPlan: boolean;
	/** Whether calls to one recipient or resource keep their order. */
	ordered: boolean;
	/** How many once keys the node remembers. */
	onceHistory: number;
}

/** The options of one item. */
export type DeliveryOptions = Input<MembersOf<typeof deliveryFields, 'options'>>;

/** The options that delivery reads from one item; every operation has a collection of them. */
export function optionsOf(source: ParameterSource): DeliveryOptions {
	return new Input(deliveryFields, source).collection('options');
}

/** The longest time that a timer can hold, in milliseconds: a longer one goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads the settings of one item's call.
 *
 * @param fields those of its operation: an option that it does not offer may still stand in a saved workflow
 */
export function callSettings(options: DeliveryOptions, fields: Properties): CallSettings {
	return {
		timeoutMs: Math.min(atLeast(options, 'timeout', 1, 30) * 1000, LONGEST_TIMER_MS),
		maxTries: atLeast(options, 'maxTries', 1, 4),
		maxWaitMs: atLeast(options, 'maxWait', 0, 300) * 1000,
		resendUnknown: options.flag('resendUnknown'),
		...defined<Pick<CallSettings, 'onceKey'>>({ onceKey: onceKeyOf(options, fields) }),
	};
}

/** What the editor calls the option for once keys; `undefined` for an operation that has none. */
export function onceLabel(fields: Properties): string | undefined {
	const members = fields.find(({ name }) => name === 'options')?.options ?? [];
	return members.flatMap((member) =>
		member.name === 'onceKey' && 'displayName' in member ? [member.displayName] : [],
	)[0];
}

/** What an expression leaves behind that found no value: alone, and within a text. */
const NO_VALUES = ['undefined', 'null', 'NaN', 'Invalid Date'];
const NO_PARTS = ['[object Object]', 'Invalid DateTime'];

/**
 * What identifies the message of an item; `undefined` when the option is not added, or the operation has none. It is in
 * the one Unicode form (NFC) of all that look the same and are: a Mac writes an accent as a character of its own, and
 * nobody means two messages by that.
 *
 * @throws InvalidParameter for a key that is empty, or that many items would share by mistake
 */
export function onceKeyOf(options: DeliveryOptions, fields: Properties): string | undefined {
	const label = onceLabel(fields);
	if (label === undefined || !options.isAdded('onceKey')) return undefined;
	const value = options.raw('onceKey');
	const key = asText(value, label).trim().normalize('NFC');
	if (key === '') {
		throw new InvalidParameter(
			label,
			'is empty',
			'Enter what identifies this item, such as an order number, and check that the expression finds one. To send without this protection, remove the option.',
		);
	}
	const isShared = typeof value === 'boolean' || NO_VALUES.includes(key);
	if (isShared || NO_PARTS.some((part) => key.includes(part))) {
		throw new InvalidParameter(
			label,
			`needs a value of its own for each item, but it is ${quoted(key)}`,
			'Check the expression: it does not find what identifies this item.',
		);
	}
	// Cut keys would all be one: no hash tells one half of a character from another.
	refuseHalf(key, label);
	return key;
}

/** Reads the settings of a run, from its first item. */
export function runSettings(options: DeliveryOptions): RunSettings {
	const bound = atLeast(options, 'maxConcurrency', 0, 0);
	return {
		limiter: bound === 0 ? new AdaptiveLimiter() : fixedLimiter(bound),
		keepToPlan: options.flag('keepToPlan'),
		ordered: options.choice('ordering') !== 'none',
		onceHistory: between(options, 'onceHistory', 1, 100_000, 10_000),
	};
}

type NumberOption = 'maxConcurrency' | 'maxTries' | 'maxWait' | 'onceHistory' | 'timeout';

function between(
	options: DeliveryOptions,
	name: NumberOption,
	least: number,
	most: number,
	standard: number,
): number {
	const value = atLeast(options, name, least, standard);
	if (value <= most) return value;
	throw new InvalidParameter(
		options.label(name),
		`needs a number up to ${most}, but it is ${value}`,
		'Correct it, or remove the option.',
	);
}

function atLeast(options: DeliveryOptions, name: NumberOption, least: number, standard: number): number {
	const value = options.int32(name) ?? standard;
	if (value >= least) return value;
	throw new InvalidParameter(
		options.label(name),
		`needs a number from ${least} up, but it is ${value}`,
		'Correct it, or remove the option.',
	);
}
