import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { AnyOperation, Prepared } from '../contract/any-operation';
import type { ParameterSource } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import type { Properties } from '../fields/parameter-types';
import { refuseUnsendable } from '../fields/unsendable';
import { type CallEnd, type Failure, unsent } from '../service/endings';
import { maskShapes } from '../service/tokens';
import { said } from '../text/readable';
import type { Ticket } from './memory/once/once-keys';
import { callSettings, type CallSettings, optionsOf } from './settings';
import type { Together } from './together';

/** What one item's parameters make. */
export interface ItemCall {
	readonly prepared: Prepared;
	readonly settings: CallSettings;
}

/** One call to make. */
export interface Job extends ItemCall {
	/** Under which keys to remember it. */
	readonly keys: readonly string[];
	/** The failure of an earlier try of the execution that may have been processed and is repeated now. */
	readonly unclear?: Failure;
	/** Where the item has a once key. */
	readonly ticket?: Ticket;
	/** Told when the call has gone out, or may have: whoever may have got a question may answer it. */
	wentOut?(): void;
	/** Told once, when the call has ended for good. */
	ended(end: JobEnd): void;
}

/**
 * How a job ended: as its call did; without one because it had been sent under its once key before; or without one
 * because nobody knows whether it has, which is nothing new and does not keep the rest from going out.
 */
export type JobEnd = CallEnd | { sentBefore: IDataObject } | { heldBack: Failure };

/**
 * The parameters of one item, each resolved once, when it is asked for.
 *
 * @param made what is made of the item when it is asked for: its UUID, from what stands in its other parameters, and the
 *   link on which it is answered
 * @param together what evaluates the item's expressions together, where there are items before it
 */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	made: { callId(source: ParameterSource): string; answerLink(): string },
	together?: Together,
): ParameterSource {
	const values = new Map<string, unknown>();
	const readTogether = together?.ofItem(item) ?? ((_name, alone) => alone());
	let id: string | undefined;
	return {
		read(name) {
			if (!values.has(name)) {
				// A field that is hidden by another one's value has no value: its default stands in.
				const fallback = fields.find((field) => field.name === name)?.default ?? '';
				// Fields are checked where they are read; to look for n8n's own checks in them costs more than that.
				const alone = (): unknown => context.getNodeParameter(name, item, fallback, { skipValidation: true });
				values.set(name, readTogether(name, alone));
			}
			return values.get(name);
		},
		timezone: context.getTimezone(),
		get callId() {
			// Every collection of the item asks for it too: hashing it once is enough.
			return (id ??= made.callId(this));
		},
		get answerLink() {
			return made.answerLink();
		},
	};
}

/** What an item's parameters make, or why they make nothing. */
export function compileItem(operation: AnyOperation, source: ParameterSource): ItemCall | Failure {
	try {
		const settings = callSettings(optionsOf(source), operation.fields);
		const prepared = operation.compile(source);
		refuseUnsendable(prepared.call, operation.fields, prepared.sources);
		return { settings, prepared };
	} catch (error) {
		return refusal(error);
	}
}

/** The failure of an item whose parameters could not be read or do not fit. */
export function refusal(error: unknown): Failure {
	// What a field holds that is refused may be a key, entered in the wrong place.
	if (error instanceof InvalidParameter) return unsent(maskShapes(error.message), error.hint);
	// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
	const { message, description, context } = error as {
		message?: unknown;
		description?: unknown;
		context?: { parameter?: unknown };
	};
	const field = typeof context?.parameter === 'string' ? ` in the parameter "${context.parameter}"` : '';
	const advice = typeof description === 'string' && description !== '' ? ` ${said(description)}` : '';
	return unsent(
		typeof message === 'string' && message !== ''
			? maskShapes(said(message))
			: 'A parameter could not be read',
		`Check the expression${field}.${maskShapes(advice)}`,
	);
}
