/** What the fuzz knows about an operation. */
import type fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { OperationId } from '../../../dev/sandbox/interface/openapi.ts';

/** One input item, and what is known about it before the run. */
export interface FuzzItem {
	readonly json: Record<string, unknown>;
	/** Whether it can be sent: undefined where the fuzz makes no prediction. */
	readonly isSendable: boolean | undefined;
	/** Its once key as the node reads it. */
	readonly key: string;
	/** Identifies its message, where the operation has once keys: one key is for one message. */
	readonly message?: string;
	/** What it wants done, by names that no other item uses: one thing, or one per entry that it names. */
	readonly things: readonly string[];
}

/** A request that conforms to the API description. */
export interface FuzzRequest {
	/** The ids in its path. */
	readonly parameters: Readonly<Record<string, string>>;
	readonly body: unknown;
}

/** What a request asks for. */
export interface Asked {
	/** The number of the execution that made it. */
	readonly execution: number;
	/** The items that it is for, in order: several if they share it. */
	readonly items: readonly number[];
	/** The names of the things that it asks for, see `FuzzItem.things`. */
	readonly things: readonly string[];
	/** Requests in one lane are sent one after the other; undefined for one that waits for no other. */
	readonly lane: string | undefined;
	/** The same in every try, where the operation has one. */
	readonly packageId?: string;
	/** What the output shows after the usual answer: values by path in its json, such as `content.text`. */
	readonly shows: Readonly<Record<string, unknown>>;
}

/** One operation. */
export interface Kind {
	readonly id: OperationId;
	/** Whether repeating it does harm, so that a request in doubt is not repeated unless the user chose so. */
	readonly isOnceOnly: boolean;
	/** Whether several items share requests. */
	readonly sharesCalls: boolean;
	/** The options it has. */
	readonly offers: { readonly onceKey: boolean; readonly ordering: boolean; readonly whenUnknown: boolean };
	/** The status of its usual answer. */
	readonly status: number;
	/** Makes one item from its index. */
	item(isKeyed: boolean): fc.Arbitrary<(index: number) => FuzzItem>;
	/**
	 * The node's parameters, options aside.
	 *
	 * @param execution the number that its requests carry
	 * @param isWell whether faults have ended
	 */
	parameters(execution: number, isWell: boolean): INodeParameters;
	/** What a request asks for, or what is wrong with it. */
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

/** The name of the thing that an item with only one wants. */
export function itsThing(index: number): string {
	return `item ${index}`;
}

/** An id as a locator holds it. */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}
