import type { IExecuteFunctions } from 'n8n-workflow';

import { Input } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { deliveryOptions } from '../fields/options';
import type { Compiled, Operation } from '../contract/operation';
import { type CallEnd, type Failure, unsent } from '../service/endings';
import { callSettings, type CallSettings, type DeliveryOptions } from './settings';

/** One call to make. */
export interface Job {
	readonly compiled: Compiled;
	readonly settings: CallSettings;
	/** Under which keys to remember it. */
	readonly keys: readonly string[];
	/** The failure of an earlier try of the execution that may have been processed and is repeated now. */
	readonly unclear?: Failure;
	/** Told once, when the call has ended for good. */
	ended(end: CallEnd): void;
}

/** What one item's parameters make. */
export interface ItemCall {
	readonly compiled: Compiled;
	readonly settings: CallSettings;
}

/**
 * The parameters of one item.
 *
 * @param callId makes the item's UUID when it is asked for
 */
export function inputOf(
	context: IExecuteFunctions,
	operation: Operation,
	item: number,
	callId: () => string,
): Input<Operation['fields']> {
	let id: string | undefined;
	return new Input(operation.fields, {
		// A field that is hidden by another one's value has no value: its default stands in.
		read: (name) =>
			context.getNodeParameter(
				name,
				item,
				operation.fields.find((field) => field.name === name)?.default ?? '',
			),
		timezone: context.getTimezone(),
		get callId() {
			// Every collection of the item asks for it too: hashing it once is enough.
			return (id ??= callId());
		},
	});
}

/** The options that delivery reads; every operation has a collection of them. */
export function optionsOf(input: Input<Operation['fields']>): DeliveryOptions {
	return input.collectionAs('options' as never, deliveryOptions);
}

/** What an item's parameters make, or why they make nothing. */
export function compileItem(operation: Operation, input: Input<Operation['fields']>): ItemCall | Failure {
	try {
		return { settings: callSettings(optionsOf(input)), compiled: operation.compile(input) };
	} catch (error) {
		return refusal(error);
	}
}

/** The failure of an item whose parameters could not be read or do not fit. */
export function refusal(error: unknown): Failure {
	if (error instanceof InvalidParameter) return unsent(error.message, error.hint);
	// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
	const { message, description, context } = error as {
		message?: unknown;
		description?: unknown;
		context?: { parameter?: unknown };
	};
	const field = typeof context?.parameter === 'string' ? ` in the parameter "${context.parameter}"` : '';
	const advice = typeof description === 'string' && description !== '' ? ` ${description}` : '';
	return unsent(
		typeof message === 'string' && message !== '' ? message : 'A parameter could not be read',
		`Check the expression${field}.${advice}`,
	);
}
