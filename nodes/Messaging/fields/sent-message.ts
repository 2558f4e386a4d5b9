import type { INodeProperties } from 'n8n-workflow';

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
