import type { World } from '../../dev/harness/world.mts';
import type { OperationCase, OperationId, Refusal } from './case.mts';
import { badUuids, byId, fromList, ids, operationCase, paired, refuses, words } from './values.mts';

const outboxOf = (channelId: string) => `/api/v1/admin/channel/${channelId}/outbox`;
const entryPath = `${outboxOf(ids.channel)}/${ids.entry}`;
const leastEntry = { channelId: fromList(ids.channel), entryId: ids.entry };

const channelRefusal = refuses('Channel', (id) => ({ channelId: byId(id) }), ...badUuids);
const entryRefusals: readonly Refusal[] = [channelRefusal, refuses('Entry ID', 'entryId', ...badUuids)];

const ticketHook = 'Support Ticket Hook';

/** A channel, and the ids of its outbox entries with a given status. */
function entriesOf(world: World, channel: string, status: string): { channelId: string; entries: string[] } {
	const entries = world.entries(channel, status).map(({ httpSenderOutboxEntryId: id }) => id);
	return { channelId: world.channel(channel).channelId, entries };
}

/** Two failed entries, each requeued with a call of its own. */
function requeued(world: World) {
	const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
	const { accountId, organizationId } = world.channel(ticketHook);
	return {
		items: entries.map((id) => ({ id })),
		parameters: {
			channelId: byId(channelId),
			entryIds: '={{ $json.id }}',
			organizationId,
			accountId: byId(accountId),
		},
		requests: entries.map((id) => ({
			path: `${outboxOf(channelId)}/requeue`,
			body: { ids: [id], channelId, organizationId, accountId },
		})),
		output: paired(...entries.map((id) => ({ success: true, channelId, ids: [id] }))),
	};
}

const context = { channelId: ids.channel, organizationId: ids.organization, accountId: ids.account };

/** Test cases of the outbox operations: get an entry, cancel, requeue. */
export const outboxCases = {
	'outbox.get': operationCase('GET', entryPath, {
		calls: {
			least: { given: leastEntry },
			most: { given: { simplify: false, options: { includeToken: true } } },
		},
		required: ['channelId', 'entryId'],
		refused: [
			...entryRefusals,
			refuses('Simplify', 'simplify', 'maybe'),
			refuses('Include Token', 'options.includeToken', 'maybe'),
		],
		record: {
			schema: 'OutboxEntry',
			simplified: {},
			raw: { simplify: false },
			fields: words(
				'httpSenderOutboxEntryId statusName channelId retryCount responseStatusCode responseBody correlationId createdAt sentAt failedAt',
			),
			example: {
				record: { statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
				gives: { statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
			},
		},
		traits: ['shows a token'],
		scenarios: {
			simplified: (world) => {
				const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
				return {
					items: entries.map((id) => ({ id })),
					parameters: { channelId: byId(channelId), entryId: '={{ $json.id }}' },
					requests: entries.map((id) => ({ path: `${outboxOf(channelId)}/${id}` })),
					output: paired(
						...entries.map((id) => ({ httpSenderOutboxEntryId: id, channelId, statusName: 'Failed' })),
					),
				};
			},
		},
	}),
	'outbox.cancel': operationCase('PATCH', `${entryPath}/cancel`, {
		calls: { least: { given: leastEntry }, most: { given: {} } },
		required: ['channelId', 'entryId'],
		refused: entryRefusals,
		lane: {
			together: { 'the entry in upper case': { entryId: ids.entry.toUpperCase() } },
			apart: { 'another entry': { entryId: ids.otherEntry } },
		},
		reply: {
			ownFields: { channelId: ids.channel, httpSenderOutboxEntryId: ids.entry },
			settled: { success: true },
		},
		scenarios: {
			'without a body': (world) => {
				const { channelId, entries } = entriesOf(world, 'Support CRM Hook', 'Pending');
				return {
					items: entries.map((id) => ({ id })),
					parameters: { channelId: byId(channelId), entryId: '={{ $json.id }}' },
					requests: entries.map((id) => ({ path: `${outboxOf(channelId)}/${id}/cancel` })),
					output: paired(...entries.map((id) => ({ success: true, channelId, httpSenderOutboxEntryId: id }))),
				};
			},
		},
	}),
	'outbox.requeue': operationCase('POST', `${outboxOf(ids.channel)}/requeue`, {
		calls: {
			least: {
				given: {
					channelId: fromList(ids.channel),
					entryIds: ids.entry,
					organizationId: ids.organization,
					accountId: fromList(ids.account),
				},
				body: { ids: [ids.entry], ...context },
			},
			most: {
				given: { entryIds: [ids.otherEntry, ids.entry] },
				body: { ids: [ids.otherEntry, ids.entry], ...context },
			},
		},
		required: ['channelId', 'entryIds'],
		refused: [
			channelRefusal,
			refuses('Entry IDs', 'entryIds', ',', [], ['', ' ']),
			refuses('Entry IDs', 'entryIds', 5, `${ids.entry},x`, [ids.entry, 'no id'], [[ids.entry]]),
			refuses('Organization ID', 'organizationId', ...badUuids),
			refuses('Account', (accountId) => ({ accountId: byId(accountId) }), ...badUuids),
		],
		lane: {
			together: {
				'another entry': { entryIds: ids.otherEntry },
				'the channel in upper case': { channelId: byId(ids.channel.toUpperCase()) },
			},
			apart: { 'another channel': { channelId: byId(ids.feedback) } },
		},
		fromBody: {
			required: ['ids', 'channelId', 'organizationId', 'accountId'],
			given: ({ ids: entryIds, ...fields }) => ({ ...fields, entryIds }),
		},
		reply: {
			ownFields: { channelId: ids.channel, ids: [ids.entry] },
			settled: { success: true },
		},
		scenarios: { 'each item in a request of its own': requeued },
	}),
} satisfies Partial<Record<OperationId, OperationCase>>;
