import { requiredUuidField } from './uuid';

/** The API key that an operation works on; the interface shows no list to pick one from. */
export const apiKeyIdField = requiredUuidField(
	'API Key ID',
	'apiKeyId',
	'UUID of the API key, not its token',
);

/** The outbox entry that an operation works on. */
export const entryIdField = requiredUuidField(
	'Entry ID',
	'entryId',
	'UUID of the outbox entry (httpSenderOutboxEntryId)',
);
