import type { IDataObject } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';
import { HIDDEN_SECRET } from '../shared/text';

/**
 * Masks credentials of other systems: those of the receiver in an outbox entry, which holds the whole request to the
 * receiver with its headers, and those in the parameters of a channel.
 */

/** Names of headers, fields and query parameters that hold a credential. */
const SECRET =
	'(?:authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|signature|(?:api|access|functions|private|shared|subscription)[-_]?key)';

const NAMED = new RegExp(SECRET, 'i');

const NAME = `${SECRET}[\\w-]{0,40}`;
const COLON = '\\s{0,4}:\\s{0,4}';

/** Credentials in a text such as a curl command. The first group comes before the credential and is kept. */
const IN_TEXT: readonly RegExp[] = [
	// https://user:password@host
	/(:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*(?=@)/g,
	// -u user:password
	/(\s(?:-u|--user|-U|--proxy-user|-b|--cookie|--oauth2-bearer)[\s=]{1,4})(?:'[^']*'|"[^"]*"|[^\s'"]+)/g,
	// 'Authorization: Bearer ...'
	new RegExp(`((["'])[\\w-]{0,40}?${NAME}${COLON})(?:(?!\\2)[^\\\\]|\\\\[^])+`, 'gi'),
	// "password": "...", and the same in JSON that is a text in JSON
	new RegExp(`(${NAME}(\\\\{0,4})["']${COLON}\\2")[^]*?(?=(?<!\\\\)\\2"|$)`, 'gi'),
	// Authorization: Bearer ... and "password": 1234
	new RegExp(`(${NAME}["']?${COLON})[^"'\\\\\\s{[][^"'\\r\\n]*`, 'gi'),
	// ?token=...
	new RegExp(`((?:${NAME}|[?&](?:key|sig))=)[^&\\s"'\\\\]+`, 'gi'),
	// <password>...
	new RegExp(`(<[\\w:-]{0,40}?${NAME}>)[^<]+`, 'gi'),
];

/** A record with the credentials in these fields masked. */
export function withoutCredentials(record: IDataObject, fields: readonly string[]): IDataObject {
	const masked = { ...record };
	for (const name of fields) {
		if (name in masked) masked[name] = withoutSecrets(masked[name]) as IDataObject['value'];
	}
	return masked;
}

function withoutSecrets(value: unknown): unknown {
	if (typeof value === 'string') {
		const masked = (_: string, before: string): string => before + HIDDEN_SECRET;
		return IN_TEXT.reduce((text, pattern) => text.replace(pattern, masked), value);
	}
	if (Array.isArray(value)) {
		// A header as a pair: ["Authorization", "Bearer ..."].
		const isPair = value.length === 2 && isSecretName(value[0]) && typeof value[1] === 'string';
		return isPair ? [value[0], HIDDEN_SECRET] : value.map(withoutSecrets);
	}
	if (!isPlainObject(value)) return value;
	// A header as an object: { name: "Authorization", value: "Bearer ..." }.
	const entries = Object.entries(value);
	const isSecret = entries.some(([field, content]) => /^(?:name|key)$/i.test(field) && isSecretName(content));
	return Object.fromEntries(
		entries.map(([field, content]) =>
			NAMED.test(field) || (isSecret && /^values?$/i.test(field))
				? [field, maskedValue(content)]
				: [field, withoutSecrets(content)],
		),
	);
}

function isSecretName(name: unknown): boolean {
	return typeof name === 'string' && /^[\w-]{1,100}$/.test(name) && NAMED.test(name);
}

/** The masked value of a field whose name denotes a credential. An empty value stays empty. */
function maskedValue(content: unknown): unknown {
	return content === null || content === '' || typeof content === 'boolean' ? content : HIDDEN_SECRET;
}
