import type { ToolInput } from '../agent/tool-input';
import type { NamedLists } from './by-name';

/** What the items of a run share. */
export interface SharedByItems {
	/** What was found right in the node as saved: it is checked once. */
	readonly checked?: Set<string>;
	/** The lists in which the mode By Name of a field finds an ID; those that the node needs. */
	readonly named?: NamedLists;
	/** Takes what is sent and may not be meant, a sentence. */
	note?(text: string): void;
}

/** The values of an item's parameters. */
export interface ParameterSource extends SharedByItems {
	/** The value of a top-level parameter for this item, expressions resolved. It may be read several times. */
	read(name: string): unknown;
	/**
	 * A parameter as saved in the workflow, expressions not resolved; `undefined` if there is none at this path.
	 *
	 * @param path `options.onceKey` is a member of a collection, `toRows.values.0.name` one of a row
	 */
	unresolved?(path: string): unknown;
	/** Resolves a text with expressions for this item, as n8n does for a parameter. */
	resolve?(text: string): unknown;
	/** The names of the item's fields; none in an empty item, as n8n's Always Output Data gives it. */
	readonly itemFields?: readonly string[];
	/** IANA name of the workflow's time zone. */
	readonly timezone: string;
	readonly caller: Caller;
}

/** Who calls the operation, and what the call has of its own. */
export interface Caller {
	/** A UUID for this item, the same in every try of this execution. */
	readonly callId: string;
	/** The link where this item's question is answered, valid in this execution only; in operations that wait. */
	readonly answerLink?: string;
	/** Whether all notes are wanted, also those that take long. */
	readonly wantsAllNotes?: boolean;
	/** Whether an AI agent calls, so that a model may have filled in values. */
	readonly isTool?: boolean;
	/** What the agent calls with; a reviewer has this, too. */
	readonly toolInput?: ToolInput | undefined;
}
