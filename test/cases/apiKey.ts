import type { World } from '../../dev/harness/world.ts';
import type { OperationCase, OperationId, RecordForms } from './case.ts';
import { badBooleans, badUuids, fromAI, ids, paired, refuses } from './values.ts';

const pathOf = (id: string) => `/api/v1/Admin/ApiKey/${id}`;

/** Keys that may be changed or revoked; the tests use another one to sign in. */
const others = (world: World) => ['Acme Support key', 'Acme Shop key'].map((name) => world.key(name));

const idRefusals = [
	refuses('API Key ID', (apiKeyId) => ({ apiKeyId }), '', ' ', null, ...badUuids, `{${ids.key}}`),
];
const tokenRefusal = refuses(
	'Include Token',
	(includeToken) => ({ options: { includeToken } }),
	...badBooleans,
);

/** The whole record is the default. */
const record: RecordForms = {
	schema: 'ApiKey',
	simplified: { options: { simplify: true } },
	raw: {},
	fields: [
		'apiKeyId',
		'name',
		'type',
		'accountId',
		'accountName',
		'organizationId',
		'planLimit',
		'planSeconds',
		'description',
		'createdAt',
	],
	example: {
		record: { id: 'k', account: { name: 'Support' }, resourcePlan: { limit: 50, seconds: 1 } },
		gives: { apiKeyId: 'k', accountName: 'Support', planLimit: 50, planSeconds: 1 },
	},
};

/** Test cases of the API key operations: change, revoke, get the current one. */
export const apiKeyCases = {
	'apiKey.update': {
		least: {
			given: { apiKeyId: ids.key, updateFields: { name: 'Orders' } },
			call: { method: 'PUT', path: pathOf(ids.key), body: { apiKeyId: ids.key, name: 'Orders' } },
		},
		most: {
			given: { updateFields: { name: 'Orders', description: 'For orders' } },
			call: {
				method: 'PUT',
				path: pathOf(ids.key),
				body: { apiKeyId: ids.key, name: 'Orders', description: 'For orders' },
			},
		},
		required: ['apiKeyId'],
		refused: [
			...idRefusals,
			tokenRefusal,
			refuses('Update Fields', () => ({ updateFields: {} }), null),
			refuses('Name', (name) => ({ updateFields: { name } }), {}),
			refuses('Description', (description) => ({ updateFields: { description } }), [], {}),
		],
		modes: [{}],
		labels: { id: 'API Key ID' },
		lane: {
			together: {
				'another name': { updateFields: { name: 'B' } },
				'the id in upper case': { apiKeyId: ids.key.toUpperCase() },
			},
			apart: { 'another key': { apiKeyId: ids.package } },
		},
		fromBody: {
			required: ['apiKeyId', 'name'],
			given: ({ apiKeyId, ...updateFields }) => ({ apiKeyId, updateFields }),
		},
		reply: { list: false, known: {}, settled: {} },
		record,
		traits: ['shows a token'],
		scenarios: [
			{
				title: 'with an emptied description',
				prepare(world) {
					const items = others(world).map(({ id }) => ({ id }));
					return {
						items,
						parameters: {
							apiKeyId: '={{ $json.id }}',
							// An added field is sent even when empty.
							updateFields: { name: '=Key {{ $itemIndex }}', description: '' },
						},
						requests: items.map(({ id }, index) => ({
							method: 'PUT',
							path: pathOf(id),
							body: { apiKeyId: id, name: `Key ${index}`, description: '' },
						})),
						output: paired(...items.map(({ id }, index) => ({ id, name: `Key ${index}`, description: '' }))),
					};
				},
			},
		],
		agent(world) {
			const { id } = world.key('Acme Shop key');
			return {
				parameters: { apiKeyId: fromAI('id', 'ID'), updateFields: { name: fromAI('name', 'Name') } },
				given: { id, name: 'Renamed' },
				request: `PUT ${pathOf(id)}`,
			};
		},
	},
	'apiKey.delete': {
		least: { given: { apiKeyId: ids.key }, call: { method: 'DELETE', path: pathOf(ids.key) } },
		most: {
			given: { options: { allowRevokingKeyInUse: true } },
			call: { method: 'DELETE', path: pathOf(ids.key) },
		},
		required: ['apiKeyId'],
		refused: idRefusals,
		modes: [{}],
		labels: { id: 'API Key ID' },
		lane: {
			together: { 'the id in upper case': { apiKeyId: ids.key.toUpperCase() } },
			apart: { 'another key': { apiKeyId: ids.package } },
		},
		fromBody: null,
		reply: { list: false, known: { apiKeyId: ids.key }, settled: { deleted: true } },
		record: null,
		traits: ['asks first'],
		scenarios: [
			{
				title: 'for good',
				prepare(world) {
					const items = others(world).map(({ id }) => ({ id }));
					return {
						items,
						parameters: { apiKeyId: '={{ $json.id }}' },
						requests: items.map(({ id }) => ({ method: 'DELETE', path: pathOf(id) })),
						output: paired(...items.map(({ id }) => ({ deleted: true, apiKeyId: id }))),
					};
				},
			},
		],
		agent(world) {
			const { id } = world.key('Acme Shop key');
			return {
				parameters: { apiKeyId: fromAI('id', 'ID of the key') },
				given: { id },
				request: `DELETE ${pathOf(id)}`,
			};
		},
	},
	'apiKey.getCurrent': {
		least: { given: {}, call: { method: 'GET', path: '/api/v1/Me' } },
		most: {
			given: { options: { includeToken: true, simplify: true } },
			call: { method: 'GET', path: '/api/v1/Me' },
		},
		required: [],
		refused: [tokenRefusal],
		modes: [{}],
		labels: {},
		lane: null,
		fromBody: null,
		reply: { list: false, known: {}, settled: {} },
		record,
		traits: ['shows a token'],
		scenarios: [
			{
				title: 'as it came',
				prepare(world) {
					const { id, name } = world.key('Acme organization key');
					return {
						items: [{}, {}],
						parameters: {},
						requests: [1, 2].map(() => ({ method: 'GET', path: '/api/v1/Me' })),
						output: paired(...[1, 2].map(() => ({ id, name, resourcePlan: expect.any(Object) as unknown }))),
					};
				},
			},
		],
		agent: () => ({ parameters: {}, given: {}, request: 'GET /api/v1/Me' }),
	},
} satisfies Partial<Record<OperationId, OperationCase>>;
