import { apiKeyIdField } from '../../fields/ids';
import { optionsField } from '../../fields/options';
import { isPlainObject } from '../../fields/values';
import { apiCall } from '../../service/api-call';
import { ME } from '../../service/plan';
import { defineOperation } from '../operation';
import { withReply } from '../records';

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
			lane: `key ${apiKeyId.toLowerCase()}`,
		};
	},
	output: (body, { apiKeyId }) => [withReply(body, { apiKeyId }, { deleted: true })],
	guard: {
		call: ME,
		applies: ({ careless }) => !careless,
		objection: (me, { apiKeyId }) =>
			holdsId(me, apiKeyId.toLowerCase())
				? {
						message: 'This is the API key that the credential uses',
						hint: 'Without it every workflow with this credential stops working. If that is what you want, switch on the option Allow Revoking the Key in Use.',
					}
				: undefined,
	},
});

/** How deep the key's id may lie: the interface does not show the body of /Me. */
const MAX_DEPTH = 3;

function holdsId(value: unknown, id: string, depth = 0): boolean {
	if (!isPlainObject(value) || depth > MAX_DEPTH) return false;
	return Object.entries(value).some(([name, member]) =>
		typeof member === 'string'
			? (name === 'id' || name === 'apiKeyId') && member.toLowerCase() === id
			: holdsId(member, id, depth + 1),
	);
}
