/** What the fuzz knows about an operation. */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { OperationId } from '../../../dev/sandbox/interface/openapi.mts';
import { weighted } from '../draw.mts';

/** One input item, and what is known about it before the run. */
export interface FuzzItem {
	readonly json: Record<string, unknown>;
	/** Whether it can be sent: undefined where the fuzz makes no prediction. */
	readonly isSendable: boolean | undefined;
	/** Its once key as the node reads it. */
	readonly key: string;
	/** Identifies its message: one once key is for one message. */
	readonly message?: string;
	/** What it wants done, by names that no other item uses: one thing, or one per entry that it names. */
	readonly things: readonly string[];
	/** The channel that it goes through, where items choose one. */
	readonly channel?: string;
}

/** What a request asks for. */
export interface Asked {
	/** The number of the execution that made it. */
	readonly execution: number;
	/** The items that it is for, in order: several if they share it. */
	readonly items: readonly number[];
	/** The names of the things that it asks for, see `FuzzItem.things`. */
	readonly things: readonly string[];
	/** The channel that it goes through, where items choose one. */
	readonly channel?: string;
	/** Requests in one lane are sent one after the other. */
	readonly lane: string;
	/** The same in every try, where the operation has one. */
	readonly packageId?: string;
	/** What the output shows after the usual answer. */
	readonly shows: Readonly<Record<string, unknown>>;
}

/** One operation. */
export interface Kind {
	readonly id: OperationId;
	/** Whether repeating it does harm, so that a request in doubt is not repeated unless the user chose so. */
	readonly isOnceOnly: boolean;
	/** Whether several items share requests. Other operations have the option Ordering instead. */
	readonly sharesCalls: boolean;
	readonly hasOnceKeys: boolean;
	/** Makes one item from its index. */
	item(isKeyed: boolean): fc.Arbitrary<(index: number) => FuzzItem>;
	/**
	 * The node's parameters, options aside.
	 *
	 * @param execution the number that its requests carry
	 */
	parameters(execution: number): INodeParameters;
	/**
	 * What a request asks for that conforms to the API description, or what is wrong with it.
	 *
	 * @param path the ids in its path
	 */
	read(body: unknown, path: Readonly<Record<string, string>>, items: readonly FuzzItem[]): Asked | string[];
	/** The usual answer. */
	reply(body: unknown): IDataObject;
}

/** Other fields of items. */
export const more: fc.Arbitrary<Record<string, unknown>> = weighted(
	[8, fc.constant({})],
	[1, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })],
);

/** An item's fields, without those that have no value. */
export function fields(all: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
