import { accountLocator, channelLocator, organizationLocator } from '../../fields/locators';
import { optionsField, resendUnknown } from '../../fields/options';
import { requiredUuidField } from '../../fields/uuid';
import { apiCall } from '../../service/api-call';
import { type Compiled, defineOperation } from '../operation';
import { withReply } from '../records';

interface RequeueFacts {
	channelId: string;
	organizationId: string;
	accountId: string;
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
		{ ...organizationLocator, required: true, description: 'The organization that the channel belongs to' },
		accountLocator,
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
			organizationId: input.requiredUuid('organizationId'),
			accountId: input.requiredUuid('accountId'),
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
});

function requeue(facts: RequeueFacts): Compiled<RequeueFacts> {
	const { channelId, organizationId, accountId, ids } = facts;
	return {
		call: apiCall('post', '/api/v1/admin/channel/{channelId}/outbox/requeue', {
			ids: { channelId },
			body: { ids, channelId, organizationId, accountId },
		}),
		facts,
		lane: `channel ${channelId.toLowerCase()}`,
	};
}
