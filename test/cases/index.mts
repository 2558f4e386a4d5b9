/** The test cases of all operations, shared by the unit, engine and end-to-end tests. */
import { accountCases } from './account.mts';
import { apiKeyCases } from './apiKey.mts';
import type { INodeParameters } from 'n8n-workflow';
import type { EndpointId, OperationCase, OperationId, Parameters, Scenario } from './case.mts';
import { channelCases } from './channel.mts';
import { messageCases } from './message.mts';
import { outboxCases } from './outbox.mts';
import { serviceCases } from './service.mts';

export type * from './case.mts';

/** A case for each operation; a missing one is a compile error. */
const byOperation = {
	...accountCases,
	...apiKeyCases,
	...channelCases,
	...messageCases,
	...outboxCases,
	...serviceCases,
} satisfies Record<OperationId, OperationCase>;

export const cases: Readonly<Record<OperationId, OperationCase>> = byOperation;

/** All operations that have cases. */
export const operationIds = Object.keys(cases) as readonly OperationId[];

/** The API operation whose endpoint an operation calls. */
export function endpointIdOf(id: OperationId): EndpointId {
	// Only operations that set `endpoint` have an id that the API does not know.
	return cases[id].endpoint ?? (id as EndpointId);
}

/** The API operation as which the sandbox logs the requests; null for an endpoint that the interface does not have. */
export function loggedAs(id: OperationId): EndpointId | null {
	return cases[id].traits.includes('any endpoint') ? null : endpointIdOf(id);
}

/** The operations whose cases match. */
export function idsWhere(fits: (ofOperation: OperationCase) => boolean): OperationId[] {
	return operationIds.filter((id) => fits(cases[id]));
}

/**
 * The minimal parameters of an operation, and these. Preliminary requests are switched off, so that the call is the
 * first request.
 */
export function unaskedParameters(id: OperationId, more: Parameters = {}): INodeParameters {
	const [resource, operation] = id.split('.');
	const { least, most, traits } = cases[id];
	const unasked = traits.includes('asks first') ? most.given : {};
	return { resource, operation, ...least.given, ...unasked, ...more } as INodeParameters;
}

/** All scenarios, each with a unique title. */
export const scenarios: ReadonlyArray<Scenario & { id: OperationId; resource: string; operation: string }> =
	operationIds.flatMap((id) => {
		const [resource = '', operation = ''] = id.split('.');
		return cases[id].scenarios.map((scenario) => ({
			...scenario,
			title: `${id}: ${scenario.title}`,
			id,
			resource,
			operation,
		}));
	});
