/** What the list operations share. */
import type { OperationCase, Parameters, RecordForms, Trait } from './case.mts';
import { operationCase, refuses, type Scenarios } from './values.mts';

const queried = (...parameters: unknown[]): Parameters => ({ options: { queryParameters: { parameters } } });

/** The case of an operation that lists records. */
export function listCase(
	path: string,
	record: RecordForms,
	scenarios: Scenarios,
	traits: readonly Trait[] = [],
): OperationCase {
	return operationCase('GET', path, {
		calls: {
			least: { given: {}, query: [] },
			most: {
				given: {
					returnAll: true,
					...queried(
						{ name: ' page ', value: '2' },
						{ name: 'tag', value: 'a&b' },
						{ name: 'tag', value: '' },
					),
				},
				query: [
					['page', '2'],
					['tag', 'a&b'],
					['tag', ''],
				],
			},
		},
		refused: [
			refuses('Limit', 'limit', 0, -1, 1.5),
			refuses('Return All', 'returnAll', 'maybe'),
			refuses('Simplify', 'simplify', 'maybe'),
			refuses('Query Parameters > 1 > Name', (name) => queried({ name, value: 'x' }), '', ' ', []),
			refuses('Name Contains', 'options.nameContains', {}),
			refuses('Query Parameters > 1 > Value', (value) => queried({ name: 'a', value }), {}),
		],
		reply: { list: true },
		record,
		traits,
		scenarios,
	});
}
