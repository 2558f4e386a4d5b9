import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { byId } from './workflows.ts';
import type { World } from './world.ts';

/** One kind of request that the node makes: what is set in the editor, what goes out, what comes back. */
export interface RequestShape {
	readonly title: string;
	/** The operation in api/openapi.yaml. */
	readonly operationId: string;
	prepare(world: World): Expectation | Promise<Expectation>;
}

/** A request shape with the sandbox's ids filled in. */
export interface Expectation {
	readonly parameters: INodeParameters;
	/** The input items; one empty item by default. */
	readonly items?: readonly IDataObject[];
	/** The requests that the sandbox must receive, in any order. */
	readonly requests: ReadonlyArray<{ method: string; path: string; query?: object; body: unknown }>;
	/** What must stand in the json of the output items (they may hold more), and what they are paired with. */
	readonly output: ReadonlyArray<{ json: object; pairedItem: unknown }>;
}

const uuid = expect.stringMatching(
	/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
const first = { item: 0 };
const supportEmail = 'Support E-mail';
const tickets = 'Support Ticket Hook';

const messages: RequestShape[] = [
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
					toName: 'Ada Lovelace',
					text: '=Order {{ $json.order }} is on its way',
					additionalFields: {
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
					toFields: '{ "number": "+15550100300", "type": "loses to To Type" }',
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

const channels: RequestShape[] = [
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
				output: [{ json: { channelId: uuid, ...channel, parameters, accountId }, pairedItem: first }],
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
					parameters: JSON.stringify(parameters),
				},
				requests: [
					{
						method: 'PUT',
						path: `/api/v1/Admin/Channel/${channelId}/parameters`,
						body: { channelId, parameters },
					},
				],
				output: [{ json: { channelId, name: tickets, parameters }, pairedItem: first }],
			};
		},
	},
];

/** The parameters of a requeue with one item for each failed entry, and what goes into each request body. */
function requeueOf(world: World): {
	parameters: INodeParameters;
	entryIds: string[];
	path: string;
	ids: object;
} {
	const { channelId } = world.channel(tickets);
	const { accountId, organizationId } = world.channel(tickets);
	return {
		parameters: {
			resource: 'outbox',
			operation: 'requeue',
			channelId: byId(channelId),
			entryIds: '={{ $json.entryId }}',
			organizationId,
			accountId: byId(accountId),
		},
		entryIds: world.entries(tickets, 'Failed').map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId),
		path: `/api/v1/admin/channel/${channelId}/outbox/requeue`,
		ids: { channelId, organizationId, accountId },
	};
}

const outbox: RequestShape[] = [
	{
		title: 'outbox: get, simplified',
		operationId: 'outbox.get',
		prepare: (world) => {
			const [entry] = world.entries(tickets, 'Failed');
			const { channelId, httpSenderOutboxEntryId } = entry ?? fail('no failed entry');
			return {
				parameters: {
					resource: 'outbox',
					operation: 'get',
					channelId: byId(channelId),
					entryId: httpSenderOutboxEntryId,
				},
				requests: [
					{
						method: 'GET',
						path: `/api/v1/admin/channel/${channelId}/outbox/${httpSenderOutboxEntryId}`,
						body: null,
					},
				],
				output: [{ json: { httpSenderOutboxEntryId, channelId, statusName: 'Failed' }, pairedItem: first }],
			};
		},
	},
	{
		title: 'outbox: cancel, without a body',
		operationId: 'outbox.cancel',
		prepare: (world) => {
			const [entry] = world.entries('Support CRM Hook', 'Pending');
			const { channelId, httpSenderOutboxEntryId } = entry ?? fail('no pending entry');
			return {
				parameters: {
					resource: 'outbox',
					operation: 'cancel',
					channelId: byId(channelId),
					entryId: httpSenderOutboxEntryId,
				},
				requests: [
					{
						method: 'PATCH',
						path: `/api/v1/admin/channel/${channelId}/outbox/${httpSenderOutboxEntryId}/cancel`,
						body: null,
					},
				],
				output: [{ json: { success: true, channelId, httpSenderOutboxEntryId }, pairedItem: first }],
			};
		},
	},
	{
		title: 'outbox: requeue, all items of a channel in one request',
		operationId: 'outbox.requeue',
		prepare: (world) => {
			const { parameters, entryIds, path, ids } = requeueOf(world);
			return {
				parameters,
				items: entryIds.map((entryId) => ({ entryId })),
				requests: [{ method: 'POST', path, body: { ids: entryIds, ...ids } }],
				output: [
					{ json: { success: true, ids: entryIds }, pairedItem: entryIds.map((_, item) => ({ item })) },
				],
			};
		},
	},
	{
		title: 'outbox: requeue, one request for each item',
		operationId: 'outbox.requeue',
		prepare: (world) => {
			const { parameters, entryIds, path, ids } = requeueOf(world);
			return {
				parameters: { ...parameters, options: { grouping: 'perItem' } },
				items: entryIds.map((entryId) => ({ entryId })),
				requests: entryIds.map((entryId) => ({ method: 'POST', path, body: { ids: [entryId], ...ids } })),
				output: entryIds.map((entryId, item) => ({
					json: { success: true, ids: [entryId] },
					pairedItem: { item },
				})),
			};
		},
	},
];

