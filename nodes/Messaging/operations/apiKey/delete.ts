import { apiKeyIdField, flagField } from '../../fields/builders';
import { optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { ME } from '../../service/plan';
import { valueAt } from '../../shared/json';
import { type CompiledCall, defineOperation, type Objection } from '../operation';
import { withReply } from '../records';

/** Revokes an API key permanently: DELETE /api/v1/Admin/ApiKey/{id}. */
export const deleteApiKey = defineOperation({
	resource: 'apiKey',
	name: 'delete',
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
			sources: { id: 'apiKeyId' },
			lane: `key ${apiKeyId.toLowerCase()}`,
			output: (body) => [withReply(body, { apiKeyId }, { deleted: true })],
		};
		if (input.collection('options').flag('allowRevokingKeyInUse')) return call;
		return { ...call, before: { call: ME, complete: (me) => objectionTo(apiKeyId, me) ?? call } };
	},
});

/** Where the body of /Me may have the ID of the key in use; the interface does not say. */
const ID_PATHS = ['id', 'apiKeyId', 'apiKey.id'];

/** A UUID without hyphens. */
const BARE_UUID = /^[0-9a-f]{32}$/;

/**
 * Why a key is not revoked: it is the key in use, or may be. It is another one only if /Me shows the ID of the key in
 * use in a known place, and this ID nowhere.
 *
 * @param me the body of /Me, in any form
 */
function objectionTo(apiKeyId: string, me: unknown): Objection | undefined {
	const id = plain(apiKeyId);
	const shown = ID_PATHS.map((path) => plain(valueAt(me, path))).filter((text) => BARE_UUID.test(text));
	if (shown.includes(id)) {
		return {
			message: 'The API key was not revoked: it is the one that this credential uses',
			hint: 'Without it, every workflow with this credential stops working. To revoke it anyway, turn on the option Allow Revoking the Key in Use.',
		};
	}
	if (shown.length > 0 && !plain(JSON.stringify(me)).includes(id)) return undefined;
	return {
		message: 'The API key was not revoked: it may be the one that this credential uses',
		hint: "The service does not show the ID of the key in use, so the node can't compare the two. If you are sure that this is another key, turn on the option Allow Revoking the Key in Use.",
	};
}

/** Text in lower case without hyphens, braces and spaces, so that UUIDs compare equal; '' if the value is not text. */
function plain(text: unknown): string {
	return typeof text === 'string' ? text.toLowerCase().replace(/[-{}\s]/g, '') : '';
}
