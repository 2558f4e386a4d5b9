import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

/** The credential's name in saved workflows. */
export const CREDENTIAL_TYPE = 'messagingApi';

/** The page that explains the credential. */
export const CREDENTIAL_DOCUMENTATION =
	'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/first-message.md#credential';

/** The header that the service reads the key from. */
const KEY_HEADER = 'X-API-KEY';

/**
 * Characters that get into a pasted key unnoticed and are never part of one: spaces of all kinds, line breaks, control
 * characters, zero-width and other ignorable characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** The key of a credential without UNSEEN characters; '' when there is none. */
export function keyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	return typeof apiKey === 'string' ? apiKey.replace(UNSEEN, '') : '';
}

/**
 * A name that a header can have, without those that belong to the key, to the body or to the connection, and those that n8n
 * can't send: axios keeps other things under them, or drops them, and Node refuses a trailer.
 */
const HEADER_NAME =
	/^(?!(?:x-api-key|host|accept|content-.*|transfer-encoding|connection|expect|trailer|set-cookie|common|delete|get|head|patch|post|put|query|__proto__|constructor|prototype)$)[\w!#$%&'*+.^`|~-]+$/i;

const trimmed = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The header that a credential adds for a gateway in front of the service, as it was entered; none if switched off. */
function customHeader(
	credentials: ICredentialDataDecryptedObject,
): ReadonlyArray<readonly [name: string, value: string]> {
	const { header, headerName, headerValue } = credentials;
	return header === true ? [[trimmed(headerName), trimmed(headerValue)]] : [];
}

/**
 * Why the custom header of a credential can't be sent, and what to do; `undefined` if it can. Does not repeat what was
 * entered: it may be a key in the wrong field.
 *
 * Source: RFC 9110, 5.1 and 5.5
 */
export function headerProblem(
	credentials: ICredentialDataDecryptedObject,
): readonly [message: string, advice: string] | undefined {
	const orNone = 'If no gateway in front of the service asks for a header, turn off Add Custom Header.';
	for (const [name, value] of customHeader(credentials)) {
		if (!HEADER_NAME.test(name)) {
			return [
				'The Header Name in the credential is not one that can be added',
				`Enter only the name that the gateway asks for, such as Ocp-Apim-Subscription-Key, without a colon. X-API-KEY, Host, Accept, Content-..., Transfer-Encoding and Connection are set by n8n and this package, and n8n can't send headers named after a method, such as get, nor Trailer, Expect and Set-Cookie. ${orNone}`,
			];
		}
		if (!/^[ -~]+$/.test(value)) {
			return [
				'The Header Value in the credential is empty, or has a character that headers do not have',
				`Copy the whole value into the credential again, without line breaks. ${orNone}`,
			];
		}
	}
	return undefined;
}

/**
 * What must not be shown of a credential: its key, and the value of its custom header. A gateway may also repeat the
 * token in that value without the word before it, such as "Bearer". What is very short is no secret, but a word or
 * number that many texts contain.
 */
export function secretsOf(credentials: ICredentialDataDecryptedObject): string[] {
	const inHeader = customHeader(credentials).flatMap(([, value]) => [value, value.replace(/^.*\s/, '')]);
	return [keyOf(credentials), ...inHeader.filter(({ length }) => length > 3)];
}

/**
 * The request with the key and the custom header. The caller's headers are copied, so they never contain the key.
 *
 * @throws if the custom header can't be sent
 */
export async function addKey(
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const problem = headerProblem(credentials);
	if (problem !== undefined) throw new Error(problem.join('. '));
	const own = [...customHeader(credentials), [KEY_HEADER, keyOf(credentials)] as const];
	return { ...options, headers: { ...options.headers, ...Object.fromEntries(own) } };
}