const accounts: RequestShape[] = [
	{
		title: 'account: create',
		operationId: 'account.create',
		prepare: (world) => {
			const organizationId =
				world.account('Acme Shop').organization?.organizationId ?? fail('no organization');
			const account = { name: 'Acme Returns', description: 'Parcels that come back' };
			return {
				parameters: {
					resource: 'account',
					operation: 'create',
					name: account.name,
					additionalFields: { description: account.description, organizationId },
				},
				requests: [{ method: 'POST', path: '/api/v1/Admin/Account', body: { ...account, organizationId } }],
				output: [{ json: { accountId: uuid, ...account }, pairedItem: first }],
			};
		},
	},
	{
		title: 'account: get many, all of them and raw',
		operationId: 'account.getAll',
		prepare: (world) => ({
			parameters: { resource: 'account', operation: 'getAll', returnAll: true, simplify: false },
			requests: [{ method: 'GET', path: '/api/v1/Admin/Account', body: null }],
			output: ['Acme Support', 'Acme Shop'].map((name) => ({
				json: { accountId: world.account(name).accountId, name, status: expect.any(Object) },
				pairedItem: first,
			})),
		}),
	},
];

const apiKeys: RequestShape[] = [
	{
		title: 'API key: update, with an emptied description',
		operationId: 'apiKey.update',
		prepare: (world) => {
			const { id } = world.key('Acme Shop key');
			return {
				parameters: {
					resource: 'apiKey',
					operation: 'update',
					apiKeyId: id,
					updateFields: { name: 'Shop workflows', description: '' },
				},
				requests: [
					{
						method: 'PUT',
						path: `/api/v1/Admin/ApiKey/${id}`,
						body: { apiKeyId: id, name: 'Shop workflows', description: '' },
					},
				],
				output: [{ json: { id, name: 'Shop workflows', description: '' }, pairedItem: first }],
			};
		},
	},
	{
		title: 'API key: delete',
		operationId: 'apiKey.delete',
		prepare: (world) => {
			const { id } = world.key('Acme Shop key');
			return {
				parameters: { resource: 'apiKey', operation: 'delete', apiKeyId: id },
				requests: [{ method: 'DELETE', path: `/api/v1/Admin/ApiKey/${id}`, body: null }],
				output: [{ json: { deleted: true, apiKeyId: id }, pairedItem: first }],
			};
		},
	},
	{
		title: 'API key: get current',
		operationId: 'apiKey.getCurrent',
		prepare: (world) => ({
			parameters: { resource: 'apiKey', operation: 'getCurrent' },
			requests: [{ method: 'GET', path: '/api/v1/Me', body: null }],
			output: [
				{
					json: { id: world.key('Acme organization key').id, resourcePlan: expect.any(Object) },
					pairedItem: first,
				},
			],
		}),
	},
];

/** All 18 shapes: 14 operations, both address modes, both input modes, requeue grouped and single. */
export const requestShapes = [...messages, ...channels, ...outbox, ...accounts, ...apiKeys];

function fail(what: string): never {
	throw new Error(`The sandbox has ${what}`);
}
