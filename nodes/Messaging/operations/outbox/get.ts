import { channelLocator } from '../../fields/locators';
import { entryIdField } from '../../fields/ids';
import { includeToken, optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { presentationFields, presented, readPresentation } from '../presentation';
import { OUTBOX_ENTRY } from '../simplified';
import { withoutReceiverSecrets } from './receiver';

const includeCredentials = {
	...includeToken,
	description:
		"Whether to output the receiver's credentials, and tokens of API keys, in full. Otherwise the Authorization and Cookie headers, passwords and tokens in the request that the service makes are masked.",
} as const;

/** Reads one outbox entry: GET /api/v1/admin/channel/{channelId}/outbox/{id}. */
export const getOutboxEntry = defineOperation({
	resource: 'outbox',
	name: 'get',
	displayName: 'Get',
	action: 'Get an outbox entry',
	description: 'Look at one entry in the outbound queue of a channel',
	fields: [
		channelLocator,
		entryIdField,
		...presentationFields(OUTBOX_ENTRY),
		optionsField([includeCredentials]),
	],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		const form = readPresentation(input, OUTBOX_ENTRY);
		const showToken = input.collection('options').flag('includeToken');
		return {
			call: apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', { ids: { channelId, id } }),
			sources: { id: 'entryId' },
			showToken,
			output: (body) => [presented(showToken ? body : withoutReceiverSecrets(body), form)],
		};
	},
});
