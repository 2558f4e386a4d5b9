import { HIDDEN_SECRET } from '../shared/masks';

/** What is hidden of the credentials of other systems: of the receiver in an outbox entry, and of a channel's own. */

/** Fields with a whole request to a receiver, which may hold credentials anywhere. */
const REQUEST = /^(?:curlCommand|requestMetamodel)$/i;
/** What is shown in place of one. */
const REQUEST_HIDDEN = 'Hidden, because it may hold credentials. The option Include Token shows it.';

/** Fields with settings of other systems, and with their address. */
export const SETTINGS = /^(?:parameters|url)$/i;

/** Names of fields and headers that hold a credential. */
const SECRET =
	/authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|signature|(?:api|access|functions|private|shared|subscription)[-_]?key/i;

const isSecretName = (name: unknown): boolean =>
	typeof name === 'string' && name.length <= 100 && SECRET.test(name);

/** What is shown in place of a field of a record; `undefined` if that is its value. */
export function inPlaceOf(name: string, value: unknown): string | undefined {
	return REQUEST.test(name) && value !== null && value !== '' ? REQUEST_HIDDEN : undefined;
}

/**
 * Whether a member of settings is a secret, by its name: `password`, or that of a header, which stands before its value
 * (`["Cookie", "a=b"]`) or beside it (`{ name: "Cookie", value: "a=b" }`).
 */
export function isSecret(name: string, value: unknown, whole: object): boolean {
	// An empty one stays, and so does a switch.
	if (value === null || value === '' || typeof value === 'boolean') return false;
	if (Array.isArray(whole)) return isSecretName(whole[Number(name) - 1]);
	return SECRET.test(name) || (/^values?$/i.test(name) && Object.values(whole).some(isSecretName));
}

/** An address without the login in it: https://user:password@host. */
export function withoutLogin(text: string): string {
	return text.replace(/(:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*(?=@)/g, `$1${HIDDEN_SECRET}`);
}
