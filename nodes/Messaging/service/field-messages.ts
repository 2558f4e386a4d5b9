import { isPlainObject } from '../shared/json';
import { asSentence, cut } from '../shared/text';

/** How many fields an error lists, and how many characters of each path and message are shown. */
const MOST_FIELDS = 10;
const LONGEST = 200;

/**
 * What an error body says about single fields, as sentences, or ''. The interface describes only title and detail. This
 * reads two common extensions, both under `errors`: a map from fields to messages (ASP.NET), and a list of objects with
 * a field and a message (RFC 9457, JSON:API).
 */
export function fieldText(body: unknown): string {
	const errors = isPlainObject(body) ? body.errors : undefined;
	const entries = isPlainObject(errors) ? Object.entries(errors) : listed(errors);
	const sentences = entries.slice(0, MOST_FIELDS).map(([field, message]) => sentence(field, message));
	return sentences.filter(Boolean).join(' ');
}

/** The field and the message of each entry of a list. */
function listed(errors: unknown): Array<readonly [field: unknown, message: unknown]> {
	const list: unknown[] = Array.isArray(errors) ? errors.slice(0, MOST_FIELDS) : [errors];
	return list.map((entry) =>
		isPlainObject(entry) ? [entry.pointer ?? entry.field, entry.detail ?? entry.message] : [undefined, entry],
	);
}

/** A path such as `$.content['to']` or `#/content/to` with dots, and what is said of it; '' if that is no text. */
function sentence(field: unknown, message: unknown): string {
	const said = onOneLine(Array.isArray(message) ? message[0] : message);
	const path = onOneLine(field)
		.split(/[./#[\]$'"]+/)
		.filter(Boolean)
		.join('.');
	if (said === '') return '';
	return asSentence(path === '' ? said : `${path}: ${said}`);
}

function onOneLine(text: unknown): string {
	return typeof text === 'string'
		? cut(
				text
					.trim()
					.slice(0, 2 * LONGEST)
					.replace(/\s+/g, ' '),
				LONGEST,
			)
		: '';
}
