import type { IDataObject } from 'n8n-workflow';
import { byId } from '../lab.ts';
import { anyUuid, output, type Shape } from './shape.ts';

/** Channels: create, list, change. */
export const channelShapes: Shape[] = [
	{
		title: 'channel: create',
		operationId: 'channel.create',
		prepare(lab) {
			const accountId = lab.accountId('Acme Shop');
			const model = lab.state.channels.find(({ name }) => name === 'Shop Newsletter');
			const providerId = model?.provider.providerId ?? '';
			const parameters = { host: 'mail.example', fromAddress: 'a@example.com', port: 25 };
			const items = [{ name: 'First' }, { name: 'Second' }];
			return {
				items,
				parameters: {
					resource: 'channel',
					operation: 'create',
					name: '={{ $json.name }}',
					channelType: 'EMAIL',
					providerId,
					accountId: byId(accountId),
					parametersMode: 'json',
					parameters: JSON.stringify(parameters),
					additionalFields: {
						description: '=Channel {{ $itemIndex }}',
						feedbackChannelId: byId(lab.channelId('Support Feedback')),
						channelStatusId: 1,
					},
				},
				requests: items.map(({ name }, index) => ({
					method: 'POST',
					path: '/api/v1/message/Configure/CreateChannel',
					body: {
						name,
						description: `Channel ${index}`,
						channelType: 'EMAIL',
						providerId,
						accountId,
						feedbackChannelId: lab.channelId('Support Feedback'),
						parameters,
						channelStatusId: 1,
					},
				})),
				output: output(
					...items.map(({ name }) => expect.objectContaining({ name, channelId: anyUuid, accountId })),
				),
			};
		},
	},
	{
		title: 'channel: getAll',
		operationId: 'channel.getAll',
		prepare(lab) {
			const reached = lab.state.channels.filter(({ name }) => !name.startsWith('Globex'));
			return {
				items: [{ account: 'a b&c' }, { account: 'ü' }],
				parameters: {
					resource: 'channel',
					operation: 'getAll',
					returnAll: true,
					simplify: false,
					options: {
						queryParameters: {
							parameters: [
								{ name: 'filter', value: '={{ $json.account }}' },
								{ name: 'page', value: '1' },
							],
						},
					},
				},
				requests: ['a b&c', 'ü'].map((filter) => ({
					method: 'GET',
					path: '/api/v1/Admin/Channel',
					query: { filter, page: '1' },
					body: undefined,
				})),
				output: [0, 1].flatMap((item) =>
					reached.map(({ channelId, name }) => ({
						json: expect.objectContaining({ channelId, name }) as IDataObject,
						pairedItem: { item },
					})),
				),
			};
		},
	},
	{
		title: 'channel: updateParameters',
		operationId: 'channel.updateParameters',
		prepare(lab) {
			const items = ['Support E-mail', 'Shop Newsletter'].map((name) => ({ id: lab.channelId(name), name }));
			const parameters = { host: 'new.example', fromAddress: 'a@example.com', port: 25 };
			return {
				items,
				parameters: {
					resource: 'channel',
					operation: 'updateParameters',
					channelId: byId('={{ $json.id }}'),
					parametersMode: 'json',
					parameters: JSON.stringify(parameters),
				},
				requests: items.map(({ id }) => ({
					method: 'PUT',
					path: `/api/v1/Admin/Channel/${id}/parameters`,
					body: { channelId: id, parameters },
				})),
				output: output(
					...items.map(({ id, name }) =>
						expect.objectContaining({ channelId: id, name, isConnected: expect.any(Boolean) as unknown }),
					),
				),
			};
		},
	},
];
