import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import type { Operation, CompiledCall } from '../../../nodes/Messaging/operations/operation.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { named } from '../../../nodes/Messaging/shared/text.ts';
import { operations } from '../../../nodes/Messaging/operations/index.ts';
import { endpointIdOf, type OperationId, type Parameters } from '../../cases/index.ts';
import { anyFor, runs, validFor } from '../support/arbitraries.ts';
import { problemsOf, unwritable } from '../support/interface.ts';
import { sourceOf } from '../../cases/source.ts';
import { membersOf } from '../support/operations.ts';

const compile = (operation: Operation, given: Parameters) =>
	operation.compile(sourceOf(operation.fields, given));

/** Parameters of an operation, each made by `valueFor`; optional ones are sometimes left out. */
function parametersOf(
	operation: Operation,
	valueFor: (property: INodeProperties) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Parameters> {
	const fields = operation.fields.map((field) => [field.name, valueFor(field)] as const);
	// The editor does not mark a collection as required, but an update needs one.
	const required = operation.fields
		.filter((field) => field.required || field.name === 'updateFields')
		.map(({ name }) => name);
	return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

/** The labels that the editor shows, including those in collections. */
function labelsOf(properties: readonly INodeProperties[]): string[] {
	return properties.flatMap((property) => [property.displayName, ...labelsOf(membersOf(property))]);
}

const cases = operations.map((operation) => ({ id: `${operation.resource}.${operation.name}`, operation }));

function expectConforming(id: string, { call }: CompiledCall): void {
	const endpoint = endpointIdOf(id as OperationId);
	// A message accepts fields that the API does not show; they are passed through unchanged.
	const problems = problemsOf(endpoint, call).filter(
		(problem) => endpoint !== 'message.send' || !problem.endsWith('must NOT have additional properties'),
	);
	expect(problems).toStrictEqual([]);
	expect(unwritable(call.body ?? {})).toStrictEqual([]);
}

describe.each(cases)('$id', ({ id, operation }) => {
	const labels = labelsOf(operation.fields);

	test('any parameters give a request that the interface knows, or name the field that does not fit', () => {
		let accepted = 0;
		let refused = 0;
		fc.assert(
			fc.property(parametersOf(operation, anyFor), (given) => {
				let compiled: CompiledCall;
				try {
					compiled = compile(operation, given);
				} catch (error) {
					if (!(error instanceof InvalidParameter)) throw error;
					const [label = ''] = error.field.split(' > ');
					expect(labels).toContain(label);
					// Invisible characters are escaped.
					expect(error.message).toContain(named(error.field, Infinity));
					refused++;
					return;
				}
				expectConforming(id, compiled);
				accepted++;
			}),
			runs(400),
		);
		expect(accepted).toBeGreaterThan(0);
		// An operation that reads only options can hardly be called wrongly.
		if (operation.fields.length > 1) expect(refused).toBeGreaterThan(0);
	});

	test('valid parameters are never refused', () => {
		fc.assert(
			fc.property(parametersOf(operation, validFor), (given) =>
				expectConforming(id, compile(operation, given)),
			),
			runs(200),
		);
	});
});
