import { Effort } from '../json/effort';
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
/** How many members of lists and objects are looked at for what an error can name. */
const MOST_MEMBERS = 5_000;
/** The longest name of a member that says what it holds. */
const LONGEST_NAME = 100;

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
	const search: Search = { found: [], effort: new Effort(MOST_MEMBERS) };
	for (const name of isPlainObject(body) ? Object.keys(body) : []) {
		if (isOver(search)) break;
		const isHolder = name.length <= LONGEST_NAME && HOLDERS.has(name.toLowerCase().replace(/[^a-z]/g, ''));
		if (isHolder) collect((body as JsonObject)[name], '', search, 0);
	}
	return search.found;
}

/** What has been found, and how many members may still be looked at. */
interface Search {
	readonly found: FieldMessage[];
	readonly effort: Effort;
}

function isOver({ found, effort }: Search): boolean {
	return found.length > MOST_FIELDS || effort.spent;
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

function collect(value: unknown, path: string, search: Search, depth: number): void {
	if (isOver(search) || depth > MAX_DEPTH) return;
	if (typeof value === 'string') {
		const message = shortened(value);
		if (message !== '') search.found.push({ path, message });
	} else if (Array.isArray(value)) {
		for (const entry of value) {
			if (isOver(search)) return;
			search.effort.spend(1);
			collectEntry(entry, path, search, depth);
		}
	} else if (isPlainObject(value)) {
		for (const name of Object.keys(value)) {
			if (isOver(search)) return;
			search.effort.spend(1);
			collectEntry(value[name], joined(path, pathOf(name)), search, depth);
		}
	}
}

/** An object that gives a message is about the field that it names; any other holds messages itself. */
function collectEntry(entry: unknown, path: string, search: Search, depth: number): void {
	const texts = isPlainObject(entry) ? textsIn(entry, search) : new Map<string, string>();
	const message = firstOf(texts, MESSAGE_NAMES);
	if (message === '') return collect(entry, path, search, depth + 1);
	search.found.push({
		path: joined(path, pathOf(firstOf(texts, FIELD_NAMES))),
		message: shortened(message),
	});
}

/** The texts of an object by their names in lower case; of several with one name, the first. */
function textsIn(entry: JsonObject, search: Search): Map<string, string> {
	const values = new Map<string, unknown>();
	for (const name of Object.keys(entry)) {
		if (isOver(search)) break;
		search.effort.spend(1);
		const plain = name.length <= LONGEST_NAME ? name.toLowerCase() : name;
		if (!values.has(plain)) values.set(plain, entry[name]);
	}
	const texts = new Map<string, string>();
	for (const [name, value] of values) {
		const text = isPlainObject(value) ? (value.pointer ?? value.parameter) : value;
		if (typeof text === 'string' && text.trim() !== '') texts.set(name, text);
	}
	return texts;
}

function firstOf(texts: ReadonlyMap<string, string>, names: readonly string[]): string {
	const name = names.find((each) => texts.has(each.toLowerCase()));
	return name === undefined ? '' : (texts.get(name.toLowerCase()) ?? '');
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
