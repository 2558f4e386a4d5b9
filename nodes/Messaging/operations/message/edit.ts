import type { INodeProperties } from 'n8n-workflow';

import { collectionField, textField } from '../../fields/builders';
import { channelLocator } from '../../fields/locators';
import { optionsField, ordering } from '../../fields/options';
import type { Input } from '../../input/input';
import { defined } from '../../shared/json';
import { apiCall, type Schemas } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';

/** Where to find the ID of a chat. The interface does not say what it is. */
const CHAT_ID =
	"ID of the chat, as your service names it. Look for it in the answer of Send: often it is the recipient's address, such as {{ $json.content.to.email }}.";

/** The message that was sent before. */
export const sentMessageFields = [
	channelLocator,
	textField({ name: 'chatId', description: CHAT_ID, placeholder: 'ada@example.com', required: true }),
	textField({
		name: 'messageId',
		description: 'ID of the message: the messageId in the answer of Send. Items with alreadySent have none.',
		placeholder: '3EB0C767D26A1D8F',
		required: true,
	}),
] as const satisfies INodeProperties[];

/** A user-defined ID that is sent with the call, and the options. */
export const sentMessageOptions = [
	collectionField('additionalFields', [
		textField({
			name: 'correlationId',
			description: 'Your own ID for this call. Use it to find the call at the service later.',
			placeholder: 'order-1042',
		}),
	]),
	optionsField([ordering]),
] as const satisfies INodeProperties[];

/** What calls about a sent message have in common: their body, and which of them wait for each other. */
export function sentMessageFrom(item: Pick<Input<[]>, 'part'>) {
	const input = item.part([...sentMessageFields, ...sentMessageOptions] as const);
	const channelId = input.requiredUuid('channelId');
	const chatId = input.requiredText('chatId', CHAT_ID);
	const ids = { messageId: input.requiredText('messageId'), chatId, channelId };
	const correlationId = input.collection('additionalFields').text('correlationId') || undefined;
	const channel = channelId.toLowerCase();
	return { ids, body: { ...ids, correlationId }, channel, lane: `chat ${channel} ${chatId}` };
}

/** Changes the text of a message: PUT /api/v1/message/EditMessage. */
export const editMessage = defineOperation({
	action: 'Edit a message',
	description: 'Change the text of a message that was sent before',
	effect: 'changes',
	fields: [
		...sentMessageFields,
		textField({
			name: 'newText',
			description: 'The text that replaces the old one',
			placeholder: 'It arrives on Friday',
			required: true,
			typeOptions: { rows: 3 },
		}),
		...sentMessageOptions,
	],
	compile(input) {
		const { ids, body, ...order } = sentMessageFrom(input);
		const newText = input.requiredText('newText');
		return {
			call: apiCall('put', '/api/v1/message/EditMessage', {
				body: defined<Schemas['EditMessage']>({ ...body, newText }),
			}),
			...order,
			output: (reply) => [withReply(reply, ids, { success: true })],
		};
	},
});
