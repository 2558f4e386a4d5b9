import type { World } from '../../dev/harness/world.mts';
import type { OperationCase, OperationId, RecordForms } from './case.mts';
import { badUuids, ids, operationCase, paired, refuses, words } from './values.mts';

const pathOf = (id: string) => `/api/v1/Admin/ApiKey/${id}`;

/** Keys that may be changed or revoked; the tests use another one to sign in. */
const others = (world: World) =>
	['Acme Support key', 'Acme Shop key'].map((name) => ({ id: world.key(name).id }));

const idRefusal = refuses('API Key ID', 'apiKeyId', ...badUuids);
const tokenRefusal = refuses('Include Token', 'options.includeToken', 'maybe');

/** Changes of one key keep their order. */
const lane = {
	together: { 'the id in upper case': { apiKeyId: ids.key.toUpperCase() } },
	apart: { 'another key': { apiKeyId: ids.package } },
};

/** The whole record is the default. */
const record: RecordForms = {
	schema: 'ApiKey',
	simplified: { options: { simplify: true } },
	raw: {},
	fields: words(
		'apiKeyId name type accountId accountName organizationId planLimit planSeconds description createdAt',
	),
	example: {
		record: { id: 'k', account: { name: 'Support' }, resourcePlan: { limit: 50, seconds: 1 } },
		gives: { apiKeyId: 'k', accountName: 'Support', planLimit: 50, planSeconds: 1 },
	},
};

/** Test cases of the API key operations: change, revoke, get the current one. */
export const apiKeyCases = {
	'apiKey.update': operationCase('PUT', pathOf(ids.key), {
		calls: {
			least: {
				given: { apiKeyId: ids.key, updateFields: { name: 'Orders' } },
				body: { apiKeyId: ids.key, name: 'Orders' },
			},
			most: {
				given: { updateFields: { name: 'Orders', description: 'For orders' } },
				body: { apiKeyId: ids.key, name: 'Orders', description: 'For orders' },
			},
		},
		required: ['apiKeyId'],
		refused: [
			idRefusal,
			tokenRefusal,
			refuses('Update Fields', () => ({ updateFields: {} }), null),
			refuses('Name', 'updateFields.name', {}),
			refuses('Description', 'updateFields.description', [], {}),
		],
		lane,
		fromBody: {
			required: ['apiKeyId', 'name'],
			given: ({ apiKeyId, ...updateFields }) => ({ apiKeyId, updateFields }),
		},
		record,
		traits: ['shows a token'],
		scenarios: {
			'with an emptied description': (world) => {
				const items = others(world);
				return {
					items,
					parameters: {
						apiKeyId: '={{ $json.id }}',
						// An added field is sent even when empty.
						updateFields: { name: '=Key {{ $itemIndex }}', description: '' },
					},
					requests: items.map(({ id }, index) => ({
						path: pathOf(id),
						body: { apiKeyId: id, name: `Key ${index}`, description: '' },
					})),
					output: paired(...items.map(({ id }, index) => ({ id, name: `Key ${index}`, description: '' }))),
				};
			},
		},
	}),
	'apiKey.delete': operationCase('DELETE', pathOf(ids.key), {
		calls: {
			least: { given: { apiKeyId: ids.key } },
			most: { given: { options: { allowRevokingKeyInUse: true } } },
		},
		required: ['apiKeyId'],
		refused: [idRefusal],
		lane,
		reply: { ownFields: { apiKeyId: ids.key }, settled: { deleted: true } },
		traits: ['asks first'],
		scenarios: {
			'for good': (world) => {
				const items = others(world);
				return {
					items,
					parameters: { apiKeyId: '={{ $json.id }}' },
					requests: items.map(({ id }) => ({ path: pathOf(id) })),
					output: paired(...items.map(({ id }) => ({ deleted: true, apiKeyId: id }))),
				};
			},
		},
	}),
	'apiKey.getCurrent': operationCase('GET', '/api/v1/Me', {
		calls: {
			least: { given: {} },
			most: { given: { options: { includeToken: true, simplify: true } } },
		},
		refused: [tokenRefusal],
		record,
		traits: ['shows a token'],
		scenarios: {
			'as it came': (world) => {
				const { id, name } = world.key('Acme organization key');
				return {
					items: [{}, {}],
					parameters: {},
					requests: [{}, {}],
					output: paired(...[1, 2].map(() => ({ id, name, resourcePlan: expect.any(Object) as unknown }))),
				};
			},
		},
	}),
} satisfies Partial<Record<OperationId, OperationCase>>;
