import { first, missing, uuid } from './shape.ts';
import type { RequestShape } from './shape.ts';

/** Creating and listing accounts. */
export const accounts: RequestShape[] = [
	{
		title: 'account: create',
		operationId: 'account.create',
		prepare: (world) => {
			const organizationId =
				world.account('Acme Shop').organization?.organizationId ?? missing('organization');
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
