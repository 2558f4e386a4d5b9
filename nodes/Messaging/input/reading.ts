import { codesIn, Expressions } from './expressions';
import type { ParameterSource } from './parameter-source';

/**
 * What a field holds. A `message` is what a person reads; `other` are numbers, dates, switches and menus; `sent` is
 * everything in a request, wherever it comes from.
 */
export type Kind =
	| 'message'
	| 'text'
	| 'email'
	| 'address'
	| 'id'
	| 'path'
	| 'key'
	| 'json'
	| 'other'
	| 'sent';

/** The kinds of fields by their path in the node; all others have the kind of their type. */
const KINDS: ReadonlyArray<readonly [path: RegExp, kind: Kind]> = [
	[/^(?:text|newText|message)$/, 'message'],
	[/^toEmail$/, 'email'],
	[/^toRows\./, 'address'],
	[/^options\.onceKey$/, 'key'],
	[/^path$/, 'path'],
	[/(?:Ids?|ID)$/, 'id'],
];
const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
	string: 'text',
	resourceLocator: 'text',
	json: 'json',
	resourceMapper: 'json',
};

/**
 * The kind of a field.
 *
 * @param path where it is in the node: `additionalFields.correlationId`
 */
export function kindOf(path: string, type: string): Kind {
	return KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? KIND_OF_TYPE[type] ?? 'other';
}

/** A value as it was read, and where it comes from. */
export interface Reading {
	readonly value: unknown;
	/** The value, if it is a text, a number or a switch; otherwise ''. */
	readonly text: string;
	/** The value as saved in the workflow, expressions not resolved; `undefined` if that is not known. */
	readonly saved: unknown;
	/** Its expressions, if it has any. */
	readonly expressions: Expressions | undefined;
	/** Whether an AI agent calls. */
	readonly isTool: boolean;
}

/** A value as rules look at it. */
export function readingOf(value: unknown, saved?: unknown, source?: ParameterSource): Reading {
	const text = ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string}` : '';
	const hasCode = typeof saved === 'string' && codesIn(saved).length > 0;
	const expressions = hasCode && source !== undefined ? new Expressions(saved, text, source) : undefined;
	return { value, text, saved, expressions, isTool: source?.caller.isTool === true };
}
