/** What the fuzz knows of an operation that it plays. */
import type fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { OperationId } from '../../../dev/sandbox/interface/openapi.ts';

/** One input item, and what is known of it before anything happens. */
export interface FuzzItem {
	readonly json: Record<string, unknown>;
	/** Whether it can be sent: undefined where that is not for the fuzz to say. */
	readonly isSendable: boolean | undefined;
	/** Its once key as the node reads it. */
	readonly key: string;
	/** What stands for its message, where the operation has once keys: one key is for one message. */
	readonly message?: string;
	/** What it wants done, each by a name that no other item has: one thing, or one for each entry that it names. */
	readonly things: readonly string[];
}

/** A request that conforms to the interface. */
export interface FuzzRequest {
	/** The ids in its path. */
	readonly parameters: Readonly<Record<string, string>>;
	readonly body: unknown;
}

/** What a request is about. */
export interface Asked {
	/** Which execution's it is, by its number. */
	readonly execution: number;
	/** The items that it is for, in their order: several where they share it. */
	readonly items: readonly number[];
	/** What it wants done, by the names that its items have for that. */
	readonly things: readonly string[];
	/** Requests of one lane go out one after the other; undefined for one that waits for none. */
	readonly lane: string | undefined;
	/** The same in every try, where the operation has one. */
	readonly packageId?: string;
	/** What the output shows after the usual answer: values by where they stand in its json. */
	readonly shows: Readonly<Record<string, unknown>>;
}

/** One operation. */
export interface Kind {
	readonly id: OperationId;
	/** Whether doing it twice does harm: what may have been done is not repeated unasked then. */
	readonly isOnceOnly: boolean;
	/** Whether several items share requests. */
	readonly sharesCalls: boolean;
	/** Which of the options it has. */
	readonly offers: { readonly onceKey: boolean; readonly ordering: boolean; readonly whenUnknown: boolean };
	/** The status of its usual answer. */
	readonly status: number;
	/** One item, by the place among the others that it is given. */
	item(isKeyed: boolean): fc.Arbitrary<(index: number) => FuzzItem>;
	/**
	 * The node's parameters, options aside.
	 *
	 * @param execution the number that its requests are to tell
	 * @param isWell whether nothing goes wrong any more
	 */
	parameters(execution: number, isWell: boolean): INodeParameters;
	/** What a request is about, or what is wrong with it. */
	read(request: FuzzRequest, items: readonly FuzzItem[]): Asked | string[];
	/** The usual answer. */
	reply(request: FuzzRequest): IDataObject;
}

/** An item's label in an execution, as an expression that a text field holds. */
export function labelOf(execution: number): string {
	return `=e${execution}i{{ $itemIndex }}`;
}

/** Reads a label. */
export function readLabel(text: unknown): { execution: number; item: number } | undefined {
	const [, execution, item] = /^e(\d+)i(\d+)$/.exec(String(text)) ?? [];
	return item === undefined ? undefined : { execution: Number(execution), item: Number(item) };
}

/** What an item wants that wants one thing. */
export function itsThing(index: number): string {
	return `item ${index}`;
}

/** An id as a locator holds it. */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}
