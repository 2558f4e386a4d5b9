import { deliveryFields, optionLabel, sendOnce } from '../fields/options';
import { Input } from '../input/input';
import type { ParameterSource } from '../input/parameter-source';
import type { Properties } from '../input/parameter-types';
import type { Operation } from '../operations/operation';
import { defined } from '../shared/json';

/** Settings of one call. */
export type CallSettings = ReturnType<typeof callSettings> & {
	/** By the clock of the run: after that, it must not leave. */
	readonly notAfter?: number;
};

/** The options that delivery reads for one item; every operation has this collection. */
function optionsOf(source: ParameterSource) {
	return new Input(deliveryFields, source).collection('options');
}

/** What decides about an item's once key. A saved workflow may contain an option that the operation does not have. */
type Keyed = Pick<Operation, 'fields' | 'onceKey'>;

/** Reads the settings of one item's call. */
export function callSettings(source: ParameterSource, operation: Keyed) {
	const options = optionsOf(source);
	return {
		...timesOf(options),
		/** What happens to a call that may have been processed: hold it back, send it again, or count it as sent. */
		whenUnknown: options.choice('whenUnknown'),
		/** Identifies the message: a second one with the same key is not sent. */
		...defined<{ onceKey?: string }>({ onceKey: onceKeyOf(source, operation) }),
	};
}

function timesOf(options: ReturnType<typeof optionsOf>) {
	return {
		/** How long to wait for the complete answer, in milliseconds. */
		timeoutMs: options.numberOrDefault('timeout', 'Enter seconds, not milliseconds.') * 1000,
		/** The most tries, including the first. */
		maxTries: options.numberOrDefault('maxTries'),
		/** How long a call may wait after the service first says "later", in milliseconds. */
		maxWaitMs: options.numberOrDefault('maxWait') * 1000,
	};
}

/**
 * Reads the settings of a run from the options of its first item.
 *
 * @param fields the operation's fields
 */
export function runSettings(source: ParameterSource, fields: Properties) {
	const options = optionsOf(source);
	// Once keys are on or off for the whole run. An expression may turn them off for single items.
	const answerOnce = fields.find(({ name }) => name === 'answerOnce');
	const isOn = new Input(deliveryFields, source).saved('answerOnce') !== false;
	return {
		/** How many requests may be in flight; without it, as many as the service can take. */
		maxInFlight: options.numberOrDefault('maxConcurrency') || undefined,
		keepToPlan: options.flag('keepToPlan'),
		/** The pause from the end of one message of a channel to the start of the next, in milliseconds. */
		pauseMs: options.numberOrDefault('pauseBetween') * 1000,
		/** Whether calls to one recipient or resource keep their order. */
		ordered: options.choice('ordering') !== 'none',
		/** The label of what gives the items a once key; `undefined` if they have none. */
		keyOption:
			(options.isAdded('onceKey') ? optionLabel(fields, 'onceKey') : undefined) ??
			(isOn ? answerOnce?.displayName : undefined),
		/** How many once keys the node remembers after a run; more if the run has more messages. */
		onceHistory: options.numberOrDefault('onceHistory'),
		/** Of the calls that are made for the whole run. */
		lookupSettings: { ...timesOf(options), whenUnknown: 'hold' as const },
	};
}

/** The once key of an item, entered or made by the operation; `undefined` if it has none. */
export function onceKeyOf(source: ParameterSource, { fields, onceKey }: Keyed): string | undefined {
	const label = optionLabel(fields, 'onceKey');
	const options = optionsOf(source);
	if (label === undefined || !options.isAdded('onceKey')) return onceKey?.(source);
	// With the operation's own label, which its errors name.
	const [{ ...field }] = sendOnce;
	return options.part([{ ...field, displayName: label }] as const).key('onceKey');
}
