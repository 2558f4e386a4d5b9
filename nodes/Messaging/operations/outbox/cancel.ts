import { channelLocator } from '../../fields/locators';
import { optionsField } from '../../fields/options';
import { entryIdField } from '../../fields/builders';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';

/** Cancels one outbox entry: PATCH /api/v1/admin/channel/{channelId}/outbox/{id}/cancel, no body. */
export const cancelOutboxEntry = defineOperation({
	action: 'Cancel an outbox entry',
	description: 'Cancel one entry in the outbound queue of a channel',
	effect: 'changes',
	fields: [channelLocator, entryIdField, optionsField([])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		return {
			call: apiCall('patch', '/api/v1/admin/channel/{channelId}/outbox/{id}/cancel', {
				ids: { channelId, id },
			}),
			channel: channelId.toLowerCase(),
			lane: `entry ${id.toLowerCase()}`,
			output: (body) => [withReply(body, { channelId, httpSenderOutboxEntryId: id }, { success: true })],
		};
	},
});
