import { apiKeyIdField, flagField } from '../../fields/builders';
import { optionsField } from '../../fields/options';
import { InvalidParameter } from '../../input/invalid-parameter';
import { apiCall } from '../../service/api-call';
import { ME } from '../../service/plan';
import { valueAt } from '../../shared/json';
import { isUuid } from '../../shared/uuid';
import { type CompiledCall, defineOperation } from '../operation';
import { withReply } from '../records';

/** Revokes an API key permanently: DELETE /api/v1/Admin/ApiKey/{id}. */
export const deleteApiKey = defineOperation({
	action: 'Delete an API key',
	description: 'Revoke an API key permanently and immediately',
	effect: 'changes',
	fields: [
		apiKeyIdField,
		optionsField([
			flagField({
				displayName: 'Allow Revoking the Key in Use',
				name: 'allowRevokingKeyInUse',
				description:
					'Whether the key of this credential may be revoked. Every workflow with this credential then stops working.',
			}),
		]),
	],
	compile(input) {
		const apiKeyId = input.requiredUuid('apiKeyId');
		const call: CompiledCall = {
			call: apiCall('delete', '/api/v1/Admin/ApiKey/{id}', { ids: { id: apiKeyId } }),
			lane: `key ${apiKeyId.toLowerCase()}`,
			output: (body) => [withReply(body, { apiKeyId }, { deleted: true })],
		};
		if (input.collection('options').flag('allowRevokingKeyInUse')) return call;
		const complete = (me: unknown): CompiledCall => {
			if (isAnotherKey(apiKeyId, me)) return call;
			const reason = 'is the ID of the key in use, or may be';
			throw new InvalidParameter(input.label('apiKeyId'), reason, ALLOW_IT);
		};
		return { ...call, before: { call: ME, complete } };
	},
});

const ALLOW_IT =
	'Without the key in use, every workflow with this credential stops working. To revoke it anyway, or if you are sure that this is another key, turn on the option Allow Revoking the Key in Use.';

/** Where the body of /Me may have the ID of the key in use; the interface does not say. */
const ID_PATHS = ['id', 'apiKeyId', 'apiKey.id'];

/**
 * Whether a key is another one than that in use: /Me shows an ID in a known place, and this ID nowhere.
 *
 * @param me the body of /Me, in any form
 */
function isAnotherKey(apiKeyId: string, me: unknown): boolean {
	const isShown = JSON.stringify({ me }).toLowerCase().includes(apiKeyId.toLowerCase());
	return !isShown && ID_PATHS.some((path) => isUuid(valueAt(me, path)));
}
