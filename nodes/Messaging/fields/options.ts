import type { INodeProperties } from 'n8n-workflow';

/** Options that every operation has. */
const common = [
	{
		displayName: 'Keep to Plan',
		name: 'keepToPlan',
		type: 'boolean',
		default: true,
		description:
			"Whether to send no faster than the API key's resource plan allows, together with all other workflows on this server that use the key. The first item's value counts for all.",
	},
	{
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		description:
			"How many requests may be under way at once. 0 lets the node find out what the service can take. The first item's value counts for all.",
	},
	{
		displayName: 'Max Tries',
		name: 'maxTries',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
		default: 4,
		description:
			'How often to try a call at most, the first try counted. Only what can safely be repeated is tried again.',
	},
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 300,
		description: 'How many seconds an item waits at most on a service that only says "later"',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 30,
		description: 'How many seconds to wait for the answer to one request',
	},
] as const satisfies INodeProperties[];

/** In which order messages leave. */
export const ordering = {
	displayName: 'Ordering',
	name: 'ordering',
	type: 'options',
	options: [
		{
			name: 'Per Recipient',
			value: 'recipient',
			description: 'Messages to one recipient leave in item order, one after the other',
		},
		{ name: 'None', value: 'none', description: 'Messages leave as fast as possible, in any order' },
	],
	default: 'recipient',
	description:
		"Whether messages to the same recipient wait for each other. The first item's value counts for all.",
} as const satisfies INodeProperties;

/** What becomes of an item that may have been processed in an earlier try. */
export const whenUnknown = {
	displayName: 'When Outcome Is Unknown',
	name: 'whenUnknown',
	type: 'options',
	options: [
		{
			name: 'Count as Sent',
			value: 'countAsSent',
			description: 'The item is a success, and nothing is sent. For what you have found at the service.',
		},
		{ name: 'Hold', value: 'hold', description: 'The item fails, until somebody has checked at the service' },
		{
			name: 'Send Again',
			value: 'sendAgain',
			description: 'The call is repeated. The service may then do it twice.',
		},
	],
	default: 'hold',
	description:
		'What to do when delivery of an item could not be confirmed: the connection broke or the service failed after the request had left. Use an expression to decide for each item.',
} as const satisfies INodeProperties;

/** How many once keys are remembered. */
const onceHistory = {
	displayName: 'Keys to Remember',
	name: 'onceHistory',
	type: 'number',
	typeOptions: { minValue: 1000, maxValue: 20000, numberPrecision: 0 },
	default: 10000,
	description:
		"How many keys this node remembers, from 1,000 to 20,000. When there are more, the oldest are forgotten, and what comes with a forgotten key goes out again. With many, each message takes longer. Only counts together with the option for the key; the first item's value counts for all.",
} as const satisfies INodeProperties;

/** What keeps a message from going out twice, across executions. */
export const sendOnce = [
	{
		displayName: 'Send Only Once Per',
		name: 'onceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.orderNumber }}',
		description:
			'What identifies this message, such as an order number or the ID of an event. This node sends one message for each key: not again when the same event arrives twice, and not when an execution is retried.',
	},
	onceHistory,
] as const satisfies INodeProperties[];

/** The same for what is created. */
export const createOnce = [
	{
		displayName: 'Create Only Once Per',
		name: 'onceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.customerNumber }}',
		description:
			'What identifies what is created, such as a customer number or the ID of an event. This node creates one for each key: not again when the same event arrives twice, and not when an execution is retried.',
	},
	onceHistory,
] as const satisfies INodeProperties[];

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
		options: [...own, ...common].sort((one, other) => one.displayName.localeCompare(other.displayName)),
	} as const satisfies INodeProperties;
}

/** The options as the delivery of calls reads them; not every operation offers all of them. */
export const deliveryFields = [
	optionsField([ordering, whenUnknown, ...sendOnce]),
] as const satisfies INodeProperties[];
