import type { OperationCase, OperationId, RecordForms } from './case.ts';
import { allListed, listCase } from './lists.ts';
import {
	additional,
	anyUuid,
	badInts,
	badJson,
	badUuids,
	byId,
	fromAI,
	fromList,
	idFromAI,
	ids,
	noText,
	paired,
	refuses,
} from './values.ts';

const creating = '/api/v1/message/Configure/CreateChannel';
const listing = '/api/v1/Admin/Channel';
const parametersOf = (id: string) => `/api/v1/Admin/Channel/${id}/parameters`;

const record: RecordForms = {
	schema: 'Channel',
	simplified: {},
	raw: { simplify: false },
	fields: [
		'channelId',
		'name',
		'channelType',
		'provider',
		'isConnected',
		'status',
		'canSendAndReceiveMessage',
		'accountId',
		'accountName',
		'stateUpdatedAt',
	],
	example: {
		record: {
			name: 'Inbox',
			channelType: { name: 'Email', key: 'EMAIL' },
			provider: { name: 'SMTP' },
			status: { name: 'Ready', canSendAndReceiveMessage: false },
			account: { name: 'Support' },
		},
		gives: {
			name: 'Inbox',
			channelType: 'Email',
			provider: 'SMTP',
			status: 'Ready',
			canSendAndReceiveMessage: false,
			accountName: 'Support',
		},
	},
};

const created = { name: 'Inbox', channelType: 'EMAIL', providerId: ids.provider, accountId: ids.account };

