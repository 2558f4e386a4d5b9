import type { IDataObject } from 'n8n-workflow';
import { byId, type Lab } from '../lab.ts';
import { output, people, type Shape } from './shape.ts';

/** Sends two messages, to have some that can be edited and deleted. */
async function sentMessages(lab: Lab, channel: string): Promise<IDataObject[]> {
	const run = await lab.execute(
		{
			resource: 'message',
			operation: 'send',
			channelId: byId(lab.channelId(channel)),
			toEmail: '={{ $json.email }}',
			text: '={{ $json.text }}',
		},
		{ items: people },
	);
	await lab.client.clearRequests();
	return run.json.map(({ content }, index) => ({
		chatId: people[index]?.email,
		messageId: (content as IDataObject)['messageId'],
	}));
}

/** What is done with messages that were sent before. */
export const messageShapes: Shape[] = [
	{
		title: 'message: edit',
		operationId: 'message.edit',
		async prepare(lab) {
			const channelId = lab.channelId('Support E-mail');
			const items = await sentMessages(lab, 'Support E-mail');
			return {
				items,
				parameters: {
					resource: 'message',
					operation: 'edit',
					channelId: byId(channelId),
					chatId: '={{ $json.chatId }}',
					messageId: '={{ $json.messageId }}',
					newText: '=New text for {{ $json.chatId }}',
					additionalFields: { correlationId: '={{ "edit-" + $itemIndex }}' },
				},
				requests: items.map(({ chatId, messageId }, index) => ({
					method: 'PUT',
					path: '/api/v1/message/EditMessage',
					body: {
						channelId,
						chatId,
						messageId,
						newText: `New text for ${String(chatId)}`,
						correlationId: `edit-${index}`,
					},
				})),
				output: output(
					...items.map(({ chatId, messageId }) =>
						expect.objectContaining({ success: true, messageId, chatId, channelId }),
					),
				),
			};
		},
	},
	{
		title: 'message: delete',
		operationId: 'message.delete',
		async prepare(lab) {
			const channelId = lab.channelId('Support E-mail');
			const items = await sentMessages(lab, 'Support E-mail');
			return {
				items,
				parameters: {
					resource: 'message',
					operation: 'delete',
					channelId: byId(channelId),
					chatId: '={{ $json.chatId }}',
					messageId: '={{ $json.messageId }}',
				},
				requests: items.map(({ chatId, messageId }) => ({
					method: 'DELETE',
					path: '/api/v1/message/DeleteMessage',
					body: { channelId, chatId, messageId },
				})),
				output: output(
					...items.map(({ chatId, messageId }) =>
						expect.objectContaining({ deleted: true, messageId, chatId, channelId }),
					),
				),
			};
		},
	},
];
