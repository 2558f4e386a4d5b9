import type { INodeProperties } from 'n8n-workflow';

/** Options that every operation has. */
const common = [
	{
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		description: 'How many requests may be under way at once. 0 lets the node decide.',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 30,
		description: 'How many seconds to wait for the answer to one request',
	},
] as const satisfies INodeProperties[];

/** The parameters inside `options` that every operation has. */
export type CommonOptions = typeof common;

/** Shows the token of an API key in the output. */
export const includeToken = {
	displayName: 'Include Token',
	name: 'includeToken',
	type: 'boolean',
	default: false,
	description:
		"Whether to output an API key's token in full, where the service returns it. Otherwise only its prefix and last four characters are shown.",
} as const satisfies INodeProperties;

/** Query parameters of the two lists; the interface does not name them. */
export const queryParameters = {
	displayName: 'Query Parameters',
	name: 'queryParameters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Query Parameter',
	default: {},
	description: 'Query parameters to add to the request, by the names your service documents',
	options: [
		{
			displayName: 'Parameter',
			name: 'parameters',
			values: [
				{ displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. page' },
				{ displayName: 'Value', name: 'value', type: 'string', default: '', placeholder: 'e.g. 2' },
			],
		},
	],
} as const satisfies INodeProperties;

/**
 * The `options` collection of an operation.
 *
 * @param own the options that only this operation has
 */
export function optionsField<const Own extends INodeProperties[]>(own: Own) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...own, ...common],
	} as const satisfies INodeProperties;
}
