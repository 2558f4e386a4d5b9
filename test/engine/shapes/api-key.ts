import type { Lab } from '../lab.ts';
import { output, type Shape } from './shape.ts';

/** API keys: change, revoke, look at the one in use. */
export const apiKeyShapes: Shape[] = [
	{
		title: 'apiKey: update',
		operationId: 'apiKey.update',
		prepare(lab) {
			const items = keysOtherThanOwn(lab).map((id) => ({ id }));
			return {
				items,
				parameters: {
					resource: 'apiKey',
					operation: 'update',
					apiKeyId: '={{ $json.id }}',
					// An added field is sent even when empty.
					updateFields: { name: '=Key {{ $itemIndex }}', description: '' },
				},
				requests: items.map(({ id }, index) => ({
					method: 'PUT',
					path: `/api/v1/Admin/ApiKey/${id}`,
					body: { apiKeyId: id, name: `Key ${index}`, description: '' },
				})),
				output: output(
					...items.map(({ id }, index) => expect.objectContaining({ id, name: `Key ${index}` })),
				),
			};
		},
	},
	{
		title: 'apiKey: delete',
		operationId: 'apiKey.delete',
		prepare(lab) {
			const items = keysOtherThanOwn(lab).map((id) => ({ id }));
			return {
				items,
				parameters: { resource: 'apiKey', operation: 'delete', apiKeyId: '={{ $json.id }}' },
				requests: items.map(({ id }) => ({
					method: 'DELETE',
					path: `/api/v1/Admin/ApiKey/${id}`,
					body: undefined,
				})),
				output: output(...items.map(({ id }) => expect.objectContaining({ deleted: true, apiKeyId: id }))),
			};
		},
	},
	{
		title: 'apiKey: getCurrent',
		operationId: 'apiKey.getCurrent',
		prepare(lab) {
			const own = lab.state.apiKeys.find(({ apiKey }) => apiKey === lab.credential.apiKey);
			return {
				items: [{}, {}],
				parameters: { resource: 'apiKey', operation: 'getCurrent' },
				requests: [0, 1].map(() => ({ method: 'GET', path: '/api/v1/Me', body: undefined })),
				output: output(...[0, 1].map(() => expect.objectContaining({ id: own?.id, name: own?.name }))),
			};
		},
	},
];

function keysOtherThanOwn(lab: Lab): string[] {
	return lab.state.apiKeys
		.filter(({ apiKey, name }) => apiKey !== lab.credential.apiKey && name.startsWith('Acme'))
		.map(({ id }) => id);
}
