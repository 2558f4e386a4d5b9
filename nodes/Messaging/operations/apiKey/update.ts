import { apiKeyIdField, collectionField, textField } from '../../fields/builders';
import { InvalidParameter } from '../../input/invalid-parameter';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { apiKeyOptions, apiKeyOutput } from './getCurrent';

/** Changes name and description of an API key: PUT /api/v1/Admin/ApiKey/{id}. The token does not change. */
export const updateApiKey = defineOperation({
	action: 'Update an API key',
	description: 'Change the name or description of an API key. Its token does not change.',
	effect: 'changes',
	fields: [
		apiKeyIdField,
		collectionField('updateFields', [
			textField({
				name: 'description',
				description: 'What the key is for. Empty clears it.',
				placeholder: 'For orders',
			}),
			textField({ name: 'name', description: 'Name of the key', placeholder: 'Order Workflows' }),
		]),
		apiKeyOptions,
	],
	compile(input) {
		const apiKeyId = input.requiredUuid('apiKeyId');
		const fields = input.collection('updateFields');
		const changes = {
			...(fields.has('name') && { name: fields.text('name') }),
			...(fields.has('description') && { description: fields.text('description') }),
		};
		if (Object.keys(changes).length === 0) {
			const hint =
				'Add the Name or the Description under Update Fields. If it is an expression, check that it finds a value for this item.';
			throw new InvalidParameter(input.label('updateFields'), 'is empty: there is nothing to change', hint);
		}
		return {
			call: apiCall('put', '/api/v1/Admin/ApiKey/{id}', {
				ids: { id: apiKeyId },
				body: { apiKeyId, ...changes },
			}),
			lane: `key ${apiKeyId.toLowerCase()}`,
			...apiKeyOutput(input),
		};
	},
});
