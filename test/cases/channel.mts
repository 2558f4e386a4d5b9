import type { OperationCase, OperationId, RecordForms } from './case.mts';
import { listCase } from './lists.mts';
import {
	anyUuid,
	badJson,
	badUuids,
	byId,
	fromList,
	ids,
	operationCase,
	paired,
	refuses,
	words,
} from './values.mts';

const creating = '/api/v1/message/Configure/CreateChannel';
const listing = '/api/v1/Admin/Channel';
const parametersOf = (id: string) => `/api/v1/Admin/Channel/${id}/parameters`;

const record: RecordForms = {
	schema: 'Channel',
	simplified: {},
	raw: { simplify: false },
	fields: words(
		'channelId name channelType provider isConnected status canSendAndReceiveMessage accountId accountName stateUpdatedAt',
	),
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

/** After an update, the parameters are among the useful fields. */
const updated: RecordForms = {
	...record,
	fields: words(
		'channelId name parameters channelType provider isConnected status canSendAndReceiveMessage accountId stateUpdatedAt',
	),
	example: {
		record: { name: 'Inbox', parameters: { host: 'mail.example.com' } },
		gives: { name: 'Inbox', parameters: '{"host":"mail.example.com"}' },
	},
};

const created = { name: 'Inbox', channelType: 'EMAIL', providerId: ids.provider, accountId: ids.account };

/** Test cases of the channel operations: create, list, change. */
export const channelCases = {
	'channel.create': operationCase('POST', creating, {
		calls: {
			least: {
				given: { ...created, accountId: fromList(ids.account), parametersMode: 'json' },
				body: { ...created, parameters: {} },
			},
			most: {
				given: {
					parameters: '{"host":"mail.example.com"}',
					additionalFields: {
						description: 'Mail',
						feedbackChannelId: fromList(ids.feedback),
						channelStatusId: 0,
					},
				},
				body: {
					...created,
					description: 'Mail',
					feedbackChannelId: ids.feedback,
					parameters: { host: 'mail.example.com' },
					channelStatusId: 0,
				},
			},
		},
		required: ['name', 'channelType', 'providerId', 'accountId'],
		refused: [
			refuses('Name', 'name', {}),
			refuses('Provider', 'providerId', ...badUuids),
			refuses('Account', (accountId) => ({ accountId: byId(accountId) }), ...badUuids),
			refuses('Parameters', 'parameters', ...badJson),
			refuses('Feedback Channel', 'additionalFields.feedbackChannelId', ...badUuids),
			refuses('Channel Status ID', 'additionalFields.channelStatusId', 'new', 1.5),
			refuses('Description', 'additionalFields.description', {}),
		],
		fromBody: {
			required: ['name', 'channelType', 'providerId', 'accountId', 'parameters'],
			given: ({ description, feedbackChannelId, channelStatusId, ...fields }) => ({
				...fields,
				parametersMode: 'json',
				additionalFields: { description, feedbackChannelId, channelStatusId },
			}),
		},
		record,
		traits: ['shows a token'],
		scenarios: {
			'with all of its fields': (world) => {
				const { accountId } = world.account('Acme Shop');
				const fields = {
					channelType: 'EMAIL',
					providerId: world.channel('Shop Newsletter').provider.providerId,
				};
				const feedbackChannelId = world.channel('Support Feedback').channelId;
				const parameters = { host: 'mail.example', fromAddress: 'a@example.com', port: 25 };
				const items = [{ name: 'First' }, { name: 'Second' }];
				return {
					items,
					parameters: {
						name: '={{ $json.name }}',
						...fields,
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
						body: {
							...fields,
							name,
							description: `Channel ${index}`,
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
	}),
	'channel.getAll': listCase(
		listing,
		record,
		{
			'all of them, raw, with query parameters': (world) => ({
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
				requests: ['a b&c', 'ü'].map((filter) => ({ query: { filter, page: '1' } })),
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
		['shows a token'],
	),
	'channel.updateParameters': operationCase('PUT', parametersOf(ids.channel), {
		calls: {
			least: {
				given: { channelId: fromList(ids.channel), parametersMode: 'json', parameters: { port: 25 } },
				body: { channelId: ids.channel, parameters: { port: 25 } },
			},
			most: {
				given: { channelId: byId(ids.channel), parameters: { host: 'mail.example.com' } },
				body: { channelId: ids.channel, parameters: { host: 'mail.example.com' } },
			},
		},
		required: ['channelId', 'parameters'],
		refused: [
			refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
			refuses('Parameters', 'parameters', ...badJson, {}, '{}'),
		],
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
			isTaken: ({ parameters }) => Object.keys(parameters as object).length > 0,
		},
		reply: { ownFields: { channelId: ids.channel } },
		record: updated,
		traits: ['shows a token'],
		scenarios: {
			'from JSON': (world) => {
				const names = ['Support E-mail', 'Shop Newsletter'];
				const items = names.map((name) => ({ id: world.channel(name).channelId, name }));
				const isConnected: unknown = expect.any(Boolean);
				const parameters = { host: 'new.example', fromAddress: 'a@example.com', port: 25 };
				return {
					items,
					parameters: {
						channelId: byId('={{ $json.id }}'),
						parametersMode: 'json',
						parameters: JSON.stringify(parameters),
					},
					requests: items.map(({ id }) => ({ path: parametersOf(id), body: { channelId: id, parameters } })),
					output: paired(...items.map(({ id, name }) => ({ channelId: id, name, isConnected }))),
				};
			},
		},
	}),
} satisfies Partial<Record<OperationId, OperationCase>>;
