import { channelLocator } from '../../fields/locators';
import { optionsField, ordering } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';
import { CHAT_ID, correlationField, sentMessageFields } from './edit';

/** Deletes a message: DELETE /api/v1/message/DeleteMessage, with a JSON body. */
export const deleteMessage = defineOperation({
	resource: 'message',
	name: 'delete',
	action: 'Delete a message',
	description: 'Delete a message that was sent before',
	effect: 'changes',
	fields: [channelLocator, ...sentMessageFields, correlationField, optionsField([ordering])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const chatId = input.requiredText('chatId', CHAT_ID);
		const messageId = input.requiredText('messageId');
		const correlationId = input.collection('additionalFields').optionalText('correlationId');
		return {
			call: apiCall('delete', '/api/v1/message/DeleteMessage', {
				body: defined({ messageId, chatId, channelId, correlationId }),
			}),
			channel: channelId.toLowerCase(),
			lane: `chat ${channelId.toLowerCase()} ${chatId}`,
			output: (body) => [withReply(body, { messageId, chatId, channelId }, { deleted: true })],
		};
	},
});
