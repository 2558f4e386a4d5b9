import { apiKeyIdField, flagField } from '../../fields/builders';
import { optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { ME } from '../../service/plan';
import { type CompiledCall, defineOperation, type Objection } from '../operation';
import { withReply } from '../records';
import { type KeyInUse, keyInUse } from './key-in-use';

/** Revokes an API key permanently: DELETE /api/v1/Admin/ApiKey/{id}. */
export const deleteApiKey = defineOperation({
	resource: 'apiKey',
	name: 'delete',
	displayName: 'Delete',
	action: 'Delete an API key',
	description: 'Revoke an API key permanently and immediately',
	fields: [
		apiKeyIdField,
		optionsField([
			flagField(
				'Allow Revoking the Key in Use',
				'allowRevokingKeyInUse',
				'Whether the key of this credential may be revoked. Every workflow with this credential then stops working.',
			),
		]),
	],
	compile(input) {
		const apiKeyId = input.requiredUuid('apiKeyId');
		const call: CompiledCall = {
			call: apiCall('delete', '/api/v1/Admin/ApiKey/{id}', { ids: { id: apiKeyId } }),
			sources: { id: 'apiKeyId' },
			lane: `key ${apiKeyId.toLowerCase()}`,
			output: (body) => [withReply(body, { apiKeyId }, { deleted: true })],
		};
		if (input.collection('options').flag('allowRevokingKeyInUse')) return call;
		const complete = (me: unknown): CompiledCall | Objection => OBJECTIONS[keyInUse(me, apiKeyId)] ?? call;
		return { ...call, before: { call: ME, complete } };
	},
});

/** Why a key is not revoked, depending on whether it is the key in use. */
const OBJECTIONS: Readonly<Partial<Record<KeyInUse, Objection>>> = {
	same: {
		message: 'The API key was not revoked: it is the one that this credential uses',
		hint: 'Without it, every workflow with this credential stops working. To revoke it anyway, turn on the option Allow Revoking the Key in Use.',
	},
	unclear: {
		message: 'The API key was not revoked: it may be the one that this credential uses',
		hint: "The service does not show the ID of the key in use, so the node can't compare the two. If you are sure that this is another key, turn on the option Allow Revoking the Key in Use.",
	},
};
