/** The credential's name in saved workflows. */
export const CREDENTIAL_TYPE = 'messagingApi';

/** The page that explains the credential. */
export const CREDENTIAL_DOCUMENTATION =
	'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/first-message.md#credential';
