/** The name under which workflows hold the credential. */
export const CREDENTIAL_TYPE = 'messagingApi';

/** Where the credential is explained. */
export const CREDENTIAL_DOCUMENTATION =
	'https://github.com/unified-messaging/n8n-nodes-unified-messaging/blob/main/docs/first-message.md#credential';
