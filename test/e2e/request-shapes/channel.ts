import { byId } from '../../../harness/workflows.ts';
import { first, uuid } from './shape.ts';
import type { RequestShape } from './shape.ts';

const tickets = 'Support Ticket Hook';

/** Creating, listing and configuring channels. */
export const channels: RequestShape[] = [
	{
		title: 'channel: create',
		operationId: 'channel.create',
		prepare: (world) => {
			const { accountId } = world.account('Acme Shop');
			const { providerId } = world.channel('Shop Newsletter').provider;
			const feedbackChannelId = world.channel('Support Feedback').channelId;
			const channel = { name: 'Shop Returns', description: 'Parcels that come back' };
			const parameters = { host: 'mail.acme.example', port: 587 };
			return {
				parameters: {
					resource: 'channel',
					operation: 'create',
					name: channel.name,
					channelType: 'EMAIL',
					providerId,
					accountId: byId(accountId),
					parametersMode: 'json',
					parameters: JSON.stringify(parameters),
					additionalFields: {
						description: channel.description,
						feedbackChannelId: byId(feedbackChannelId),
						channelStatusId: 2,
					},
				},
				requests: [
					{
						method: 'POST',
						path: '/api/v1/message/Configure/CreateChannel',
						body: {
							...channel,
							channelType: 'EMAIL',
							providerId,
							accountId,
							feedbackChannelId,
							parameters,
							channelStatusId: 2,
						},
					},
				],
				output: [{ json: { channelId: uuid, name: channel.name, accountId }, pairedItem: first }],
			};
		},
	},
	{
		title: 'channel: get many, simplified, with a limit and query parameters',
		operationId: 'channel.getAll',
		prepare: () => ({
			parameters: {
				resource: 'channel',
				operation: 'getAll',
				limit: 2,
				options: { queryParameters: { parameters: [{ name: 'search', value: 'a&b ü' }] } },
			},
			requests: [{ method: 'GET', path: '/api/v1/Admin/Channel', query: { search: 'a&b ü' }, body: null }],
			output: [1, 2].map(() => ({
				json: { channelId: uuid, name: expect.any(String), isConnected: expect.any(Boolean) },
				pairedItem: first,
			})),
		}),
	},
	{
		title: 'channel: update parameters',
		operationId: 'channel.updateParameters',
		prepare: (world) => {
			const { channelId } = world.channel(tickets);
			const parameters = { url: 'https://tickets.acme.example/v2', method: 'PUT', timeoutSeconds: 5 };
			return {
				parameters: {
					resource: 'channel',
					operation: 'updateParameters',
					channelId: byId(channelId),
					parametersMode: 'json',
					parameters: JSON.stringify(parameters),
				},
				requests: [
					{
						method: 'PUT',
						path: `/api/v1/Admin/Channel/${channelId}/parameters`,
						body: { channelId, parameters },
					},
				],
				output: [{ json: { channelId, name: tickets }, pairedItem: first }],
			};
		},
	},
];
