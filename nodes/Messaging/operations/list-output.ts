import type { IDataObject } from 'n8n-workflow';

import type { Input } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { listFields, simplifyField } from '../fields/lists';
import { optionsField, queryParameters } from '../fields/options';
import type { Properties } from '../fields/parameter-types';
import { asText, isPlainObject } from '../fields/values';
import { pick, recordsOf, withReply } from './records';

/** The fields of an operation that lists records. */
export const listOperationFields = [
	...listFields,
	simplifyField,
	optionsField([queryParameters]),
] as const satisfies Properties;

/** How many records a list gives, and in which form. */
export interface ListFacts {
	/** Undefined for all. */
	limit: number | undefined;
	simplify: boolean;
}

/** Reads the fields that all lists share. */
export function compileList(input: Input<typeof listOperationFields>): {
	facts: ListFacts;
	query: Array<[string, string]>;
} {
	const simplify = input.flag('simplify');
	const query = readQuery(input);
	if (input.flag('returnAll')) return { facts: { limit: undefined, simplify }, query };
	const limit = input.int32('limit') ?? 50;
	if (limit >= 1) return { facts: { limit, simplify }, query };
	throw new InvalidParameter(
		input.label('limit'),
		`needs a number from 1 up, but it is ${limit}`,
		'Enter how many results to return, or switch on Return All.',
	);
}

/**
 * The output of a list: one json for each record.
 *
 * @param simple where the fields of a simplified record stand
 */
export function listOutput(
	body: unknown,
	{ limit, simplify }: ListFacts,
	simple: Readonly<Record<string, string>>,
): IDataObject[] {
	return recordsOf(body)
		.slice(0, limit)
		.map((record) => (simplify ? pick(record, simple) : withReply(record)));
}

function readQuery(input: Input<typeof listOperationFields>): Array<[string, string]> {
	const added = input.collection('options').raw('queryParameters');
	const rows: unknown = isPlainObject(added) ? added.parameters : undefined;
	return (Array.isArray(rows) ? rows : []).flatMap((row: unknown): Array<[string, string]> => {
		const { name, value } = isPlainObject(row) ? row : {};
		const parameter = asText(name, queryParameters.displayName).trim();
		const content = asText(value, queryParameters.displayName);
		if (parameter !== '') return [[parameter, content]];
		if (content === '') return [];
		throw new InvalidParameter(
			queryParameters.displayName,
			'has a value without a name',
			'Enter the name of the parameter, or remove the row.',
		);
	});
}
