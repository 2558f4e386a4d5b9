import type { OperationCase, OperationId } from './case.mts';
import { ids, operationCase, refuses } from './values.mts';

const path = '/sandbox/outbox';

/** Test cases of Call an Endpoint, with the list of outbox entries that the sandbox has under a path of its own. */
export const serviceCases = {
	'service.request': {
		...operationCase('GET', path, {
			calls: {
				least: { given: { path }, query: [], lists: true },
				most: {
					given: {
						method: 'POST',
						queryParameters: { parameters: [{ name: 'statusName', value: 'Failed' }] },
						sendBody: true,
						body: { ids: [ids.entry] },
						splitItems: false,
						options: { includeToken: true },
					},
					query: [['statusName', 'Failed']],
					body: { ids: [ids.entry] },
					lists: false,
				},
			},
			required: ['path'],
			refused: [
				refuses(
					'Path',
					'path',
					'orders',
					'https://other.example/orders',
					'//other.example/orders',
					'/a?b=1',
					'/a#b',
				),
				refuses(
					'Path',
					'path',
					'/a/../b',
					'/a/%2e%2E/b',
					'/a/.%252e/b',
					'/..;/b',
					'/a/./b',
					'/a//b',
					'/a\\b',
					'/a\n/b',
					'/a\ud83d',
				),
				refuses('Method', 'method', 'HEAD', 'get'),
				refuses('Split Items', 'splitItems', 'maybe'),
				refuses(
					'Query Parameters > 1 > Name',
					(name) => ({
						queryParameters: { parameters: [{ name, value: 'x' }] },
					}),
					' ',
				),
				refuses('Body', (body) => ({ method: 'POST', sendBody: true, body }), '', '{bad', '[bad', 5),
				refuses('Include Token', 'options.includeToken', 'maybe'),
			],
			reply: { list: true },
			traits: ['shows a token', 'any endpoint'],
			scenarios: {
				'one item for each record of a list': (world) => {
					const { channelId } = world.channel('Support Ticket Hook');
					const statuses = ['Failed', 'Cancelled'];
					const parameters = [
						{ name: 'channelId', value: channelId },
						{ name: 'statusName', value: '={{ $json.status }}' },
					];
					return {
						items: statuses.map((status) => ({ status })),
						parameters: { path, queryParameters: { parameters } },
						requests: statuses.map((statusName) => ({ query: { channelId, statusName } })),
						output: statuses.flatMap((statusName, item) =>
							world.entries('Support Ticket Hook', statusName).map(({ httpSenderOutboxEntryId }) => ({
								json: { httpSenderOutboxEntryId, channelId, statusName },
								pairedItem: { item },
							})),
						),
					};
				},
			},
		}),
		endpoint: 'outbox.get',
	},
} satisfies Partial<Record<OperationId, OperationCase>>;
