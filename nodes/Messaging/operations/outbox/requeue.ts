import { accountLocator, channelLocator, organizationLocator } from '../../fields/locators';
import { InvalidParameter } from '../../fields/invalid-parameter';
import { optionsField, resendUnknown } from '../../fields/options';
import { isUuid, requiredUuidField } from '../../fields/uuid';
import { defined } from '../../json/defined';
import { valueAt } from '../../json/path';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import type { Compiled, Steps } from '../../contract/operation';
import { recordsOf, withReply } from '../records';

interface RequeueFacts {
	channelId: string;
	/** Left empty, it is taken from the channel. */
	organizationId: string | undefined;
	/** Left empty, it is taken from the channel. */
	accountId: string | undefined;
	ids: string[];
	grouping: 'perChannel' | 'perItem';
}

/** Re-enqueues outbox entries: POST /api/v1/admin/channel/{channelId}/outbox/requeue. */
export const requeueOutboxEntries = defineOperation({
	resource: 'outbox',
	name: 'requeue',
	displayName: 'Requeue',
	action: 'Requeue outbox entries',
	description: 'Put entries back into the outbound queue of a channel',
	fields: [
		channelLocator,
		requiredUuidField(
			'Entry IDs',
			'entryIds',
			'UUIDs of the outbox entries (httpSenderOutboxEntryId): one, several separated by commas, or a list from an expression',
		),
		{
			...organizationLocator,
			description: 'The organization that the channel belongs to. Left empty, it is taken from the channel.',
		},
		{
			...accountLocator,
			required: false,
			description: 'The account that the channel belongs to. Left empty, it is taken from the channel.',
		},
		optionsField([
			{
				displayName: 'Grouping',
				name: 'grouping',
				type: 'options',
				options: [
					{
						name: 'Per Channel',
						value: 'perChannel',
						description: 'Items with the same channel, account and organization share requests',
					},
					{ name: 'Per Item', value: 'perItem', description: 'One request for each item' },
				],
				default: 'perChannel',
				description: 'How to spread the entries of several items over requests',
			},
			resendUnknown,
		]),
	],
	compile(input) {
		return requeue({
			channelId: input.requiredUuid('channelId'),
			ids: input.uuidList('entryIds'),
			organizationId: input.uuid('organizationId'),
			accountId: input.uuid('accountId'),
			grouping: input.collection('options').choice('grouping'),
		});
	},
	output: (body, { channelId, ids }) => [withReply(body, { channelId, ids }, { success: true })],
	batching: {
		mostParts: 100,
		partsOf: ({ ids }) => ids,
		scopeOf: ({ channelId, organizationId, accountId }) =>
			[channelId, organizationId, accountId].join(' ').toLowerCase(),
		shares: ({ grouping }) => grouping === 'perChannel',
		callFor: (facts, parts) => requeue({ ...facts, ids: [...parts] }),
	},
	completion: {
		call: apiCall('get', '/api/v1/Admin/Channel', {}),
		applies: ({ organizationId, accountId }) => organizationId === undefined || accountId === undefined,
		read: readChannels,
	},
});

/** Where a channel of the list names what it belongs to. */
const OWNERS = {
	organizationId: {
		label: organizationLocator.displayName,
		paths: ['organizationId', 'account.organization.organizationId'],
	},
	accountId: { label: accountLocator.displayName, paths: ['accountId', 'account.accountId'] },
} as const;

/** Reads the list of channels; what it gives throws InvalidParameter naming a field that the list does not tell. */
function* readChannels(list: unknown): Steps<(facts: RequeueFacts) => RequeueFacts> {
	const channels = new Map<string, unknown>();
	for (const record of recordsOf(list)) {
		channels.set(String(valueAt(record, 'channelId')).toLowerCase(), record);
		yield;
	}
	return (facts) => {
		const channel = channels.get(facts.channelId.toLowerCase());
		const owner = (name: keyof typeof OWNERS): string => {
			const { label, paths } = OWNERS[name];
			const known = facts[name] ?? paths.map((path) => valueAt(channel, path)).find(isUuid);
			if (known !== undefined) return known;
			throw new InvalidParameter(
				label,
				channel === undefined
					? 'is empty, and the list of channels does not show this channel'
					: 'is empty, and the list of channels does not tell it',
				'Pick it or enter its UUID.',
			);
		};
		return { ...facts, organizationId: owner('organizationId'), accountId: owner('accountId') };
	};
}

function requeue(facts: RequeueFacts): Compiled<RequeueFacts> {
	const { channelId, organizationId, accountId, ids } = facts;
	return {
		call: apiCall('post', '/api/v1/admin/channel/{channelId}/outbox/requeue', {
			ids: { channelId },
			body: defined({ ids, channelId, organizationId, accountId }),
		}),
		facts,
		sources: { ids: 'entryIds' },
		lane: `channel ${channelId.toLowerCase()}`,
	};
}
