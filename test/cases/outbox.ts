import type { World } from '../../dev/harness/world.ts';
import type { OperationCase, OperationId, Prepared, Refusal } from './case.ts';
import { badBooleans, badUuids, byId, fromAI, fromList, idFromAI, ids, paired, refuses } from './values.ts';

const outboxOf = (channelId: string) => `/api/v1/admin/channel/${channelId}/outbox`;
const entryPath = `${outboxOf(ids.channel)}/${ids.entry}`;
const leastEntry = { channelId: fromList(ids.channel), entryId: ids.entry };

const channelRefusal = refuses('Channel', (id) => ({ channelId: byId(id) }), 'x', ...badUuids);
const entryRefusals: readonly Refusal[] = [
	channelRefusal,
	refuses('Entry ID', (entryId) => ({ entryId }), '1', ...badUuids),
];

const ticketHook = 'Support Ticket Hook';

/** A channel, and the ids of its outbox entries with a given status. */
function entriesOf(world: World, channel: string, status: string): { channelId: string; entries: string[] } {
	const entries = world.entries(channel, status).map(({ httpSenderOutboxEntryId: id }) => id);
	return { channelId: world.channel(channel).channelId, entries };
}

/** Two failed entries that are requeued, in these groups. */
function requeued(world: World, perItem: boolean): Prepared {
	const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
	const { accountId, organizationId } = world.channel(ticketHook);
	const groups = perItem ? entries.map((id) => [id]) : [entries];
	return {
		items: entries.map((id) => ({ id })),
		parameters: {
			channelId: byId(channelId),
			entryIds: '={{ $json.id }}',
			organizationId,
			accountId: byId(accountId),
			...(perItem ? { options: { grouping: 'perItem' } } : {}),
		},
		requests: groups.map((group) => ({
			method: 'POST',
			path: `${outboxOf(channelId)}/requeue`,
			body: { ids: group, channelId, organizationId, accountId },
		})),
		output: groups.map((group, item) => ({
			json: { success: true, channelId, ids: group },
			pairedItem: perItem ? { item } : entries.map((_, index) => ({ item: index })),
		})),
	};
}

const context = { channelId: ids.channel, organizationId: ids.organization, accountId: ids.account };

