import type { OperationCase, OperationId, RecordForms } from './case.mts';
import { listCase } from './lists.mts';
import { anyUuid, badUuids, fromList, ids, operationCase, paired, refuses, words } from './values.mts';

const accounts = '/api/v1/Admin/Account';

const record: RecordForms = {
	schema: 'Account',
	simplified: {},
	raw: { simplify: false },
	fields: words(
		'accountId name description status organizationId organizationName channelCount channelConnectedCount apiKeyCount createdAt',
	),
	example: {
		record: { status: { name: 'Active' }, organization: { organizationId: 'o', name: 'Acme' } },
		gives: { status: 'Active', organizationId: 'o', organizationName: 'Acme' },
	},
};

/** Test cases of the account operations: create, list. */
export const accountCases = {
	'account.create': operationCase('POST', accounts, {
		calls: {
			least: { given: { name: 'Support' }, body: { name: 'Support' } },
			most: {
				given: {
					additionalFields: { description: 'Answers customers', organizationId: fromList(ids.organization) },
				},
				body: { name: 'Support', description: 'Answers customers', organizationId: ids.organization },
			},
		},
		required: ['name'],
		refused: [
			refuses('Name', 'name', {}),
			refuses('Organization ID', 'additionalFields.organizationId', ...badUuids),
			refuses('Description', 'additionalFields.description', ['a']),
		],
		fromBody: {
			required: ['name'],
			given: ({ name, ...additionalFields }) => ({ name, additionalFields }),
		},
		record,
		scenarios: {
			'under an organization': (world) => {
				const more = {
					description: 'Parcels that come back',
					organizationId: world.channel('Support E-mail').organizationId,
				};
				const items = [{ name: 'Acme North' }, { name: 'Acme South' }];
				return {
					items,
					parameters: { name: '={{ $json.name }}', additionalFields: more },
					requests: items.map(({ name }) => ({ body: { name, ...more } })),
					output: paired(
						...items.map(({ name }) => ({ accountId: anyUuid(), name, description: more.description })),
					),
				};
			},
		},
	}),
	'account.getAll': listCase(accounts, record, {
		simplified: (world) => ({
			items: [{}, {}],
			parameters: {},
			requests: [{}, {}],
			output: [0, 1].flatMap((item) =>
				['Acme Support', 'Acme Shop'].map((name) => ({
					json: { accountId: world.account(name).accountId, name, status: expect.any(String) as unknown },
					pairedItem: { item },
				})),
			),
		}),
	}),
} satisfies Partial<Record<OperationId, OperationCase>>;
