import { first } from './shape.ts';
import type { RequestShape } from './shape.ts';

/** Updating, revoking and looking at keys. */
export const apiKeys: RequestShape[] = [
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
