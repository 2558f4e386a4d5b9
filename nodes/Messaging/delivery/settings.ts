import { Input, type ParameterSource } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import { deliveryFields } from '../fields/options';
import { asText } from '../input/values';
import type { MembersOf, Properties } from '../input/parameter-types';
import { refuseHalf } from '../input/unsendable';
import { defined } from '../shared/json';
import { named, quoted } from '../shared/text';
import { AdaptiveLimiter, fixedLimiter, type Limiter } from './pace/limiter';
import { isPath } from './together';

/** How one call is made. */
export interface CallSettings {
	/** How long to wait until the whole answer is there, in milliseconds. */
	timeoutMs: number;
	/** How often to try, the first try counted. */
	maxTries: number;
	/** How long a call waits, in milliseconds, from its first "later" on. */
	maxWaitMs: number;
	/** What becomes of a call that may have been processed: it is held back, made again, or counts as made. */
	whenUnknown: 'hold' | 'sendAgain' | 'countAsSent';
	/** What identifies the message: one with the same key is not sent again. */
	onceKey?: string;
}

/** How a whole run is made. */
export interface RunSettings {
	limiter: Limiter;
	keepToPlan: boolean;
	/** Whether calls to one recipient or resource keep their order. */
	ordered: boolean;
	/** Whether the items have a once key: the option is there for all of them, or for none. */
	usesKeys: boolean;
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
export function callSettings(source: ParameterSource, fields: Properties): CallSettings {
	const options = optionsOf(source);
	return {
		timeoutMs: Math.min(atLeast(options, 'timeout', 1, 30) * 1000, LONGEST_TIMER_MS),
		maxTries: atLeast(options, 'maxTries', 1, 4),
		maxWaitMs: atLeast(options, 'maxWait', 0, 300) * 1000,
		whenUnknown: options.choice('whenUnknown'),
		...defined<Pick<CallSettings, 'onceKey'>>({ onceKey: onceKeyOf(source, fields) }),
	};
}

/** What the editor calls the option for once keys; `undefined` for an operation that has none. */
export function onceLabel(fields: Properties): string | undefined {
	const members = fields.find(({ name }) => name === 'options')?.options ?? [];
	return members.flatMap((member) =>
		member.name === 'onceKey' && 'displayName' in member ? [member.displayName] : [],
	)[0];
}

/** What an expression leaves behind that found no value, in a key of several parts or as the whole key. */
const NO_VALUE =
	/\[object Object\]|Invalid DateTime|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date)(?![\p{L}\p{N}])/u;
const NULL = /(?<![\p{L}\p{N}])null(?![\p{L}\p{N}])/u;

/** One of the expressions in a key, and its value as text. */
interface Part {
	/** What is between the braces. */
	readonly code: string;
	readonly text: string;
}

/** Between the values of expressions that are resolved together: the unit separator of ASCII. */
const SEPARATOR = '\u001f';

/**
 * What identifies the message of an item; `undefined` when the option is not added, or the operation has none. It is in
 * Unicode's NFC form: a Mac writes an accent as a character of its own, and the key is the same nevertheless.
 *
 * @throws InvalidParameter for a key that is empty, or that many items would share because a part of it is missing
 */
