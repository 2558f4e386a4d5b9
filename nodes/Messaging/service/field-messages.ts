import { isPlainObject, type JsonObject } from '../shared/json';
import { asSentence, cut } from '../shared/text';

/** What the service says about one field of a request. */
export interface FieldMessage {
	/** Where the field stands, such as `content.to.email`; '' when the service does not say. */
	path: string;
	message: string;
}

/** How many fields an error names. */
const MOST_FIELDS = 10;

/** How much of a path and of a message it shows, in characters. */
const LONGEST = 200;

/** The members of an entry that name its field, and those that give the message; in lower case, the best first. */
const FIELD_NAMES = ['field', 'path', 'pointer', 'property', 'propertyname', 'parameter', 'name', 'source'];
const MESSAGE_NAMES = ['message', 'detail', 'reason', 'description', 'errormessage', 'error', 'title'];

/**
 * What an error body says about single fields, as far as an error can show it. The interface shows title and detail
 * only; this reads the two usual ways to say more, both under `errors`: a map from fields to messages (ASP.NET), and a
 * list of objects that name a field and give a message (RFC 9457, JSON:API).
 */
export function fieldMessagesOf(body: unknown): FieldMessage[] {
	const errors = isPlainObject(body) ? (body.errors ?? body.Errors) : undefined;
	const found: FieldMessage[] = [];
	const add = (path: string, message: string): void => {
		const line = shortened(message);
		if (line !== '') found.push({ path: pathOf(path), message: line });
	};
	// With one more than is shown it is known that there are more.
	if (Array.isArray(errors)) {
		for (const entry of errors.slice(0, MOST_FIELDS + 1) as unknown[]) {
			if (isPlainObject(entry)) add(textIn(entry, FIELD_NAMES), textIn(entry, MESSAGE_NAMES));
			else add('', textOf(entry));
		}
	} else if (isPlainObject(errors)) {
		for (const [name, said] of Object.entries(errors).slice(0, MOST_FIELDS + 1)) {
			const messages: unknown[] = Array.isArray(said) ? said.slice(0, MOST_FIELDS + 1) : [said];
			for (const message of messages) {
				add(name, isPlainObject(message) ? textIn(message, MESSAGE_NAMES) : textOf(message));
			}
		}
	}
	return found;
}

/**
 * The same as sentences, '' when there are none.
 *
 * @param nameOf what the user knows a field by
 */
export function fieldText(messages: readonly FieldMessage[], nameOf: (path: string) => string): string {
	const sentences = messages.slice(0, MOST_FIELDS).map(({ path, message }) => {
		const words = asSentence(message);
		return path === '' ? words : `${shortened(nameOf(path))}: ${words}`;
	});
	return [...sentences, ...(messages.length > MOST_FIELDS ? ['And more.'] : [])].join(' ');
}

/** The text of the first of these members that has some; '' when none has. */
function textIn(entry: JsonObject, names: readonly string[]): string {
	const texts = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), textOf(value)]));
	return names.map((name) => texts.get(name) ?? '').find((text) => text !== '') ?? '';
}

/** Text as it is, that of `{ pointer }` and `{ parameter }`, and '' of anything else. */
function textOf(value: unknown): string {
	const text = isPlainObject(value) ? (value.pointer ?? value.parameter) : value;
	return typeof text === 'string' ? text.trim() : '';
}

/** A path with dots, from one with dots, a JSON path (`$.content['to']`) or a JSON pointer (`#/content/to`). */
function pathOf(name: string): string {
	const path = cut(name, LONGEST);
	if (/^#?\//.test(path)) return path.replace(/^#?\//, '').replaceAll('/', '.');
	return path
		.replace(/\[['"]?([^\]'"]*)['"]?\]/g, '.$1')
		.replace(/^\$/, '')
		.replace(/^\./, '');
}

/** One line of a bearable length. */
function shortened(text: string): string {
	return cut(
		cut(text, 2 * LONGEST)
			.replace(/\s+/g, ' ')
			.trim(),
		LONGEST,
	);
}
