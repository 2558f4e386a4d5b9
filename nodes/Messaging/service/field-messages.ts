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
 *
 * @param nameOf the name by which the user knows a field
 */
export function fieldText(body: unknown, nameOf: (path: string) => string): string {
	const errors = isPlainObject(body) ? (body.errors ?? body.Errors) : undefined;
	// One more than is shown, to know whether there are more.
	const entries = entriesOf(errors).slice(0, MOST_MESSAGES + 1);
	const sentences = entries.flatMap(([field, entry]) => {
		const message = onOneLine(textIn(entry, MESSAGE_NAMES));
		if (message === '') return [];
		const path = pathOf(field);
		return `${path === '' ? '' : `${onOneLine(nameOf(path))}: `}${asSentence(message)}`;
	});
	const rest = sentences.length > MOST_MESSAGES ? ['And more.'] : [];
	return [...sentences.slice(0, MOST_MESSAGES), ...rest].join(' ');
}

/** The field of each entry, and what has its message. */
function entriesOf(errors: unknown): Array<[field: string, entry: unknown]> {
	if (Array.isArray(errors)) {
		return errors.map((entry: unknown) => [isPlainObject(entry) ? textIn(entry, FIELD_NAMES) : '', entry]);
	}
	return Object.entries(isPlainObject(errors) ? errors : {}).flatMap(([name, entries]) =>
		[entries].flat().map((entry): [string, unknown] => [name, entry]),
	);
}

/** A text, or the text of the first of an object's members that has one; '' if there is none. */
function textIn(entry: unknown, names: readonly string[]): string {
	if (typeof entry === 'string') return entry.trim();
	if (!isPlainObject(entry)) return '';
	const members = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
	// JSON:API has `source: { pointer }`.
	return names.map((name) => textIn(members.get(name), ['pointer', 'parameter'])).find(Boolean) ?? '';
}

/** A path with dots, made from one with dots, a JSON path (`$.content['to']`) or a JSON pointer (`#/content/to`). */
function pathOf(name: string): string {
	const path = cut(name, LONGEST);
	if (/^#?\//.test(path)) return path.replace(/^#?\//, '').replaceAll('/', '.');
	return path
		.replace(/\[['"]?([^\]'"]*)['"]?\]/g, '.$1')
		.replace(/^\$/, '')
		.replace(/^\./, '');
}

function onOneLine(text: string): string {
	return cut(text.replace(/\s+/g, ' ').trim(), LONGEST);
}