/** Test cases of the channel operations: create, list, change. */
export const channelCases = {
	'channel.create': {
		least: {
			given: { ...created, accountId: fromList(ids.account), parametersMode: 'json' },
			call: { method: 'POST', path: creating, body: { ...created, parameters: {} } },
		},
		most: {
			given: {
				parameters: '{"host":"mail.example.com"}',
				additionalFields: {
					description: 'Mail',
					feedbackChannelId: fromList(ids.feedback),
					channelStatusId: 3,
				},
			},
			call: {
				method: 'POST',
				path: creating,
				body: {
					...created,
					description: 'Mail',
					feedbackChannelId: ids.feedback,
					parameters: { host: 'mail.example.com' },
					channelStatusId: 3,
				},
			},
		},
		required: ['name', 'channelType', 'providerId', 'accountId'],
		refused: [
			refuses('Name', (name) => ({ name }), ...noText),
			refuses('Channel Type', (channelType) => ({ channelType }), '', ' ', null),
			refuses('Provider', (providerId) => ({ providerId }), 'smtp', ...badUuids),
			refuses('Account', (accountId) => ({ accountId: byId(accountId) }), 'acme', ...badUuids),
			refuses('Parameters', (parameters) => ({ parameters }), ...badJson),
			refuses(
				'Feedback Channel',
				(id) => ({ additionalFields: { feedbackChannelId: byId(id) } }),
				'x',
				...badUuids,
			),
			refuses('Channel Status', additional('channelStatusId'), 'new', ...badInts),
			refuses('Description', additional('description'), {}),
		],
		modes: [{ parametersMode: 'json' }],
		labels: { Name: 'Name', 'parameters.host': 'Parameters > host', providerId: 'Provider' },
		lane: null,
		fromBody: {
			required: ['name', 'channelType', 'providerId', 'accountId', 'parameters'],
			given: ({ description, feedbackChannelId, channelStatusId, ...fields }) => ({
				...fields,
				parametersMode: 'json',
				additionalFields: { description, feedbackChannelId, channelStatusId },
			}),
		},
		reply: { list: false, known: {}, settled: {} },
		record,
		traits: [],
		scenarios: [
			{
				title: 'with all of its fields',
				prepare(world) {
					const { accountId } = world.account('Acme Shop');
					const { providerId } = world.channel('Shop Newsletter').provider;
					const feedbackChannelId = world.channel('Support Feedback').channelId;
					const parameters = { host: 'mail.example', fromAddress: 'a@example.com', port: 25 };
					const items = [{ name: 'First' }, { name: 'Second' }];
					return {
						items,
						parameters: {
							name: '={{ $json.name }}',
							channelType: 'EMAIL',
							providerId,
							accountId: byId(accountId),
							parametersMode: 'json',
							parameters: JSON.stringify(parameters),
							additionalFields: {
								description: '=Channel {{ $itemIndex }}',
								feedbackChannelId: byId(feedbackChannelId),
								channelStatusId: 1,
							},
						},
						requests: items.map(({ name }, index) => ({
							method: 'POST',
							path: creating,
							body: {
								name,
								description: `Channel ${index}`,
								channelType: 'EMAIL',
								providerId,
								accountId,
								feedbackChannelId,
								parameters,
								channelStatusId: 1,
							},
						})),
						output: paired(...items.map(({ name }) => ({ name, channelId: anyUuid(), accountId }))),
					};
				},
			},
		],
		agent(world) {
			const { channelType, provider, accountId } = world.channel('Support Ticket Hook');
			return {
				parameters: {
					name: fromAI('name', 'Name'),
					channelType: idFromAI('type', 'Channel type'),
					providerId: idFromAI('provider', 'Provider ID'),
					accountId: idFromAI('account', 'Account ID'),
					parametersMode: 'json',
				},
				given: { name: 'New', type: channelType.key, provider: provider.providerId, account: accountId },
				request: `POST ${creating}`,
			};
		},
	},
	'channel.getAll': {
		...listCase,
		least: { given: {}, call: { method: 'GET', path: listing } },
		most: { given: allListed.given, call: { method: 'GET', path: listing, query: allListed.query } },
		record,
		scenarios: [
			{
				title: 'all of them, raw, with query parameters',
				prepare: (world) => ({
					items: [{ account: 'a b&c' }, { account: 'ü' }],
					parameters: {
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
						path: listing,
						query: { filter, page: '1' },
					})),
					output: [0, 1].flatMap((item) =>
						world.channels
							.filter(({ name }) => !name.startsWith('Globex'))
							.map(({ channelId, name }) => ({
								json: { channelId, name, provider: expect.any(Object) as unknown },
								pairedItem: { item },
							})),
					),
				}),
			},
			{
				title: 'simplified, with a limit',
				prepare: () => ({
					items: [{}, {}],
					parameters: { limit: 2 },
					requests: [1, 2].map(() => ({ method: 'GET', path: listing })),
					output: [0, 0, 1, 1].map((item) => ({
						json: {
							channelId: anyUuid(),
							name: expect.any(String) as unknown,
							isConnected: expect.any(Boolean) as unknown,
							provider: expect.any(String) as unknown,
						},
						pairedItem: { item },
					})),
				}),
			},
		],
		agent: () => ({
			parameters: { limit: fromAI('limit', 'Limit', 'number') },
			given: { limit: 2 },
			request: `GET ${listing}`,
		}),
	},
	'channel.updateParameters': {
		least: {
			given: { channelId: fromList(ids.channel), parametersMode: 'json' },
			call: {
				method: 'PUT',
				path: parametersOf(ids.channel),
				body: { channelId: ids.channel, parameters: {} },
			},
		},
		most: {
			given: { channelId: byId(ids.channel), parameters: { host: 'mail.example.com' } },
			call: {
				method: 'PUT',
				path: parametersOf(ids.channel),
				body: { channelId: ids.channel, parameters: { host: 'mail.example.com' } },
			},
		},
		required: ['channelId', 'parameters'],
		refused: [
			refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
			refuses('Parameters', (parameters) => ({ parameters }), ...badJson),
		],
		modes: [{ parametersMode: 'json' }],
		labels: { id: 'Channel' },
		lane: {
			together: {
				'other parameters': { parameters: '{"a":1}' },
				'the channel in upper case': { channelId: byId(ids.channel.toUpperCase()) },
			},
			apart: { 'another channel': { channelId: byId(ids.feedback) } },
		},
		fromBody: {
			required: ['channelId', 'parameters'],
			given: (body) => ({ ...body, parametersMode: 'json' }),
		},
		reply: { list: false, known: { channelId: ids.channel }, settled: {} },
		record,
		traits: [],
		scenarios: [
			{
				title: 'from JSON',
				prepare(world) {
					const items = ['Support E-mail', 'Shop Newsletter'].map((name) => ({
						id: world.channel(name).channelId,
						name,
					}));
					const parameters = { host: 'new.example', fromAddress: 'a@example.com', port: 25 };
					return {
						items,
						parameters: {
							channelId: byId('={{ $json.id }}'),
							parametersMode: 'json',
							parameters: JSON.stringify(parameters),
						},
						requests: items.map(({ id }) => ({
							method: 'PUT',
							path: parametersOf(id),
							body: { channelId: id, parameters },
						})),
						output: paired(
							...items.map(({ id, name }) => ({
								channelId: id,
								name,
								isConnected: expect.any(Boolean) as unknown,
							})),
						),
					};
				},
			},
		],
		agent(world) {
			const { channelId } = world.channel('Support Ticket Hook');
			return {
				parameters: {
					channelId: idFromAI('channel', 'ID of the channel'),
					parametersMode: 'json',
					parameters: fromAI('parameters', 'Parameters', 'json'),
				},
				given: { channel: channelId, parameters: { url: 'https://new.acme.example/' } },
				request: `PUT ${parametersOf(channelId)}`,
			};
		},
	},
} satisfies Partial<Record<OperationId, OperationCase>>;
