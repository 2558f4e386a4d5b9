import type { IDataObject } from 'n8n-workflow';

import type { Sources } from '../fields/field-name';
import type { Input } from '../fields/input';
import type { Properties } from '../fields/parameter-types';
import type { ApiCall } from '../service/api-call';
import type { Question } from './question';

/**
 * What an operation is. Operations are pure: they build calls and read answers, and send nothing. Whoever sends gets
 * them as `AnyOperation`, from `defineOperation`.
 */

/** The resources, in the interface's spelling. */
export type ResourceName = 'account' | 'apiKey' | 'channel' | 'message' | 'outbox';

/** What the menus and forms of the editor show of an operation; `P` are its fields. */
export interface OperationEntry<P extends Properties = Properties> {
	readonly resource: ResourceName;
	/** The operation's name in saved workflows. */
	readonly name: string;
	/** Its label in the operation menu. */
	readonly displayName: string;
	/** Its text in the node panel: sentence case, a verb and a noun. */
	readonly action: string;
	readonly description: string;
	readonly fields: P;
}

/** A call, and how it has to be made. */
export interface CallPlan {
	readonly call: ApiCall;
	/** Calls of one lane go out one after the other, in item order; without one a call waits for no other. */
	readonly lane?: string;
	/** Whether the token of an API key may stand in the output. */
	readonly showToken?: boolean;
	/** The parameters that fields of the request come from where the service calls them otherwise. */
	readonly sources?: Sources;
	/** What the message asks; only in an operation that waits. */
	readonly question?: Question;
}

/** What an operation makes of one item's parameters. */
export interface Compiled<Facts> extends CallPlan {
	/** What the operation needs to know beside the response. */
	readonly facts: Facts;
}

/** A question to the service that must be answered before a call may leave; asked once in a run. */
export interface Guard<Facts> {
	readonly call: ApiCall;
	/** Whether this item needs the answer. */
	readonly applies: (facts: Facts) => boolean;
	/** What is wrong with the call, given the body of the answer; `undefined` when it may leave. */
	readonly objection: (body: unknown, facts: Facts) => Objection | undefined;
}

/** Why a call must not leave, and what to do about it. */
export interface Objection {
	message: string;
	hint: string;
}

/** What an item may leave open because a list of the service tells it; the list is asked for once in a run. */
export interface Completion<Facts> {
	readonly call: ApiCall;
	/** Whether this item leaves something open. */
	readonly applies: (facts: Facts) => boolean;
	/**
	 * Reads the list, once for all items, step by step: it may be long. What it gives in the end throws InvalidParameter
	 * naming a field that is not told.
	 */
	readonly read: (body: unknown) => Steps<(facts: Facts) => Facts>;
}

/** Work that may be long, and can be left for a while after each step; what it gives in the end. */
export type Steps<T> = Generator<undefined, T>;

/** How the parts of several items share calls. */
export interface Batching<Facts> {
	/** The most parts that one call takes. */
	readonly mostParts: number;
	/** The parts of an item, such as ids; in order. */
	readonly partsOf: (facts: Facts) => readonly string[];
	/** What the parts of one call must have in common. */
	readonly scopeOf: (facts: Facts) => string;
	/** Whether an item's parts may go into a call together with other items' parts. */
	readonly shares: (facts: Facts) => boolean;
	/** The call for some parts of one scope. */
	readonly callFor: (facts: Facts, parts: readonly string[]) => Compiled<Facts>;
}

/**
 * One operation whole: its menu entry, its fields, its way to a request, and its way back to output.
 *
 * `P` are its fields, `F` what its `output` needs to know from them.
 */
export interface Operation<P extends Properties, F> extends OperationEntry<P> {
	/** Turns parameters into a request; throws InvalidParameter when a parameter does not fit. */
	readonly compile: (input: Input<P>) => Compiled<F>;
	/** Turns the body of a success into the json of output items; those of a list are made when they are asked for. */
	readonly output: (body: unknown, facts: F) => Iterable<IDataObject>;
	/** What is known of an item without an answer: the output of one that is not sent a second time. */
	readonly known?: (facts: F) => IDataObject;
	readonly batching?: Batching<F>;
	readonly guard?: Guard<F>;
	/** Whether the execution waits for an answer once the calls are made; each of them carries a question then. */
	readonly waits?: true;
	/** Only with `batching`, which makes the calls of the completed facts. */
	readonly completion?: Completion<F>;
}
