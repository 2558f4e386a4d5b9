import { isPlainObject, type JsonObject } from '../shared/json';
import { asSentence, cut } from '../shared/text';

/** What the service says about one field of a request. */
export interface FieldMessage {
	/** The path of the field, such as `content.to.email`; '' when the service does not say. */
	path: string;
	message: string;
}

/** How many fields an error lists. */
const MOST_FIELDS = 10;

/** How many characters of a path and of a message are shown. */
const LONGEST = 200;

/** Names, in lower case, under which an entry may have its field, and its message; the best first. */
const FIELD_NAMES = ['field', 'path', 'pointer', 'property', 'propertyname', 'parameter', 'name', 'source'];
const MESSAGE_NAMES = ['message', 'detail', 'reason', 'description', 'errormessage', 'error', 'title'];

/**
 * What an error body says about single fields. The interface describes only title and detail. This reads two common
 * extensions, both under `errors`: a map from fields to messages (ASP.NET), and a list of objects with a field and a
 * message (RFC 9457, JSON:API).
 */
export function fieldMessagesOf(body: unknown): FieldMessage[] {
	const errors = isPlainObject(body) ? (body.errors ?? body.Errors) : undefined;
	const found: FieldMessage[] = [];
	const add = (path: string, message: string): void => {
		const line = shortened(message);
		if (line !== '') found.push({ path: pathOf(path), message: line });
	};
	// One more than is shown, to know whether there are more.
	if (Array.isArray(errors)) {
		for (const entry of errors.slice(0, MOST_FIELDS + 1) as unknown[]) {
			if (isPlainObject(entry)) add(textIn(entry, FIELD_NAMES), textIn(entry, MESSAGE_NAMES));
			else add('', wordsIn(entry));
		}
	} else if (isPlainObject(errors)) {
		for (const [name, said] of Object.entries(errors).slice(0, MOST_FIELDS + 1)) {
			const messages: unknown[] = Array.isArray(said) ? said.slice(0, MOST_FIELDS + 1) : [said];
			for (const message of messages) {
				add(name, isPlainObject(message) ? textIn(message, MESSAGE_NAMES) : wordsIn(message));
			}
		}
	}
	return found;
}

/**
 * The messages as sentences, or ''.
 *
 * @param nameOf the name by which the user knows a field
 */
export function fieldText(messages: readonly FieldMessage[], nameOf: (path: string) => string): string {
	const sentences = messages.slice(0, MOST_FIELDS).map(({ path, message }) => {
		const words = asSentence(message);
		return path === '' ? words : `${shortened(nameOf(path))}: ${words}`;
	});
	return [...sentences, ...(messages.length > MOST_FIELDS ? ['And more.'] : [])].join(' ');
}

/** The text of the first of these members that has one, or ''. */
function textIn(entry: JsonObject, names: readonly string[]): string {
	const texts = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), wordsIn(value)]));
	return names.map((name) => texts.get(name) ?? '').find((text) => text !== '') ?? '';
}

/** A text, or the text in `{ pointer }` or `{ parameter }`; '' for anything else. */
function wordsIn(value: unknown): string {
	const text = isPlainObject(value) ? (value.pointer ?? value.parameter) : value;
	return typeof text === 'string' ? text.trim() : '';
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

/** Text on one line and of limited length. */
function shortened(text: string): string {
	return cut(
		cut(text, 2 * LONGEST)
			.replace(/\s+/g, ' ')
			.trim(),
		LONGEST,
	);
}
