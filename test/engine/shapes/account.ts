import type { IDataObject } from 'n8n-workflow';
import { anyUuid, output, type Shape } from './shape.ts';

/** Accounts: create, list. */
export const accountShapes: Shape[] = [
	{
		title: 'account: create',
		operationId: 'account.create',
		prepare(lab) {
			const organizationId = lab.state.organizations[0]?.organizationId ?? '';
			const items = [{ name: 'Acme North' }, { name: 'Acme South' }];
			return {
				items,
				parameters: {
					resource: 'account',
					operation: 'create',
					name: '={{ $json.name }}',
					additionalFields: { description: 'New', organizationId },
				},
				requests: items.map(({ name }) => ({
					method: 'POST',
					path: '/api/v1/Admin/Account',
					body: { name, description: 'New', organizationId },
				})),
				output: output(...items.map(({ name }) => expect.objectContaining({ name, accountId: anyUuid }))),
			};
		},
	},
	{
		title: 'account: getAll',
		operationId: 'account.getAll',
		prepare(lab) {
			const reached = lab.state.accounts.filter(({ name }) => name?.startsWith('Acme'));
			return {
				items: [{}, {}],
				parameters: { resource: 'account', operation: 'getAll' },
				requests: [0, 1].map(() => ({ method: 'GET', path: '/api/v1/Admin/Account', body: undefined })),
				output: [0, 1].flatMap((item) =>
					reached.map(({ accountId, name }) => ({
						json: expect.objectContaining({ accountId, name }) as IDataObject,
						pairedItem: { item },
					})),
				),
			};
		},
	},
];
