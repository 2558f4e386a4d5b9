import { channelLocator } from '../../fields/locators';
import { optionsField, ordering } from '../../fields/options';
import { correlationField, sentMessageFields } from '../../fields/sent-message';
import { defined } from '../../json/defined';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import { withReply } from '../records';

/** Deletes a message: DELETE /api/v1/message/DeleteMessage, with a JSON body. */
export const deleteMessage = defineOperation({
	resource: 'message',
	name: 'delete',
	displayName: 'Delete',
	action: 'Delete a message',
	description: 'Delete a message that was sent before',
	fields: [channelLocator, ...sentMessageFields, correlationField, optionsField([ordering])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const chatId = input.requiredText('chatId');
		const messageId = input.requiredText('messageId');
		const correlationId = input.collection('additionalFields').optionalText('correlationId');
		return {
			call: apiCall('delete', '/api/v1/message/DeleteMessage', {
				body: defined({ messageId, chatId, channelId, correlationId }),
			}),
			facts: { messageId, chatId, channelId },
			lane: `chat ${channelId.toLowerCase()} ${chatId}`,
		};
	},
	output: (body, facts) => [withReply(body, facts, { deleted: true })],
});
