import type { INodeProperties } from 'n8n-workflow';

import { shownFor } from '../fields/builders';
import { createAccount } from './account/create';
import { getAllAccounts } from './account/getAll';
import { deleteApiKey } from './apiKey/delete';
import { getCurrentApiKey } from './apiKey/getCurrent';
import { updateApiKey } from './apiKey/update';
import { createChannel } from './channel/create';
import { getAllChannels } from './channel/getAll';
import { updateChannelParameters } from './channel/updateParameters';
import { deleteMessage } from './message/delete';
import { editMessage } from './message/edit';
import { replyToMessage } from './message/reply';
import { sendMessage } from './message/send';
import { sendMessageAndWait } from './message/sendAndWait';
import type { Operation, ResourceName } from './operation';
import { cancelOutboxEntry } from './outbox/cancel';
import { getOutboxEntry } from './outbox/get';
import { requeueOutboxEntries } from './outbox/requeue';

/** Every operation of the node, in the order of the menus. */
export const operations: readonly Operation[] = [
	createAccount,
	getAllAccounts,
	deleteApiKey,
	getCurrentApiKey,
	updateApiKey,
	createChannel,
	getAllChannels,
	updateChannelParameters,
	deleteMessage,
	editMessage,
	replyToMessage,
	sendMessage,
	sendMessageAndWait,
	cancelOutboxEntry,
	getOutboxEntry,
	requeueOutboxEntries,
];

/** The label of each resource, and the operation that is selected first. */
const RESOURCES: Readonly<Record<ResourceName, { label: string; first: string }>> = {
	account: { label: 'Account', first: 'getAll' },
	apiKey: { label: 'API Key', first: 'getCurrent' },
	channel: { label: 'Channel', first: 'getAll' },
	message: { label: 'Message', first: 'send' },
	outbox: { label: 'Outbox', first: 'get' },
};

/** The operation for a node's resource and operation parameters. */
export function findOperation(resource: unknown, name: unknown): Operation | undefined {
	return operations.find((operation) => operation.resource === resource && operation.name === name);
}

/** The node's parameters: the two menus, then each operation's fields, shown for that operation. */
export function nodeProperties(): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: Object.entries(RESOURCES).map(([value, { label }]) => ({ name: label, value })),
			default: 'message',
		},
		...Object.entries(RESOURCES).map(([resource, { first }]): INodeProperties => ({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: operations
				.filter((operation) => operation.resource === resource)
				.map((each) => ({
					name: each.displayName,
					value: each.name,
					action: each.action,
					description: each.description,
				})),
			default: first,
		})),
		...operations.flatMap(({ resource, name, fields }) =>
			shownFor({ resource: [resource], operation: [name] }, fields),
		),
	];
}
