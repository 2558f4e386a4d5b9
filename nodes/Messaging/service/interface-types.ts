import type { components } from '../../../api/schema';

/** The interface's schemas, generated from `api/openapi.yaml`. */
export type Schemas = components['schemas'];

/** The name of the credential type. */
export const CREDENTIAL_TYPE = 'messagingApi';

/** What the credential holds. */
export interface MessagingCredentials {
	baseUrl: string;
	apiKey: string;
}
