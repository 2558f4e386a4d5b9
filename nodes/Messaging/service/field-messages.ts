import { isPlainObject, type JsonObject } from '../json/plain-object';
import { cut } from '../text/cut';
import { asSentence, isolated } from '../text/readable';

/** What the service says about one field of a request. */
export interface FieldMessage {
	/** Where the field stands, such as `content.to.email`; '' when the service does not say. */
	path: string;
	message: string;
}

/** How many fields an error names, and how much of what is said about one. */
const MOST_FIELDS = 10;
const MOST_CHARACTERS = 200;
/** How deep a map of errors may be nested: `{ content: { to: { email: [...] } } }`. */
const MAX_DEPTH = 6;

/** The members of an error body that tell of fields, without case and hyphens. */
const HOLDERS: ReadonlySet<string> = new Set([
	'errors',
	'fielderrors',
	'invalidparams',
	'modelstate',
	'validationerrors',
	'violations',
]);
const FIELD_NAMES = [
	'field',
	'path',
	'pointer',
	'property',
	'propertyName',
	'parameter',
	'param',
	'name',
	'source',
];
const MESSAGE_NAMES = ['message', 'detail', 'reason', 'description', 'errorMessage', 'error', 'msg', 'title'];

/**
 * What an error body says about single fields, as far as an error can show it. The interface shows title and detail
 * only; these are the usual ways to say more: a map from fields to messages (ASP.NET's `errors`), or a list of objects
 * that name a field and give a message (RFC 9457, JSON:API).
 */
export function fieldMessagesOf(body: unknown): FieldMessage[] {
	const found: FieldMessage[] = [];
	for (const [name, value] of Object.entries(isPlainObject(body) ? body : {})) {
		if (HOLDERS.has(name.toLowerCase().replace(/[^a-z]/g, ''))) collect(value, '', found, 0);
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
		const words = isolated(asSentence(message));
		return path === '' ? words : `${isolated(shortened(nameOf(path)))}: ${words}`;
	});
	return [...sentences, ...(messages.length > MOST_FIELDS ? ['And more.'] : [])].join(' ');
}

function collect(value: unknown, path: string, found: FieldMessage[], depth: number): void {
	if (found.length > MOST_FIELDS || depth > MAX_DEPTH) return;
	if (typeof value === 'string') {
		const message = shortened(value);
		if (message !== '') found.push({ path, message });
	} else if (Array.isArray(value)) {
		for (const entry of value) {
			if (found.length > MOST_FIELDS) return;
			collectEntry(entry, path, found, depth);
		}
	} else if (isPlainObject(value)) {
		for (const [name, member] of Object.entries(value)) {
			if (found.length > MOST_FIELDS) return;
			collectEntry(member, joined(path, pathOf(name)), found, depth);
		}
	}
}

/** An object that gives a message is about the field that it names; any other holds messages itself. */
function collectEntry(entry: unknown, path: string, found: FieldMessage[], depth: number): void {
	const message = isPlainObject(entry) ? textAt(entry, MESSAGE_NAMES) : '';
	if (!isPlainObject(entry) || message === '') collect(entry, path, found, depth + 1);
	else found.push({ path: joined(path, pathOf(textAt(entry, FIELD_NAMES))), message: shortened(message) });
}

function textAt(entry: JsonObject, names: readonly string[]): string {
	for (const name of names) {
		const value = Object.entries(entry).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
		const text = isPlainObject(value) ? (value.pointer ?? value.parameter) : value;
		if (typeof text === 'string' && text.trim() !== '') return text;
	}
	return '';
}

/** A path with dots, from one with dots, a JSON path (`$.content['to']`) or a JSON pointer (`#/content/to`). */
function pathOf(name: string): string {
	const path = cut(name, MOST_CHARACTERS);
	if (/^#?\//.test(path)) return path.replace(/^#?\//, '').replaceAll('/', '.');
	return path
		.replace(/\[['"]?([^\]'"]*)['"]?\]/g, '.$1')
		.replace(/^\$/, '')
		.replace(/^\./, '');
}

function joined(path: string, name: string): string {
	return [path, name].filter((part) => part !== '').join('.');
}

function shortened(text: string): string {
	// What is far too long is not read whole.
	const line = cut(text, 2 * MOST_CHARACTERS)
		.replace(/\s+/g, ' ')
		.trim();
	return cut(line, MOST_CHARACTERS);
}
