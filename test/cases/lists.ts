/** What the list operations share. */
import type { OperationCase, Parameters, Refusal } from './case.ts';
import { badBooleans, refuses } from './values.ts';

const queried = (...parameters: unknown[]): Parameters => ({ options: { queryParameters: { parameters } } });

/** Values that every list refuses. */
export const listRefusals: readonly Refusal[] = [
	refuses('Limit', (limit) => ({ limit }), 0, -1, 1.5, 'many', 2 ** 31),
	refuses('Return All', (returnAll) => ({ returnAll }), ...badBooleans),
	refuses('Simplify', (simplify) => ({ simplify }), ...badBooleans),
	refuses('Query Parameters', (name) => queried({ name, value: 'x' }), '', ' ', []),
	refuses('Query Parameters > a', (value) => queried({ name: 'a', value }), {}),
];

/** Parameters that ask for all records, with query parameters. */
export const allListed = {
	given: {
		returnAll: true,
		...queried({ name: ' page ', value: '2' }, { name: 'tag', value: 'a&b' }, { name: 'tag', value: '' }),
	},
	query: [
		['page', '2'],
		['tag', 'a&b'],
		['tag', ''],
	],
} as const;

/** Properties of a case that do not apply to lists. */
export const listCase = {
	required: [],
	refused: listRefusals,
	modes: [{}],
	labels: {},
	lane: null,
	fromBody: null,
	reply: { list: true, known: {}, settled: {} },
	traits: [],
} as const satisfies Partial<OperationCase>;
