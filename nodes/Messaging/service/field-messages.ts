import { isPlainObject } from '../shared/json';
import { asSentence, cut } from '../shared/text';

/** How many fields an error lists, and how many characters of each are shown. */
const MOST_MESSAGES = 10;
const LONGEST = 200;

/**
 * What an error body says about single fields, as sentences, or ''. The interface describes only title and detail. This
 * reads two common extensions, both under `errors`: a map from fields to messages (ASP.NET), and a list of objects with
 * a field and a message (RFC 9457, JSON:API).
 */
export function fieldText(body: unknown): string {
	const errors = isPlainObject(body) ? (body.errors ?? body.Errors) : undefined;
	const entries = isPlainObject(errors)
		? Object.entries(errors).map(([name, message]) => ({ name, message }))
		: [errors ?? []].flat();
	return entries
		.slice(0, MOST_MESSAGES)
		.flatMap((entry: unknown) => {
			const {
				name,
				field = name,
				pointer = field,
				message,
				detail = message,
			} = (isPlainObject(entry) ? entry : { detail: entry }) as Record<string, unknown>;
			const text = onOneLine([detail].flat()[0]);
			const path = onOneLine(pointer)
				.split(/[./#[\]$'"]+/)
				.filter(Boolean)
				.join('.');
			return text === '' ? [] : [`${path === '' ? '' : `${path}: `}${asSentence(text)}`];
		})
		.join(' ');
}

function onOneLine(text: unknown): string {
	return typeof text === 'string' ? cut(text.replace(/\s+/g, ' ').trim(), LONGEST) : '';
}
