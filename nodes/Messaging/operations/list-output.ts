import type { IDataObject } from 'n8n-workflow';

import type { Input } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { listFields } from '../fields/lists';
import { optionsField, queryParameters } from '../fields/options';
import type { Properties } from '../fields/parameter-types';
import { type Presentation, presentationFields, presented, readPresentation } from './presentation';
import { recordsOf } from './records';
import type { RecordShape } from './simplified';

/** The fields of an operation that lists records. */
export function listOperationFields(shape: RecordShape) {
	return [
		...listFields,
		...presentationFields(shape),
		optionsField([queryParameters]),
	] as const satisfies Properties;
}

type ListInput = Input<ReturnType<typeof listOperationFields>>;

/** How many records a list gives, and in which form. */
export interface ListFacts {
	/** Undefined for all. */
	limit: number | undefined;
	form: Presentation;
}

/** Reads the fields that all lists share. */
export function compileList(
	input: ListInput,
	shape: RecordShape,
): { facts: ListFacts; query: Array<[string, string]> } {
	const form = readPresentation(input, shape);
	const query = input.collection('options').rows('queryParameters');
	if (input.flag('returnAll')) return { facts: { limit: undefined, form }, query };
	const limit = input.int32('limit') ?? 50;
	if (limit >= 1) return { facts: { limit, form }, query };
	throw new InvalidParameter(
		input.label('limit'),
		`needs a number from 1 up, but it is ${limit}`,
		'Enter how many results to return, or switch on Return All.',
	);
}

/** The output of a list: one json for each record, made when it is asked for. */
export function* listOutput(body: unknown, { limit = Infinity, form }: ListFacts): Generator<IDataObject> {
	let count = 0;
	for (const record of recordsOf(body)) {
		if (count === limit) return;
		count += 1;
		yield presented(record, form);
	}
}
