import type { OperationCase, OperationId, RecordForms } from './case.ts';
import { allListed, listCase } from './lists.ts';
import { additional, anyUuid, badUuids, fromAI, fromList, ids, noText, paired, refuses } from './values.ts';

const accounts = '/api/v1/Admin/Account';

const record: RecordForms = {
	schema: 'Account',
	simplified: {},
	raw: { simplify: false },
	fields: [
		'accountId',
		'name',
		'description',
		'status',
		'organizationId',
		'organizationName',
		'channelCount',
		'channelConnectedCount',
		'apiKeyCount',
		'createdAt',
	],
	example: {
		record: { status: { name: 'Active' }, organization: { organizationId: 'o', name: 'Acme' } },
		gives: { status: 'Active', organizationId: 'o', organizationName: 'Acme' },
	},
};

/** Test cases of the account operations: create, list. */
export const accountCases = {
	'account.create': {
		least: {
			given: { name: 'Support' },
			call: { method: 'POST', path: accounts, body: { name: 'Support' } },
		},
		most: {
			given: {
				additionalFields: { description: 'Answers customers', organizationId: fromList(ids.organization) },
			},
			call: {
				method: 'POST',
				path: accounts,
				body: { name: 'Support', description: 'Answers customers', organizationId: ids.organization },
			},
		},
		required: ['name'],
		refused: [
			refuses('Name', (name) => ({ name }), ...noText),
			refuses('Organization', additional('organizationId'), 'acme', ...badUuids),
			refuses('Description', additional('description'), ['a']),
		],
		modes: [{}],
		labels: { organizationId: 'Organization' },
		lane: null,
		fromBody: {
			required: ['name'],
			given: ({ name, ...additionalFields }) => ({ name, additionalFields }),
		},
		reply: { list: false, known: {}, settled: {} },
		record,
		traits: [],
		scenarios: [
			{
				title: 'under an organization',
				prepare(world) {
					const organizationId = world.channel('Support E-mail').organizationId;
					const items = [{ name: 'Acme North' }, { name: 'Acme South' }];
					const description = 'Parcels that come back';
					return {
						items,
						parameters: {
							name: '={{ $json.name }}',
							additionalFields: { description, organizationId },
						},
						requests: items.map(({ name }) => ({
							method: 'POST',
							path: accounts,
							body: { name, description, organizationId },
						})),
						output: paired(...items.map(({ name }) => ({ accountId: anyUuid(), name, description }))),
					};
				},
			},
		],
		agent: () => ({
			parameters: { name: fromAI('name', 'Name') },
			given: { name: 'New' },
			request: `POST ${accounts}`,
		}),
	},
	'account.getAll': {
		...listCase,
		least: { given: {}, call: { method: 'GET', path: accounts } },
		most: { given: allListed.given, call: { method: 'GET', path: accounts, query: allListed.query } },
		record,
		scenarios: [
			{
				title: 'simplified',
				prepare: (world) => ({
					items: [{}, {}],
					parameters: {},
					requests: [1, 2].map(() => ({ method: 'GET', path: accounts })),
					output: [0, 1].flatMap((item) =>
						['Acme Support', 'Acme Shop'].map((name) => ({
							json: { accountId: world.account(name).accountId, name, status: expect.any(String) as unknown },
							pairedItem: { item },
						})),
					),
				}),
			},
			{
				title: 'all of them, raw',
				prepare: (world) => ({
					items: [{}, {}],
					parameters: { returnAll: true, simplify: false },
					requests: [1, 2].map(() => ({ method: 'GET', path: accounts })),
					output: [0, 1].flatMap((item) =>
						['Acme Support', 'Acme Shop'].map((name) => ({
							json: { accountId: world.account(name).accountId, name, status: expect.any(Object) as unknown },
							pairedItem: { item },
						})),
					),
				}),
			},
		],
		agent: () => ({
			parameters: { limit: fromAI('limit', 'Limit', 'number') },
			given: { limit: 2 },
			request: `GET ${accounts}`,
		}),
	},
} satisfies Partial<Record<OperationId, OperationCase>>;
