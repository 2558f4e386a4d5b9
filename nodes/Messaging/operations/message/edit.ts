import { channelLocator } from '../../fields/locators';
import { optionsField, ordering } from '../../fields/options';
import { correlationField, sentMessageFields } from '../../fields/sent-message';
import { defined } from '../../json/defined';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import { withReply } from '../records';

/** Changes the text of a message: PUT /api/v1/message/EditMessage. */
export const editMessage = defineOperation({
	resource: 'message',
	name: 'edit',
	displayName: 'Edit',
	action: 'Edit a message',
	description: 'Change the text of a message that was sent before',
	fields: [
		channelLocator,
		...sentMessageFields,
		{
			displayName: 'New Text',
			name: 'newText',
			type: 'string',
			typeOptions: { rows: 3 },
			required: true,
			default: '',
			placeholder: 'e.g. Your order arrives on Friday',
			description: 'The text that replaces the old one',
		},
		correlationField,
		optionsField([ordering]),
	],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const chatId = input.requiredText('chatId');
		const messageId = input.requiredText('messageId');
		const newText = input.requiredText('newText');
		const correlationId = input.collection('additionalFields').optionalText('correlationId');
		return {
			call: apiCall('put', '/api/v1/message/EditMessage', {
				body: defined({ messageId, chatId, newText, channelId, correlationId }),
			}),
			facts: { messageId, chatId, channelId },
			lane: `chat ${channelId.toLowerCase()} ${chatId}`,
		};
	},
	output: (body, facts) => [withReply(body, facts, { success: true })],
});
