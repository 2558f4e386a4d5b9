import type { INodeProperties } from 'n8n-workflow';

import { shownFor } from '../fields/builders';
import { misplacedFields } from '../fields/misplaced';
import { titleCase } from '../shared/text';
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
import type { DefinedOperation, Operation } from './operation';
import { cancelOutboxEntry } from './outbox/cancel';
import { getOutboxEntry } from './outbox/get';
import { requeueOutboxEntries } from './outbox/requeue';
import { callEndpoint } from './service/request';

/** The menus: for each resource its operations, by their names in saved workflows, and the one that is selected first. */
const MENUS: Readonly<Record<string, { first: string; operations: Record<string, DefinedOperation> }>> = {
	account: { first: 'getAll', operations: { create: createAccount, getAll: getAllAccounts } },
	apiKey: {
		first: 'getCurrent',
		operations: { delete: deleteApiKey, getCurrent: getCurrentApiKey, update: updateApiKey },
	},
	channel: {
		first: 'getAll',
		operations: {
			create: createChannel,
			getAll: getAllChannels,
			updateParameters: updateChannelParameters,
		},
	},
	message: {
		first: 'send',
		operations: {
			delete: deleteMessage,
			edit: editMessage,
			reply: replyToMessage,
			send: sendMessage,
			sendAndWait: sendMessageAndWait,
		},
	},
	outbox: {
		first: 'get',
		operations: { cancel: cancelOutboxEntry, get: getOutboxEntry, requeue: requeueOutboxEntries },
	},
	service: { first: 'request', operations: { request: callEndpoint } },
};

/** Every operation of the node, in the order of the menus. */
export const operations: readonly Operation[] = Object.entries(MENUS).flatMap(([resource, menu]) =>
	Object.entries(menu.operations).map(([name, operation]) => ({
		resource,
		name,
		displayName: titleCase(name),
		...operation,
	})),
);

/** The operation for a node's resource and operation parameters. */
export function findOperation(resource: unknown, name: unknown): Operation | undefined {
	return operations.find((operation) => operation.resource === resource && operation.name === name);
}

/** All operations by their names in saved workflows: "account: create, getAll; apiKey: ...". */
export const operationNames = Object.entries(MENUS)
	.map(([resource, menu]) => `${resource}: ${Object.keys(menu.operations).join(', ')}`)
	.join('; ');

/** What the editor shows under the node, an expression: what it does, in words. */
export const subtitle = `={{ (${JSON.stringify(
	Object.fromEntries(operations.map(({ resource, name, action }) => [`${resource} ${name}`, action])),
)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;

/** The node's parameters: the two menus, each operation's fields, shown for that operation, and what is refused. */
export function nodeProperties(): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: Object.keys(MENUS).map((value) => ({
				name: titleCase(value),
				value,
				// With it, the model of an AI agent would be free to call anything.
				...(value === 'service' && { displayOptions: { hide: { '@tool': [true] } } }),
			})),
			default: 'message',
		},
		...Object.entries(MENUS).map(([resource, { first }]): INodeProperties => ({
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
		...misplacedFields,
	];
}
