import type { IDataObject } from 'n8n-workflow';

import type { Sources } from '../input/field-name';
import { Input, type ParameterSource } from '../input/input';
import type { Properties } from '../input/parameter-types';
import type { Question } from '../question/question';
import type { ApiCall } from '../service/api-call';

/** What an operation is. Operations are pure: they build calls and read answers, and send nothing. */

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
	/** Whether the execution waits for an answer once the calls are made; each of them carries a question then. */
	readonly waits?: true;
}

/** An operation, as the rest of the node uses it. */
export interface Operation extends OperationEntry {
	/**
	 * Turns one item's parameters into a call.
	 *
	 * @throws InvalidParameter when a parameter does not fit
	 */
	compile(source: ParameterSource): CompiledCall;
}

/** The call of one item, with everything that has to be known to make it and to read its answer. */
export interface CompiledCall {
	readonly call: ApiCall;
	/** Calls of one lane go out one after the other, in item order; without one a call waits for no other. */
	readonly lane?: string;
	/** Turns the body of a success into the json of output items; those of a list are made when they are asked for. */
	output(body: unknown): Iterable<IDataObject>;
	/** What is known of the item without an answer: the output of one that is not sent a second time. */
	readonly known?: IDataObject;
	/** What two items with the same once key must have in common, such as recipient and content, as text. */
	fingerprint?(): string;
	/** What has to be looked up before the call may leave. */
	readonly before?: Lookup;
	/** Where items share calls. */
	readonly sharing?: Sharing;
	/** Statuses that stand for a result of their own: with `{ 409: 'sentBefore' }`, a 409 says that it was sent before. */
	readonly means?: Readonly<Partial<Record<number, 'sentBefore'>>>;
	/** Whether the token of an API key may stand in the output. */
	readonly showToken?: boolean;
	/** The parameters that fields of the request come from where the service calls them otherwise. */
	readonly sources?: Sources;
	/** What the message asks; only in an operation that waits. */
	readonly question?: Question;
}

/** A request whose answer completes a call or refuses it. It is made once in a run, when the first call needs it. */
export interface Lookup {
	readonly call: ApiCall;
	/**
	 * The call with what the answer tells, or why it must not leave.
	 *
	 * @throws InvalidParameter naming a field that the answer does not tell
	 */
	complete(body: unknown): CompiledCall | Objection;
}

/** Why a call must not leave, and what to do about it. */
export interface Objection {
	readonly message: string;
	readonly hint: string;
}

/** How items share calls: a call takes entries, such as ids, of several items. */
export interface Sharing {
	/** Items with the same key may share a call; an item without one has calls of its own. */
	readonly key: string | undefined;
	/** The item's entries. */
	readonly entries: readonly string[];
	/** How many entries one call takes. */
	readonly most: number;
	/** The call for some entries, of this item or of others with the same key. */
	callFor(entries: readonly string[]): CompiledCall;
}

/** Defines an operation whose fields have their types in `compile`. */
export function defineOperation<const P extends Properties>({
	compile,
	...entry
}: OperationEntry<P> & { compile(input: Input<P>): CompiledCall }): Operation {
	return { ...entry, compile: (source) => compile(new Input(entry.fields, source)) };
}
