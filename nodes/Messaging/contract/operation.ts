import type { IDataObject } from 'n8n-workflow';

import type { Sources } from '../fields/field-name';
import type { Input } from '../fields/input';
import type { Properties } from '../fields/parameter-types';
import type { ApiCall } from '../service/api-call';

/** The resources, in the interface's spelling. */
export type ResourceName = 'account' | 'apiKey' | 'channel' | 'message' | 'outbox';

/** What an operation makes of one item's parameters. */
export interface Compiled<Facts = unknown> {
	call: ApiCall;
	/** What `output` needs to know beside the response. */
	facts: Facts;
	/** Calls of one lane go out one after the other, in item order; without one a call waits for no other. */
	lane?: string;
	/** Whether the token of an API key may stand in the output. */
	showToken?: boolean;
	/** The parameters that fields of the request come from where the service calls them otherwise. */
	sources?: Sources;
}

/** A question to the service that must be answered before a call may leave; asked once in a run. */
export interface Guard<Facts = unknown> {
	readonly call: ApiCall;
	/** Whether this item needs the answer. */
	applies(facts: Facts): boolean;
	/** What is wrong with the call, given the body of the answer; `undefined` when it may leave. */
	objection(body: unknown, facts: Facts): Objection | undefined;
}

/** What an item may leave open because a list of the service tells it; the list is asked for once in a run. */
export interface Completion<Facts = unknown> {
	readonly call: ApiCall;
	/** Whether this item leaves something open. */
	applies(facts: Facts): boolean;
	/** Reads the list, once for all items. */
	read(body: unknown): Completer<Facts>;
}

/** Completes items from a list that was read. */
export interface Completer<Facts = unknown> {
	/** @throws InvalidParameter naming a field that the list does not tell */
	complete(facts: Facts): Facts;
}

/** Why a call must not leave, and what to do about it. */
export interface Objection {
	message: string;
	hint: string;
}

/** How the parts of several items share calls. */
export interface Batching<Facts = unknown> {
	/** The most parts that one call takes. */
	readonly mostParts: number;
	/** The parts of an item, such as ids; in order. */
	partsOf(facts: Facts): readonly string[];
	/** What the parts of one call must have in common. */
	scopeOf(facts: Facts): string;
	/** Whether an item's parts may go into a call together with other items' parts. */
	shares(facts: Facts): boolean;
	/** The call for some parts of one scope. */
	callFor(facts: Facts, parts: readonly string[]): Compiled<Facts>;
}

/**
 * One operation whole: its menu entry, its fields, its way to a request, and its way back to output.
 *
 * `P` are its fields, `F` what its `output` needs to know from them.
 */
export interface Operation<P extends Properties = Properties, F = unknown> {
	readonly resource: ResourceName;
	/** The operation's name in saved workflows. */
	readonly name: string;
	/** Its label in the operation menu. */
	readonly displayName: string;
	/** Its text in the node panel: sentence case, a verb and a noun. */
	readonly action: string;
	readonly description: string;
	readonly fields: P;
	/**
	 * Turns parameters into a request. Pure.
	 *
	 * @throws InvalidParameter when a parameter does not fit
	 */
	compile(input: Input<P>): Compiled<F>;
	/** Turns the body of a success into the json of output items. */
	output(body: unknown, facts: F): IDataObject[];
	readonly batching?: Batching<F>;
	readonly guard?: Guard<F>;
	/** Only with `batching`, which makes the calls of the completed facts. */
	readonly completion?: Completion<F>;
}

/** Gives an operation the types of its own fields. */
export function defineOperation<const P extends Properties, F>(operation: Operation<P, F>): Operation<P, F> {
	return operation;
}
