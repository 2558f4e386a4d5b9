import { channelLocator } from '../../fields/locators';
import { optionsField } from '../../fields/options';
import { entryIdField } from '../../fields/ids';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import { presentationFields, presented, readPresentation } from '../presentation';
import { OUTBOX_ENTRY } from '../simplified';

/** Reads one outbox entry: GET /api/v1/admin/channel/{channelId}/outbox/{id}. */
export const getOutboxEntry = defineOperation({
	resource: 'outbox',
	name: 'get',
	displayName: 'Get',
	action: 'Get an outbox entry',
	description: 'Look at one entry in the outbound queue of a channel',
	fields: [channelLocator, entryIdField, ...presentationFields(OUTBOX_ENTRY), optionsField([])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		const form = readPresentation(input, OUTBOX_ENTRY);
		return {
			call: apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', { ids: { channelId, id } }),
			facts: { form },
			sources: { id: 'entryId' },
		};
	},
	output: (body, { form }) => [presented(body, form)],
});
