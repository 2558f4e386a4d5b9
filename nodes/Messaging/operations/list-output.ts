import type { IDataObject } from 'n8n-workflow';

import { flagField, int32Field } from '../fields/builders';
import { optionsField, queryParameters } from '../fields/options';
import type { Input } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import type { Properties } from '../input/parameter-types';
import type { ApiCall } from '../service/api-call';
import type { CompiledCall } from './operation';
import { presentationFields, presenter, type RecordShape } from './presentation';
import { recordsOf } from './records';

/** The fields of an operation that lists records. */
export function listOperationFields(shape: RecordShape) {
	return [
		flagField({
			name: 'returnAll',
			description: 'Whether to return all results or only up to a given limit',
		}),
		int32Field({
			name: 'limit',
			description: 'Max number of results to return',
			default: 50,
			displayOptions: { show: { returnAll: [false] } },
			typeOptions: { minValue: 1 },
		}),
		...presentationFields(shape),
		optionsField([queryParameters]),
	] as const satisfies Properties;
}

/**
 * Compiles an operation that lists records.
 *
 * @param call makes its call, given the user's query parameters
 */
export function compileList(
	input: Input<ReturnType<typeof listOperationFields>>,
	shape: RecordShape,
	call: (query: Array<[string, string]>) => ApiCall,
): CompiledCall {
	const present = presenter(input, shape);
	const query = input.collection('options').rows('queryParameters');
	const limit = input.flag('returnAll') ? Infinity : (input.int32('limit') ?? 50);
	if (limit < 1) {
		throw new InvalidParameter(
			input.label('limit'),
			`needs a number from 1 up, but it is ${limit}`,
			'Enter how many results to return, or switch on Return All.',
		);
	}
	return {
		call: call(query),
		*output(body): Generator<IDataObject> {
			for (const record of recordsOf(body).slice(0, limit)) yield present(record);
		},
	};
}
