import type { CredentialContent } from './n8n/api.mts';

/** The name under which the example workflows look for their credential. */
export const credentialName = 'Unified Messaging account';

/** A credential of the node as the editor saves it. */
export const credentialContent = (baseUrl: string, apiKey: string): CredentialContent => ({
	name: credentialName,
	type: 'messagingApi',
	data: { baseUrl, apiKey },
});
