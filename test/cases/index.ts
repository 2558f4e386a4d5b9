/** What the tests know of each operation, once: unit, engine, sandbox and end-to-end tests go through it. */
import { accountCases } from './account.ts';
import { apiKeyCases } from './apiKey.ts';
import type { INodeParameters } from 'n8n-workflow';
import type { EndpointId, OperationCase, OperationId, Parameters, Scenario } from './case.ts';
import { channelCases } from './channel.ts';
import { messageCases } from './message.ts';
import { outboxCases } from './outbox.ts';

export type * from './case.ts';

/** A case for each operation: one that is missing does not compile. */
const byOperation = {
	...accountCases,
	...apiKeyCases,
	...channelCases,
	...messageCases,
	...outboxCases,
} satisfies Record<OperationId, OperationCase>;

/** The case of an operation. */
export const cases: Readonly<Record<OperationId, OperationCase>> = byOperation;

/** The operations that there are cases of. */
export const operationIds = Object.keys(cases) as readonly OperationId[];

/** The operation of the interface whose endpoint an operation calls. */
export function endpointIdOf(id: OperationId): EndpointId {
	// Only those that name another one have a name that the interface does not know.
	return cases[id].endpoint ?? (id as EndpointId);
}

/** The operations whose cases are like that. */
export function idsWhere(fits: (ofOperation: OperationCase) => boolean): OperationId[] {
	return operationIds.filter((id) => fits(cases[id]));
}

/**
 * The parameters of an operation: the least that it needs, and these. What would ask the service something before its
 * call is told not to, so that the first request is the call.
 */
export function unaskedParameters(id: OperationId, more: Parameters = {}): INodeParameters {
	const [resource, operation] = id.split('.');
	const { least, most, traits } = cases[id];
	const unasked = traits.includes('asks first') ? most.given : {};
	return { resource, operation, ...least.given, ...unasked, ...more } as INodeParameters;
}

/** All scenarios, each with a title of its own. */
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
