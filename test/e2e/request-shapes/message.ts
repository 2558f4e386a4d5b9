import { byId } from '../../../harness/workflows.ts';
import { first, uuid } from './shape.ts';
import type { RequestShape } from './shape.ts';

const supportEmail = 'Support E-mail';

/** Sending in its four shapes, editing and deleting. */
export const messages: RequestShape[] = [
	{
		title: 'message: send to an e-mail address, with additional fields',
		operationId: 'message.send',
		prepare: (world) => {
			const { channelId } = world.channel(supportEmail);
			return {
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId(channelId),
					addressType: 'EMAIL',
					toEmail: '={{ $json.email }}',
					text: '=Order {{ $json.order }} is on its way',
					additionalFields: {
						toName: 'Ada Lovelace',
						correlationId: '={{ $json.order }}',
						priority: 3,
						deliveryDeadline: '2030-01-31T09:00:00Z',
						isBroadcast: false,
					},
				},
				items: [
					{ email: 'ada@example.com', order: '1042' },
					{ email: 'bob@example.com', order: '1043' },
				],
				requests: [
					['ada@example.com', '1042'],
					['bob@example.com', '1043'],
				].map(([email, order]) => ({
					method: 'POST',
					path: '/api/v1/message/SendMessage',
					body: {
						packageId: uuid,
						correlationId: order,
						channelId,
						content: {
							text: `Order ${order} is on its way`,
							to: { type: 'EMAIL', email, name: 'Ada Lovelace' },
							type: 'TEXT',
							priority: 3,
							deliveryDeadline: expect.stringMatching(/^2030-01-31T09:00:00/),
							isBroadcast: false,
						},
					},
				})),
				output: ['1042', '1043'].map((order, item) => ({
					json: {
						packageId: uuid,
						channelId,
						correlationId: order,
						messageId: expect.any(String),
						content: expect.objectContaining({ messageId: expect.any(String) }),
					},
					pairedItem: { item },
				})),
			};
		},
	},
	{
		title: 'message: send to an address of another type',
		operationId: 'message.send',
		prepare: (world) => {
			const { channelId } = world.channel('Support WhatsApp');
			return {
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId(channelId),
					addressType: 'other',
					toType: 'PHONE',
					toRows: {
						values: [
							{ name: 'number', value: '+15550100300' },
							{ name: 'type', value: 'loses to To Type' },
						],
					},
					text: 'Hello',
				},
				requests: [
					{
						method: 'POST',
						path: '/api/v1/message/SendMessage',
						body: {
							packageId: uuid,
							channelId,
							content: { text: 'Hello', to: { type: 'PHONE', number: '+15550100300' }, type: 'TEXT' },
						},
					},
				],
				output: [{ json: { packageId: uuid, channelId }, pairedItem: first }],
			};
		},
	},
	{
		title: 'message: send a package given as JSON, to the channel picked in the node',
		operationId: 'message.send',
		prepare: (world) => {
			const { channelId } = world.channel(supportEmail);
			const to = { type: 'EMAIL', email: 'ada@example.com' };
			return {
				parameters: {
					resource: 'message',
					operation: 'send',
					inputMode: 'json',
					channelId: byId(channelId),
					package: JSON.stringify({ content: { type: 'TEXT', text: 'From JSON', to, isForwarded: true } }),
				},
				requests: [
					{
						method: 'POST',
						path: '/api/v1/message/SendMessage',
						body: {
							packageId: uuid,
							channelId,
							content: { type: 'TEXT', text: 'From JSON', to, isForwarded: true },
						},
					},
				],
				output: [{ json: { packageId: uuid, channelId }, pairedItem: first }],
			};
		},
	},
	{
		title: 'message: send a package given as JSON that names its own channel and id',
		operationId: 'message.send',
		prepare: (world) => {
			const { channelId } = world.channel('Shop Newsletter');
			const packageId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
			const message = {
				packageId,
				channelId,
				correlationId: 'json-1',
				content: { type: 'TEXT', text: 'Own channel', to: { type: 'EMAIL', email: 'ada@example.com' } },
			};
			return {
				parameters: {
					resource: 'message',
					operation: 'send',
					inputMode: 'json',
					channelId: byId(world.channel(supportEmail).channelId),
					package: '={{ $json.message }}',
				},
				items: [{ message }],
				requests: [{ method: 'POST', path: '/api/v1/message/SendMessage', body: message }],
				output: [{ json: { packageId, channelId, correlationId: 'json-1' }, pairedItem: first }],
			};
		},
	},
	{
		title: 'message: edit',
		operationId: 'message.edit',
		prepare: async (world) => {
			const { channelId } = world.channel(supportEmail);
			const { messageId } = await world.sentMessage(supportEmail, 'ada@example.com', 'First words');
			const ids = { messageId, chatId: 'ada@example.com', channelId };
			return {
				parameters: {
					resource: 'message',
					operation: 'edit',
					channelId: byId(channelId),
					chatId: 'ada@example.com',
					messageId,
					newText: 'Better words',
					additionalFields: { correlationId: 'edit-1' },
				},
				requests: [
					{
						method: 'PUT',
						path: '/api/v1/message/EditMessage',
						body: { ...ids, newText: 'Better words', correlationId: 'edit-1' },
					},
				],
				output: [{ json: { success: true, ...ids }, pairedItem: first }],
			};
		},
	},
	{
		title: 'message: delete, with a JSON body',
		operationId: 'message.delete',
		prepare: async (world) => {
			const { channelId } = world.channel(supportEmail);
			const { messageId } = await world.sentMessage(supportEmail, 'ada@example.com', 'Soon gone');
			const ids = { messageId, chatId: 'ada@example.com', channelId };
			return {
				parameters: {
					resource: 'message',
					operation: 'delete',
					channelId: byId(channelId),
					chatId: 'ada@example.com',
					messageId,
				},
				requests: [{ method: 'DELETE', path: '/api/v1/message/DeleteMessage', body: ids }],
				output: [{ json: { deleted: true, ...ids }, pairedItem: first }],
			};
		},
	},
];
