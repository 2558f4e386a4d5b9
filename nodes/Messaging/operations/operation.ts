import type { IDataObject } from 'n8n-workflow';

import { Input } from '../input/input';
import type { ParameterSource } from '../input/parameter-source';
import type { Properties } from '../input/parameter-types';
import type { Question } from '../question/question';
import type { ApiCall, Effect } from '../service/api-call';

/** Operations are pure: they build calls and read answers. They send nothing. */

/** An operation, as the editor shows it and the rest of the node uses it; `P` are its fields. */
export interface Operation<P extends Properties = Properties> {
	/** The names of its resource and its own in saved workflows. */
	readonly resource: string;
	readonly name: string;
	/** Its label in the operation menu. */
	readonly displayName: string;
	/** Its text in the node panel: sentence case, a verb and a noun. */
	readonly action: string;
	readonly description: string;
	/** What its calls do, for the words and the advice of errors; or that the method says it: GET reads. */
	readonly effect: Effect | 'asMethod';
	readonly fields: P;
	/** Whether the execution waits for an answer after the calls. Each call then has a question. */
	readonly waits?: true;
	/** The operation of the same resource of which it shows what each item would do. It makes no call itself. */
	readonly previews?: string;
	/**
	 * The once key that the operation makes of an item itself, if the user wants that. A key that the user enters wins.
	 *
	 * @throws InvalidParameter when the item lacks a part of it
	 */
	onceKey?(source: ParameterSource): string | undefined;
	/**
	 * Turns one item's parameters into a call.
	 *
	 * @throws InvalidParameter when a parameter is invalid
	 */
	compile(source: ParameterSource): CompiledCall;
}

/** The call of one item, with everything needed to make it and to read its answer. */
export interface CompiledCall {
	readonly call: ApiCall;
	/** Calls in the same lane are sent one after the other, in item order. A call without a lane waits for no other. */
	readonly lane?: string;
	/** The id of the channel that it is for. What fails for one channel holds back the calls to that channel only. */
	readonly channel?: string;
	/**
	 * Turns the body of a success into the json of output items. The items of a list are made on demand.
	 *
	 * @param cut what the service sent of a list that says that it is not whole
	 * @param hint tells what the output leaves out, a sentence
	 */
	output(body: unknown, cut?: string, hint?: (text: string) => void): Iterable<IDataObject>;
	/** Fields of the output that need no answer; all of it if the item was sent before. */
	readonly ownFields?: IDataObject;
	/** When it expires, in milliseconds since 1970: after that, it is not sent. */
	readonly deadline?: number | undefined;
	/** The recipient of a message, as an error may show it. */
	readonly recipient?: string;
	/** What two items with the same once key must have in common, such as recipient and content, as text. */
	fingerprint?(): string;
	readonly before?: Lookup;
	/** Whether the output may contain the token of an API key. */
	readonly showToken?: boolean;
	/** Only in an operation that waits. */
	readonly question?: Question;
}

/** A request whose answer completes a call or stops it. It is made once per run, when the first call needs it. */
export interface Lookup {
	readonly call: ApiCall;
	/**
	 * Whether it is made for this call alone, right before it, to find one record: also in a part of a list. Its answer is
	 * not masked, and is not kept.
	 */
	readonly isPerCall?: true;
	/**
	 * The call completed with values from the answer.
	 *
	 * @throws InvalidParameter when the answer lacks a value, or shows that the call must not be made
	 */
	complete(body: unknown): CompiledCall;
}

/** An operation without its place in the menus. By default, its label is its name in words. */
export type DefinedOperation<P extends Properties = Properties> = Omit<
	Operation<P>,
	'resource' | 'name' | 'displayName'
> & { readonly displayName?: string };

/** Defines an operation, whose `compile` gets an input typed by the fields. */
export function defineOperation<const P extends Properties>(
	given: Omit<DefinedOperation<P>, 'compile' | 'onceKey'> & {
		onceKey?(input: Input<P>): string | undefined;
		compile(input: Input<P>): CompiledCall;
	},
): DefinedOperation {
	const { compile, fields, onceKey } = given;
	return {
		...given,
		onceKey: (source) => onceKey?.(new Input(fields, source)),
		compile: (source) => compile(new Input(fields, source)),
	};
}