export function onceKeyOf(source: ParameterSource, fields: Properties): string | undefined {
	const label = onceLabel(fields);
	const options = optionsOf(source);
	if (label === undefined || !options.isAdded('onceKey')) return undefined;
	const value = options.raw('onceKey');
	const text = asText(value, label);
	const parts = partsOf(text, source);
	const missing = parts.find((part) => part.text.trim() === '');
	const nothing = missing && `{{ ${named(missing.code.trim())} }} finds nothing for this item`;
	const key = text.trim().normalize('NFC');
	if (key === '') {
		throw new InvalidParameter(
			label,
			nothing === undefined ? 'is empty' : `is empty: ${nothing}`,
			'Enter what identifies this item, such as an order number, and check that the expression finds one. To send without this protection, remove the option.',
		);
	}
	if (nothing !== undefined) {
		throw new InvalidParameter(
			label,
			`is incomplete: ${nothing}`,
			'Items without it would have the same key, and all but the first would be left out. Check the expression; if it may be empty, name something in its place: {{ $json.shop || "none" }}. To send without this protection, remove the option.',
		);
	}
	// A path finds the word null only where it belongs to the value: in the address of somebody of that name.
	const isNull =
		key === 'null' ||
		parts.some((part) => part.text === 'null' || (!isPath(part.code) && NULL.test(part.text)));
	if (typeof value === 'boolean' || isNull || NO_VALUE.test(key)) {
		throw new InvalidParameter(
			label,
			`needs a value of its own for each item, but it is ${quoted(key)}`,
			'Check the expression: it does not find what identifies this item. If the key is right as it is, make it from another field, or write it in capital letters with .toUpperCase().',
		);
	}
	// Cut keys would all be one: no hash tells one half of a character from another.
	refuseHalf(key, label);
	return key;
}

/** The expressions of a key; none for a fixed one. */
function partsOf(key: string, source: ParameterSource): Part[] {
	const unresolved = source.unresolved?.('options.onceKey');
	if (typeof unresolved !== 'string' || !unresolved.startsWith('=')) return [];
	// Braces behind a backslash are text, or do not end the expression. Hardly anybody needs them in a key.
	if (/\\(?:\{\{|\}\})/.test(unresolved)) return [];
	// As in n8n, an expression ends at the first closing braces, or with the text.
	const pieces = unresolved.slice(1).split(/\{\{([^]*?)(?:\}\}|$)/);
	const [before = '', code = '', after = ''] = pieces;
	// The text around a single expression is in the key as it is, unless n8n takes a backslash in it for an escape.
	if (pieces.length === 3 && !`${before}${after}`.includes('\\')) {
		return [{ code, text: key.slice(before.length, key.length - after.length) }];
	}
	const codes = pieces.filter((_piece, n) => n % 2 === 1);
	if (codes.length === 0) return [];
	const together = codes.map((code) => `${SEPARATOR}{{${code}}}`).join('');
	const [, ...texts] = String(source.resolve?.(together)).split(SEPARATOR);
	return texts.map((text, n) => ({ code: codes[n] ?? '', text }));
}

/**
 * Reads the settings of a run, from its first item.
 *
 * @param fields those of its operation
 */
export function runSettings(options: DeliveryOptions, fields: Properties): RunSettings {
	const bound = atLeast(options, 'maxConcurrency', 0, 0);
	return {
		limiter: bound === 0 ? new AdaptiveLimiter() : fixedLimiter(bound),
		keepToPlan: options.flag('keepToPlan'),
		ordered: options.choice('ordering') !== 'none',
		usesKeys: onceLabel(fields) !== undefined && options.isAdded('onceKey'),
		onceHistory: onceHistoryOf(options),
	};
}

type NumberOption = 'maxConcurrency' | 'maxTries' | 'maxWait' | 'timeout';

const LEAST_KEYS = 1000;
const MOST_KEYS = 20_000;

/** @throws InvalidParameter */
function onceHistoryOf(options: DeliveryOptions): number {
	const count = options.int32('onceHistory') ?? 10_000;
	if (count >= LEAST_KEYS && count <= MOST_KEYS) return count;
	throw new InvalidParameter(
		options.label('onceHistory'),
		`needs a number from ${LEAST_KEYS} to ${MOST_KEYS}, but it is ${count}`,
		count < LEAST_KEYS
			? 'With fewer, a key can be forgotten while it is still needed, and with several workers (queue mode) its message goes out twice. Correct it, or remove the option.'
			: 'n8n writes the whole list for each message, which takes seconds with more. Correct it, or remove the option.',
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
