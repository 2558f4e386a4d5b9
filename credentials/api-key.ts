import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

/** The header that the service reads the key from. */
const KEY_HEADER = 'X-API-KEY';

/**
 * What nobody sees in a key and no key has: spaces of all kinds, line breaks, control characters, zero-width and other
 * ignorable characters. They come along when a key is pasted.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** The key of a credential as it goes on the wire, without what is UNSEEN in it; '' when there is none. */
export function keyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	return typeof apiKey === 'string' ? apiKey.replace(UNSEEN, '') : '';
}

/** The request with the key in its header. The headers are new ones: the key never stands in those of the caller. */
export async function addKey(
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return { ...options, headers: { ...options.headers, [KEY_HEADER]: keyOf(credentials) } };
}
