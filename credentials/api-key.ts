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

/** The request with the key in its header. The caller's headers are copied, so they never contain the key. */
export async function addKey(
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return { ...options, headers: { ...options.headers, [KEY_HEADER]: keyOf(credentials) } };
}
