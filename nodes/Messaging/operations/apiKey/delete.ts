import { apiKeyIdField } from '../../fields/ids';
import { optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { ME } from '../../service/plan';
import { defineOperation } from '../../contract/any-operation';
import { withReply } from '../records';
import { keyInUse } from './key-in-use';

/** Revokes an API key for good: DELETE /api/v1/Admin/ApiKey/{id}. */
export const deleteApiKey = defineOperation({
	resource: 'apiKey',
	name: 'delete',
	displayName: 'Delete',
	action: 'Delete an API key',
	description: 'Revoke an API key permanently and immediately',
	fields: [
		apiKeyIdField,
		optionsField([
			{
				displayName: 'Allow Revoking the Key in Use',
				name: 'allowRevokingKeyInUse',
				type: 'boolean',
				default: false,
				description:
					'Whether the key that this credential uses may be revoked. Every workflow with this credential stops working then.',
			},
		]),
	],
	compile(input) {
		const apiKeyId = input.requiredUuid('apiKeyId');
		return {
			call: apiCall('delete', '/api/v1/Admin/ApiKey/{id}', { ids: { id: apiKeyId } }),
			facts: { apiKeyId, careless: input.collection('options').flag('allowRevokingKeyInUse') },
			sources: { id: 'apiKeyId' },
			lane: `key ${apiKeyId.toLowerCase()}`,
		};
	},
	output: (body, { apiKeyId }) => [withReply(body, { apiKeyId }, { deleted: true })],
	guard: {
		call: ME,
		applies: ({ careless }) => !careless,
		objection(me, { apiKeyId }) {
			switch (keyInUse(me, apiKeyId)) {
				case 'same':
					return {
						message: 'This is the API key that the credential uses',
						hint: 'Without it every workflow with this credential stops working. If that is what you want, switch on the option Allow Revoking the Key in Use.',
					};
				case 'unclear':
					return {
						message: 'The API key was not revoked: it may be the one that the credential uses',
						hint: "The service does not show the ID of the key in use, so the two can't be told apart. If you are sure that this is another key, switch on the option Allow Revoking the Key in Use.",
					};
				case 'other':
					return undefined;
			}
		},
	},
});
