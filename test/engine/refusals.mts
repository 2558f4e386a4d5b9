import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { findOperation } from '../../nodes/Messaging/operations/index.ts';
import { cases, operationIds, type Parameters } from '../cases/index.mts';
import { membersOf } from '../unit/support/operations.mts';

/** Placeholder for the item's value while its parameters are made. */
const marker = '={{ $json.value }}';

/** Parameters that hold the item's value; JSON as an expression that makes it. */
function expressionsOf(given: Parameters, fields: readonly INodeProperties[]): INodeParameters {
	const expressed = Object.entries(given).map(([name, value]) => {
		const field = fields.find((candidate) => candidate.name === name);
		if (field?.type === 'json' && typeof value === 'object') {
			const json = JSON.stringify(value, null, ' ').replaceAll(JSON.stringify(marker), '$json.value');
			return [name, `={{ (${json}) }}`];
		}
		const isCollection = field?.type === 'collection' && typeof value === 'object' && value !== null;
		return [name, isCollection ? expressionsOf(value as Parameters, membersOf(field)) : value];
	});
	return Object.fromEntries(expressed) as INodeParameters;
}

/** Every refusal of every operation, with parameters that take the tested value from their item. */
export const refusals = operationIds.flatMap((id) => {
	const [resource = '', operation = ''] = id.split('.');
	const { least, refused } = cases[id];
	const fields = findOperation(resource, operation)?.fields ?? [];
	return refused.map(({ field, at, values }) => ({
		id,
		field,
		at: JSON.stringify(at('…')),
		values,
		parameters: {
			resource,
			operation,
			...expressionsOf({ ...least.given, ...at(marker) }, fields),
		} as INodeParameters,
	}));
});
