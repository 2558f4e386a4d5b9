import { HIDDEN_SECRET } from '../shared/masks';

/** What is hidden of the credentials of other systems: of the receiver in an outbox entry, and of a channel's own. */

/** Fields with a whole request to a receiver. It may hold credentials anywhere. */
const REQUEST = /^(?:curlCommand|requestMetamodel)$/i;
const REQUEST_HIDDEN = 'Hidden, because it may hold credentials. Turn on the option Include Token to see it.';

/** Fields with the settings of another system, or with its address. */
export const SETTINGS = /^(?:parameters|url)$/i;

/** Names of fields and headers that hold a credential. A `key` alone may be a name, and a keyword is public. */
const SECRET =
	/authorization|cookie|passw(?:or)?d|passphrase|pass(?![a-z])|pwd|secret|token|credential|signature|[a-z\d][-_]?key(?!word)/i;

/**
 * What is shown in place of a member of an object or a list; `undefined` if that is its value. Of settings, members named
 * after secrets are hidden. The name of a header may also stand beside its value (`{ name: "Cookie", value: "a=b" }`), or
 * before it (`["Cookie", "a=b"]`).
 */
export function inPlaceOf(
	name: string,
	value: unknown,
	whole: object,
	isSetting: boolean,
): string | undefined {
	// An empty one stays, and so does a switch.
	if (value === null || value === '' || typeof value === 'boolean') return undefined;
	if (REQUEST.test(name)) return REQUEST_HIDDEN;
	if (!isSetting) return undefined;
	// Few spellings, because each reads the whole object.
	const isPair = /^(?:[Vv]alues?|VALUES?)$/.test(name);
	const names = Array.isArray(whole) ? [whole[Number(name) - 1]] : isPair ? Object.values(whole) : [];
	return SECRET.test(name) || names.some(isSecretName) ? HIDDEN_SECRET : undefined;
}

function isSecretName(name: unknown): boolean {
	return typeof name === 'string' && /^[\w-]{1,100}$/.test(name) && SECRET.test(name);
}

/** A text without the login in an address: https://user:password@host. */
export function withoutLogin(text: string): string {
	return text.replace(/(:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*(?=@)/g, `$1${HIDDEN_SECRET}`);
}
