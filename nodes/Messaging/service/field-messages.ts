import { isPlainObject } from '../shared/json';
import { asSentence, cut } from '../shared/text';

/** How many fields an error lists. */
const MOST_MESSAGES = 10;

/** How many characters of a path and of a message are shown. */
const LONGEST = 200;

/** Names, in lower case, under which an entry may have its field, and its message; the best first. */
const FIELD_NAMES = ['field', 'path', 'pointer', 'property', 'propertyname', 'parameter', 'name', 'source'];
const MESSAGE_NAMES = ['message', 'detail', 'reason', 'description', 'errormessage', 'error', 'title'];

/**
 * What an error body says about single fields, as sentences, or ''. The interface describes only title and detail. This
 * reads two common extensions, both under `errors`: a map from fields to messages (ASP.NET), and a list of objects with
 * a field and a message (RFC 9457, JSON:API).
 */
export function fieldText(body: unknown, nameOf: (path: string) => string): string {
	// One more than is shown, to know whether there are more.
	const entries = entriesOf(memberOf(body, 'errors')).slice(0, MOST_MESSAGES + 1);
	const sentences = entries.flatMap(([field, entry]) => {
		const message = onOneLine(textIn(entry, MESSAGE_NAMES));
		if (message === '') return [];
		const path = dottedPath(field ?? (isPlainObject(entry) ? textIn(entry, FIELD_NAMES) : ''));
		return `${path === '' ? '' : `${onOneLine(nameOf(path))}: `}${asSentence(message)}`;
	});
	const rest = sentences.length > MOST_MESSAGES ? ['And more.'] : [];
	return [...sentences.slice(0, MOST_MESSAGES), ...rest].join(' ');
}

/** What the first of the `errors` in an error body says, or of a list that is the body; '' if there is none. */
export function firstMessage(body: unknown): string {
	const [first] = entriesOf(Array.isArray(body) ? body : memberOf(body, 'errors'));
	return textIn(first?.[1], MESSAGE_NAMES);
}

/** The field of each entry, if it is not in the entry itself, and what has its message. */
function entriesOf(errors: unknown): Array<[field: string | undefined, entry: unknown]> {
	if (Array.isArray(errors)) return errors.map((entry: unknown) => [undefined, entry]);
	if (typeof errors === 'string') return [['', errors]];
	return Object.entries(isPlainObject(errors) ? errors : {}).flatMap(([name, entries]) =>
		[entries].flat().map((entry): [string, unknown] => [name, entry]),
	);
}

/** A text, or the text of the first of an object's members that has one; '' if there is none. Of a list, the first. */
export function textIn(entry: unknown, names: readonly string[]): string {
	if (typeof entry === 'string') return entry.trim();
	if (Array.isArray(entry)) return textIn(entry[0], names);
	if (!isPlainObject(entry)) return '';
	// JSON:API has `source: { pointer }`, others `error: { message }`, gateways `fault: { faultstring }`.
	const inner = ['pointer', 'parameter', 'message', 'faultstring', 'description'];
	return names.map((name) => textIn(memberOf(entry, name), inner)).find(Boolean) ?? '';
}

/** The member with this name, in any case of letters. */
function memberOf(entry: unknown, name: string): unknown {
	return Object.entries(isPlainObject(entry) ? entry : {}).find(([own]) => own.toLowerCase() === name)?.[1];
}

/** A path with dots, made from one with dots, a JSON path (`$.content['to']`) or a JSON pointer (`#/content/to`). */
function dottedPath(name: string): string {
	const parts = cut(name, LONGEST)
		.replace(/[$#'"\]]/g, '')
		.split(/[./[]/);
	return parts.filter(Boolean).join('.');
}

function onOneLine(text: string): string {
	return cut(text.replace(/\s+/g, ' ').trim(), LONGEST);
}
