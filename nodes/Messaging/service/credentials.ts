import type { JsonObject } from '../shared/json';
import { HIDDEN_SECRET } from '../shared/masks';

/**
 * Recognizes credentials of other systems: those of the receiver in an outbox entry, which holds the whole request to the
 * receiver with its headers, and those in the parameters of a channel.
 */

/** Fields, in any record, with a request to another system or with the settings for one. */
const FOREIGN = /^(?:parameters|curlCommand|requestMetamodel)$/i;

/** Names of an outbox entry. Its "url" is that of a receiver. */
const OF_ENTRY = ['httpSenderOutboxEntryId', 'curlCommand', 'requestMetamodel'];

/** Whether what is in this field of a record may hold credentials of other systems. */
export function isForeign(name: string, record: JsonObject): boolean {
	return FOREIGN.test(name) || (name === 'url' && OF_ENTRY.some((own) => own in record));
}

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

/** A text, such as a curl command, with the credentials in it masked. */
export function withoutCredentials(text: string): string {
	// A plain word has none, and a list of channels has many of them.
	if (!/[\s:=<]/.test(text)) return text;
	const masked = (_: string, before: string): string => before + HIDDEN_SECRET;
	return IN_TEXT.reduce((rest, pattern) => rest.replace(pattern, masked), text);
}

/**
 * Whether a member of a list or an object is a credential, by its name. A header may also be a pair, or an object:
 * `["Authorization", "Bearer ..."]`, `{ name: "Authorization", value: "Bearer ..." }`.
 */
export function isCredential(name: string, value: unknown, whole: object): boolean {
	// An empty one stays, and so does a switch.
	if (value === null || value === '' || typeof value === 'boolean') return false;
	if (Array.isArray(whole)) {
		return name === '1' && whole.length === 2 && typeof value === 'string' && isCredentialName(whole[0]);
	}
	if (NAMED.test(name)) return true;
	const isHeader = ([field, content]: [string, unknown]): boolean =>
		/^(?:name|key)$/i.test(field) && isCredentialName(content);
	return /^values?$/i.test(name) && Object.entries(whole).some(isHeader);
}

function isCredentialName(name: unknown): boolean {
	return typeof name === 'string' && /^[\w-]{1,100}$/.test(name) && NAMED.test(name);
}