/** Test cases of the outbox operations: get an entry, cancel, requeue. */
export const outboxCases = {
	'outbox.get': {
		least: { given: leastEntry, call: { method: 'GET', path: entryPath } },
		most: {
			given: { simplify: false, options: { includeToken: true } },
			call: { method: 'GET', path: entryPath },
		},
		required: ['channelId', 'entryId'],
		refused: [
			...entryRefusals,
			refuses('Simplify', (simplify) => ({ simplify }), ...badBooleans),
			refuses('Include Token', (includeToken) => ({ options: { includeToken } }), ...badBooleans),
		],
		modes: [{}],
		labels: { id: 'Entry ID' },
		lane: null,
		fromBody: null,
		reply: { list: false, known: {}, settled: {} },
		record: {
			schema: 'OutboxEntry',
			simplified: {},
			raw: { simplify: false },
			fields: [
				'httpSenderOutboxEntryId',
				'statusName',
				'channelId',
				'retryCount',
				'responseStatusCode',
				'responseBody',
				'correlationId',
				'createdAt',
				'sentAt',
				'failedAt',
			],
			example: {
				record: { statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
				gives: { statusName: 'Failed', responseStatusCode: 500, retryCount: 0 },
			},
		},
		traits: ['shows a token'],
		scenarios: [
			{
				title: 'simplified',
				prepare(world) {
					const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
					return {
						items: entries.map((id) => ({ id })),
						parameters: { channelId: byId(channelId), entryId: '={{ $json.id }}' },
						requests: entries.map((id) => ({ method: 'GET', path: `${outboxOf(channelId)}/${id}` })),
						output: paired(
							...entries.map((id) => ({ httpSenderOutboxEntryId: id, channelId, statusName: 'Failed' })),
						),
					};
				},
			},
		],
		agent(world) {
			const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
			return {
				parameters: {
					channelId: idFromAI('channel', 'ID of the channel'),
					entryId: fromAI('entry', 'ID of the entry'),
				},
				given: { channel: channelId, entry: entries[0] },
				request: `GET ${outboxOf(channelId)}/${entries[0]}`,
			};
		},
	},
	'outbox.cancel': {
		least: { given: leastEntry, call: { method: 'PATCH', path: `${entryPath}/cancel` } },
		most: { given: {}, call: { method: 'PATCH', path: `${entryPath}/cancel` } },
		required: ['channelId', 'entryId'],
		refused: entryRefusals,
		modes: [{}],
		labels: { id: 'Entry ID' },
		lane: {
			together: { 'the entry in upper case': { entryId: ids.entry.toUpperCase() } },
			apart: { 'another entry': { entryId: ids.otherEntry } },
		},
		fromBody: null,
		reply: {
			list: false,
			known: { channelId: ids.channel, httpSenderOutboxEntryId: ids.entry },
			settled: { success: true },
		},
		record: null,
		traits: [],
		scenarios: [
			{
				title: 'without a body',
				prepare(world) {
					const { channelId, entries } = entriesOf(world, 'Support CRM Hook', 'Pending');
					return {
						items: entries.map((id) => ({ id })),
						parameters: { channelId: byId(channelId), entryId: '={{ $json.id }}' },
						requests: entries.map((id) => ({
							method: 'PATCH',
							path: `${outboxOf(channelId)}/${id}/cancel`,
						})),
						output: paired(
							...entries.map((id) => ({ success: true, channelId, httpSenderOutboxEntryId: id })),
						),
					};
				},
			},
		],
		agent(world) {
			const { channelId, entries } = entriesOf(world, 'Support CRM Hook', 'Pending');
			return {
				parameters: {
					channelId: idFromAI('channel', 'ID of the channel'),
					entryId: fromAI('entry', 'ID of the entry'),
				},
				given: { channel: channelId, entry: entries[0] },
				request: `PATCH ${outboxOf(channelId)}/${entries[0]}/cancel`,
			};
		},
	},
	'outbox.requeue': {
		least: {
			given: {
				channelId: fromList(ids.channel),
				entryIds: ids.entry,
				organizationId: ids.organization,
				accountId: fromList(ids.account),
			},
			call: {
				method: 'POST',
				path: `${outboxOf(ids.channel)}/requeue`,
				body: { ids: [ids.entry], ...context },
			},
		},
		most: {
			given: { entryIds: [ids.otherEntry, ids.entry], options: { grouping: 'perItem' } },
			call: {
				method: 'POST',
				path: `${outboxOf(ids.channel)}/requeue`,
				body: { ids: [ids.otherEntry, ids.entry], ...context },
			},
		},
		required: ['channelId', 'entryIds'],
		refused: [
			channelRefusal,
			refuses('Entry IDs', (entryIds) => ({ entryIds }), '', ',', null, [], [''], [null], ['', ' ']),
			refuses(
				'Entry IDs',
				(entryIds) => ({ entryIds }),
				5,
				`${ids.entry},x`,
				[ids.entry, 'no id'],
				[[ids.entry]],
				...badUuids,
			),
			refuses('Organization', (organizationId) => ({ organizationId }), 'acme', ...badUuids),
			refuses('Account', (accountId) => ({ accountId: byId(accountId) }), 'acme', ...badUuids),
			refuses('Grouping', (grouping) => ({ options: { grouping } }), 'perDay'),
		],
		modes: [{ options: { grouping: 'perItem' } }],
		labels: { 'ids.0': 'Entry IDs' },
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
			list: false,
			known: { channelId: ids.channel, ids: [ids.entry] },
			settled: { success: true },
		},
		record: null,
		traits: ['shares calls'],
		scenarios: [
			{ title: 'all items of a channel in one request', prepare: (world) => requeued(world, false) },
			{ title: 'one request for each item', prepare: (world) => requeued(world, true) },
		],
		agent(world) {
			const { channelId, entries } = entriesOf(world, ticketHook, 'Failed');
			const { organizationId, accountId } = world.channel(ticketHook);
			return {
				parameters: {
					channelId: idFromAI('channel', 'ID of the channel'),
					entryIds: fromAI('entries', 'IDs'),
					organizationId: idFromAI('organization', 'Organization ID'),
					accountId: idFromAI('account', 'Account ID'),
				},
				given: {
					channel: channelId,
					entries: entries[0],
					organization: organizationId,
					account: accountId,
				},
				request: `POST ${outboxOf(channelId)}/requeue`,
			};
		},
	},
} satisfies Partial<Record<OperationId, OperationCase>>;
