import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Input } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import { optionsField, queryParameters } from '../fields/options';
import type { Properties } from '../input/parameter-types';
import {
	type Presentation,
	presentationFields,
	presented,
	readPresentation,
	type RecordShape,
} from './presentation';
import type { ApiCall } from '../service/api-call';
import type { CompiledCall } from './operation';
import { recordsOf } from './records';

/** How many records a list returns. */
const listFields = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		displayOptions: { show: { returnAll: [false] } },
		default: 50,
		description: 'Max number of results to return',
	},
] as const satisfies INodeProperties[];

/** The fields of an operation that lists records. */
export function listOperationFields(shape: RecordShape) {
	return [
		...listFields,
		...presentationFields(shape),
		optionsField([queryParameters]),
	] as const satisfies Properties;
}

type ListInput = Input<ReturnType<typeof listOperationFields>>;

/**
 * Compiles an operation that lists records.
 *
 * @param call makes its call, given the user's query parameters
 */
export function compileList(
	input: ListInput,
	shape: RecordShape,
	call: (query: Array<[string, string]>) => ApiCall,
): CompiledCall {
	const form = readPresentation(input, shape);
	const query = input.collection('options').rows('queryParameters');
	const limit = input.flag('returnAll') ? Infinity : (input.int32('limit') ?? 50);
	if (limit < 1) {
		throw new InvalidParameter(
			input.label('limit'),
			`needs a number from 1 up, but it is ${limit}`,
			'Enter how many results to return, or switch on Return All.',
		);
	}
	return { call: call(query), output: (body) => listOutput(body, limit, form) };
}

/** The output of a list: the json of each record, made on demand. */
function* listOutput(body: unknown, limit: number, form: Presentation): Generator<IDataObject> {
	let count = 0;
	for (const record of recordsOf(body)) {
		if (count === limit) return;
		count += 1;
		yield presented(record, form);
	}
}
