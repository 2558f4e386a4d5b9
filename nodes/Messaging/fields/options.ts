import type { INodeProperties } from 'n8n-workflow';

import { choiceField, collectionField, flagField, groupField, numberField, textField } from './builders';

const common = [
	flagField({
		displayName: 'Keep to Plan',
		name: 'keepToPlan',
		description:
			"Whether to send no faster than the API key's resource plan allows, such as 60 calls a minute, counting all workflows on this server that use the key. The service refuses faster calls. The first item's value applies to all.",
		default: true,
	}),
	numberField({
		name: 'maxConcurrency',
		description:
			"How many requests may run at the same time, such as 1 for a service that takes one at a time. With 0, the node adapts to what the service can handle. The first item's value applies to all.",
		typeOptions: { minValue: 0 },
	}),
	numberField({
		name: 'maxTries',
		description:
			'How often to try a request at most, including the first try. Only requests that are safe to repeat are tried again.',
		default: 4,
		typeOptions: { minValue: 1, maxValue: 20 },
	}),
	numberField({
		name: 'maxWait',
		description:
			'How many seconds an item waits at most while the service or its channel is failing, or answers "try later"',
		default: 300,
		typeOptions: { minValue: 0 },
	}),
	numberField({
		name: 'timeout',
		description: 'How many seconds to wait for the answer to one request',
		default: 30,
		typeOptions: { minValue: 1, maxValue: 3600 },
	}),
] as const satisfies INodeProperties[];

export const ordering = choiceField({
	name: 'ordering',
	description:
		"Whether messages to the same recipient wait for each other, so that the first part of a text arrives before the second. The first item's value applies to all.",
	default: 'recipient',
	choices: {
		recipient: ['Per Recipient', 'Messages to one recipient are sent in item order, one after the other'],
		none: 'Messages are sent as fast as possible, in any order',
	},
});

/** For messages only: a gateway that is connected to a person's own number may be banned for sending too fast. */
export const pauseBetween = numberField({
	displayName: 'Pause Between Messages',
	name: 'pauseBetween',
	description:
		"How many seconds to wait after a message before the next one through the same channel is sent, one at a time, such as 2.5. It counts for all workflows on this server that set it. The first item's value applies to all.",
	typeOptions: { minValue: 0, maxValue: 3600, numberPrecision: 3 },
});

export const whenUnknown = choiceField({
	displayName: 'When Outcome Is Unknown',
	name: 'whenUnknown',
	description:
		"What to do on a retry if delivery of an item can't be confirmed, because the connection broke or the service failed after the request was sent. Use an expression to decide for each item.",
	default: 'hold',
	choices: {
		countAsSent: [
			'Count as Sent',
			'The item succeeds and nothing is sent. Choose this if you found it at the service.',
		],
		hold: ['Hold (Default)', "Don't send again; the item fails until you decide"],
		sendAgain: 'The request is repeated. If the first one arrived, this makes a duplicate.',
	},
});

/** The most keys that can be remembered: with more, n8n takes seconds to write the list. */
export const MOST_KEYS = 20_000;

/** How many once keys are remembered. With fewer than the lower limit, keys would be forgotten while still needed. */
const onceHistory = numberField({
	displayName: 'Keys to Remember',
	name: 'onceHistory',
	description:
		"How many keys this node remembers, from 1,000 to 20,000. A message whose key was dropped is sent again. After a run with more messages, the node remembers as many as that run had. If it sends a list of 5,000 customers in parts, or other messages between two runs of it, enter 5000. More keys make each message slower. Applies only with the option for the key. The first item's value applies to all.",
	default: 2000,
	typeOptions: { minValue: 1000, maxValue: MOST_KEYS },
});

/** For those who write the JSON of a workflow. */
const KEY_HINT =
	'A member of "options": { "onceKey": expr("{{ $json.orderNumber }}") }. It must be an expression, beginning with "=", that gives each item a value of its own; the same fixed text for all would send only the first item.';

