import type { INodeProperties } from 'n8n-workflow';

import { collectionField, shownFor } from '../fields/builders';
import { droppedNamesOf } from '../fields/dropped-names';
import { inOrder } from '../fields/options';
import { membersIn } from '../input/parameter-types';
import { refuseDroppedNames } from '../input/dropped-names';
import { refuseModelInput } from '../input/refuse';
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
import { previewMessage } from './message/preview';
import { replyToMessage } from './message/reply';
import { sendMessage } from './message/send';
import { sendMessageAndWait } from './message/sendAndWait';
import type { DefinedOperation, Operation } from './operation';
import { cancelOutboxEntry } from './outbox/cancel';
import { getOutboxEntry } from './outbox/get';
import { requeueOutboxEntries } from './outbox/requeue';
import { callEndpoint } from './service/request';

/**
 * The menus: for each resource its operations, by their names in saved workflows. Sending a message stands first, and what is
 * selected first in each menu; the rest is sorted by label. n8n shows its list of actions in this order.
 */
const MENUS: Readonly<Record<string, Readonly<Record<string, DefinedOperation>>>> = {
	message: {
		send: sendMessage,
		delete: deleteMessage,
		edit: editMessage,
		preview: previewMessage,
		reply: replyToMessage,
		sendAndWait: sendMessageAndWait,
	},
	account: { getAll: getAllAccounts, create: createAccount },
	apiKey: { getCurrent: getCurrentApiKey, delete: deleteApiKey, update: updateApiKey },
	channel: {
		getAll: getAllChannels,
		create: createChannel,
		updateParameters: updateChannelParameters,
	},
	outbox: { get: getOutboxEntry, cancel: cancelOutboxEntry, requeue: requeueOutboxEntries },
	service: { request: callEndpoint },
};

/** Every operation of the node, in the order of the menus. */
export const operations: readonly Operation[] = Object.entries(MENUS).flatMap(([resource, menu]) =>
	Object.entries(menu).map(([name, operation]) => ({
		resource,
		name,
		displayName: titleCase(name),
		...operation,
		compile(source) {
			refuseDroppedNames(operation.fields, source, dropped);
			refuseModelInput(source, operation.fields);
			return operation.compile(source);
		},
	})),
);

/** The names that n8n would drop. */
const dropped = droppedNamesOf(operations.map(({ fields }) => fields));

/** The operation for a node's resource and operation parameters. */
export function findOperation(resource: unknown, name: unknown): Operation | undefined {
	return operations.find((operation) => operation.resource === resource && operation.name === name);
}

/** All operations by their names in saved workflows: "account: create, getAll; apiKey: ...". */
export const operationNames = Object.entries(MENUS)
	.map(([resource, menu]) => `${resource}: ${Object.keys(menu).join(', ')}`)
	.join('; ');

/** What the editor shows under the node, an expression: what it does, in words. */
export const subtitle = `={{ (${JSON.stringify(
	Object.fromEntries(operations.map(({ resource, name, action }) => [`${resource} ${name}`, action])),
)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;

/** The resource that is selected first. */
const [FIRST = ''] = Object.keys(MENUS);

/** The collections that several operations have, in the order of the form. */
const SHARED = ['additionalFields', 'options', 'rareFields'];

const NOT_IN_TOOLS = { hide: { '@tool': [true] } };

/** The node's parameters: the two menus, each operation's fields, shown for that operation, and what is refused. */
export function nodeProperties(): INodeProperties[] {
	const own = operations.filter(({ previews }) => previews === undefined);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: Object.keys(MENUS).map((value) => ({
				name: titleCase(value),
				value,
				// Not in a tool: the model of an AI agent could call any endpoint.
				...(value === 'service' && { displayOptions: NOT_IN_TOOLS }),
			})),
			default: FIRST,
		},
		...Object.keys(MENUS).map((resource): INodeProperties => {
			const menu = operations.filter((operation) => operation.resource === resource);
			const first = menu[0]?.name;
			return {
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [resource] } },
				options: menu.map((each) => ({
					name: each.displayName,
					value: each.name,
					action: each.action,
					description: each.description,
					...(each.previews !== undefined && { displayOptions: NOT_IN_TOOLS }),
				})),
				default: first,
			};
		}),
		...own.flatMap(({ resource, name, fields }) => {
			// A preview has the same fields, so they are shown for it as well.
			const operation = operations.flatMap((each) =>
				[each.name, each.previews].includes(name) && each.resource === resource ? [each.name] : [],
			);
			return shownFor(
				{ resource: [resource], operation },
				fields.filter((field) => !SHARED.includes(field.name)),
			);
		}),
		...SHARED.map(sharedCollection),
		...dropped.fields,
	];
}

/**
 * A collection that several operations have, with the members of all of them, each printed once: for each operation apart,
 * the options alone would be a third of the description. When the operation changes, the editor then removes what the new
 * one does not have.
 */
function sharedCollection(name: string): INodeProperties {
	const fieldsOf = ({ fields }: Operation): INodeProperties[] =>
		fields.filter((field) => field.name === name);
	const owners = operations.filter((operation) => fieldsOf(operation).length > 0);
	const having = new Map<string, Operation[]>();
	for (const operation of owners) {
		for (const member of fieldsOf(operation).flatMap((field) => membersIn(field).members)) {
			const text = JSON.stringify(member);
			having.set(text, [...(having.get(text) ?? []), operation]);
		}
	}
	const members = [...having].flatMap(([text, all]) => {
		const member = JSON.parse(text) as INodeProperties;
		if (all.length === owners.length) return [member];
		const { operation, resource } = menusOf(all);
		return shownFor({ '/resource': resource, '/operation': operation }, [member]);
	});
	const hide = owners.flatMap(fieldsOf).find((field) => field.displayOptions?.hide)?.displayOptions?.hide;
	return {
		...collectionField(name, inOrder(members)),
		displayOptions: { show: menusOf(owners), ...(hide && { hide }) },
	};
}

/** The names of operations and of their resources. */
function menusOf(some: readonly Operation[]): { resource: string[]; operation: string[] } {
	return {
		resource: [...new Set(some.map(({ resource }) => resource))],
		operation: [...new Set(some.map(({ name }) => name))],
	};
}
