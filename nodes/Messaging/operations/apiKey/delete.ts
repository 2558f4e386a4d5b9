import { apiKeyIdField } from '../../fields/ids';
import { optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';

/** Revokes an API key for good: DELETE /api/v1/Admin/ApiKey/{id}. */
export const deleteApiKey = defineOperation({
	resource: 'apiKey',
	name: 'delete',
	displayName: 'Delete',
	action: 'Delete an API key',
	description: 'Revoke an API key permanently and immediately',
	fields: [apiKeyIdField, optionsField([])],
	compile(input) {
		const apiKeyId = input.requiredUuid('apiKeyId');
		return {
			call: apiCall('delete', '/api/v1/Admin/ApiKey/{id}', { ids: { id: apiKeyId } }),
			facts: { apiKeyId },
			lane: `key ${apiKeyId.toLowerCase()}`,
		};
	},
	output: (body, facts) => [withReply(body, facts, { deleted: true })],
});