/** The once key of an operation, in its words: it does a thing once for each key, across executions. */
function onceKey(words: { displayName: string; description: string; placeholder: string }) {
	return textField({ name: 'onceKey', ...words, builderHint: { propertyHint: KEY_HINT } });
}

/** Sends a message once for each key. */
export const sendOnce = [
	onceKey({
		displayName: 'Send Only Once Per',
		description:
			'What identifies this message, such as an order number or an event ID. This node sends one message per key. It sends no second one if the event arrives twice or the execution is retried.',
		placeholder: 'Drag an order number here',
	}),
	onceHistory,
] as const satisfies INodeProperties[];

/** The options of everything that sends a message. */
export const sendOptions = [ordering, pauseBetween, whenUnknown, ...sendOnce] as const;

/** The options of everything that creates something. */
export const createOptions = [
	whenUnknown,
	onceKey({
		displayName: 'Create Only Once Per',
		description:
			'What identifies the new entry, such as a customer number or an event ID. This node creates one entry per key. It creates no second one if the event arrives twice or the execution is retried.',
		placeholder: 'Drag a customer number here',
	}),
	onceHistory,
] as const satisfies INodeProperties[];

/**
 * Answers a message once, under a key that the node makes of it. It stands outside Options, because it is on by default: an
 * option counts only when it is added.
 */
export const answerOnce = flagField({
	displayName: 'Answer Each Message Once',
	name: 'answerOnce',
	description:
		'Whether to answer each message only once, even if the service delivers it again. The node recognizes it by its channel, its sender and its messageId. If off, each delivery is answered. A key in Send Only Once Per takes precedence.',
	default: true,
});

export const showRequest = flagField({
	name: 'showRequest',
	description: 'Whether to show the request that Send would make for each item',
	displayOptions: { show: { '/operation': ['preview'] } },
});

export const includeToken = flagField({
	name: 'includeToken',
	description:
		'Whether to output tokens, passwords and other credentials in full, if the service returns them. If off, they are masked, and the request in an outbox entry is hidden. An API key then shows its prefix and last four characters.',
});

export const nameContains = textField({
	name: 'nameContains',
	description:
		'Return only records whose name contains this text, in upper or lower case. The limit counts these.',
	placeholder: 'support',
});

/** Query parameters of the two list operations; the interface does not name them. */
export const queryParameters = groupField({
	name: 'queryParameters',
	description: "Query parameters to add to the request. See your service's documentation for their names.",
	typeOptions: { multipleValues: true },
	placeholder: 'Add Query Parameter',
	group: { displayName: 'Parameter', name: 'parameters' },
	values: [
		textField({ name: 'name', description: 'Name of the parameter', placeholder: 'page' }),
		textField({ name: 'value', description: 'Value of the parameter', placeholder: '2' }),
	],
});

/** The `options` of an operation: its own and those that every operation has. */
export function optionsField<const Added extends INodeProperties[]>(added: Added) {
	return collectionField('options', inOrder([...added, ...common]));
}

/** Options in the order of the editor: the once key first, then by label. */
export function inOrder<Option extends INodeProperties>(options: Option[]): Option[] {
	const isKey = ({ name }: INodeProperties): number => Number(name === 'onceKey');
	return options.sort(
		(one, other) => isKey(other) - isKey(one) || one.displayName.localeCompare(other.displayName),
	);
}

/** What delivery reads; not every operation has all of it. */
export const deliveryFields = [
	answerOnce,
	optionsField([...sendOptions]),
] as const satisfies INodeProperties[];

/** The label of an option; `undefined` if the operation does not have it. */
export function optionLabel(
	fields: readonly INodeProperties[],
	option: 'onceKey' | 'whenUnknown',
): string | undefined {
	const options = fields.find(({ name }) => name === 'options')?.options;
	const member = options?.find(({ name }) => name === option);
	return member !== undefined && 'displayName' in member ? member.displayName : undefined;
}
