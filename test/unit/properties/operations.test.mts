import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import type { CompiledCall } from '../../../nodes/Messaging/operations/operation.ts';
import { named } from '../../../nodes/Messaging/shared/text.ts';
import { cases, endpointIdOf, operationIds, type OperationId } from '../../cases/index.mts';
import { anyOf } from '../support/arbitraries.mts';
import { runs } from '../../runs.mts';
import { problemsOf, unwritable } from '../support/interface.mts';
import { membersOf, operationUnderTest } from '../support/operations.mts';

/** The labels that the editor shows, including those in collections and groups. */
function labelsOf(properties: readonly INodeProperties[]): string[] {
	return properties.flatMap((property) => [
		property.displayName,
		...labelsOf(membersOf(property)),
		...(property.options ?? []).flatMap((option) => ('values' in option ? labelsOf(option.values) : [])),
	]);
}

function expectConforming(id: OperationId, { call }: CompiledCall): void {
	expect(unwritable(call.body ?? {})).toStrictEqual([]);
	if (cases[id].traits.includes('any endpoint')) return;
	const endpoint = endpointIdOf(id);
	// A message accepts fields that the API does not show; they are passed through unchanged.
	const problems = problemsOf(endpoint, call).filter(
		(problem) => endpoint !== 'message.send' || !problem.endsWith('the interface has no such field'),
	);
	expect(problems).toStrictEqual([]);
}

test.each(operationIds)(
	'%s: any parameters give a request that the interface knows, or name the field that does not fit',
	(id) => {
		const { operation, compile } = operationUnderTest(id);
		const labels = labelsOf(operation.fields);
		let accepted = 0;
		let refused = 0;
		fc.assert(
			fc.property(fc.constantFrom({}, cases[id].most.given), anyOf(operation.fields, 3), (base, some) => {
				let compiled: CompiledCall;
				try {
					compiled = compile({ ...base, ...some });
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
		expect(refused).toBeGreaterThan(0);
	},
);
