import type { INodeProperties } from 'n8n-workflow';

import { channelLocator } from '../../fields/locators';
import { optionsField, ordering } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';

/** What names a message that was sent before, beside its channel. */
export const sentMessageFields = [
	{
		displayName: 'Chat ID',
		name: 'chatId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. ada@example.com',
		description: 'ID of the chat that the message stands in, as the service names it',
	},
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 3EB0C767D26A1D8F',
		description: 'ID of the message, as the service returned it when the message was sent',
	},
] as const satisfies INodeProperties[];

/** An id of the user's own that goes along with the call. */
export const correlationField = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Correlation ID',
			name: 'correlationId',
			type: 'string',
			default: '',
			placeholder: 'e.g. order-1042',
			description: 'An ID of your own that goes along with the call, to find it again later',
		},
	],
} as const satisfies INodeProperties;

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
			lane: `chat ${channelId.toLowerCase()} ${chatId}`,
			output: (body) => [withReply(body, { messageId, chatId, channelId }, { success: true })],
		};
	},
});
