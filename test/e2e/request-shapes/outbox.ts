import type { INodeParameters } from 'n8n-workflow';

import { byId } from '../../../harness/workflows.ts';
import type { World } from '../../../harness/world.ts';
import { first, missing } from './shape.ts';
import type { RequestShape } from './shape.ts';

const tickets = 'Support Ticket Hook';

/** The parameters of a requeue with one item for each failed entry, and what goes into each request body. */
function requeueOf(world: World): {
	parameters: INodeParameters;
	entryIds: string[];
	path: string;
	ids: object;
} {
	const { channelId } = world.channel(tickets);
	const { accountId, organizationId } = world.channel(tickets);
	return {
		parameters: {
			resource: 'outbox',
			operation: 'requeue',
			channelId: byId(channelId),
			entryIds: '={{ $json.entryId }}',
			organizationId,
			accountId: byId(accountId),
		},
		entryIds: world.entries(tickets, 'Failed').map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId),
		path: `/api/v1/admin/channel/${channelId}/outbox/requeue`,
		ids: { channelId, organizationId, accountId },
	};
}

/** Reading and cancelling an entry, and requeueing in its two shapes. */
export const outbox: RequestShape[] = [
	{
		title: 'outbox: get, simplified',
		operationId: 'outbox.get',
		prepare: (world) => {
			const [entry] = world.entries(tickets, 'Failed');
			const { channelId, httpSenderOutboxEntryId } = entry ?? missing('failed entry');
			return {
				parameters: {
					resource: 'outbox',
					operation: 'get',
					channelId: byId(channelId),
					entryId: httpSenderOutboxEntryId,
				},
				requests: [
					{
						method: 'GET',
						path: `/api/v1/admin/channel/${channelId}/outbox/${httpSenderOutboxEntryId}`,
						body: null,
					},
				],
				output: [{ json: { httpSenderOutboxEntryId, channelId, statusName: 'Failed' }, pairedItem: first }],
			};
		},
	},
	{
		title: 'outbox: cancel, without a body',
		operationId: 'outbox.cancel',
		prepare: (world) => {
			const [entry] = world.entries('Support CRM Hook', 'Pending');
			const { channelId, httpSenderOutboxEntryId } = entry ?? missing('pending entry');
			return {
				parameters: {
					resource: 'outbox',
					operation: 'cancel',
					channelId: byId(channelId),
					entryId: httpSenderOutboxEntryId,
				},
				requests: [
					{
						method: 'PATCH',
						path: `/api/v1/admin/channel/${channelId}/outbox/${httpSenderOutboxEntryId}/cancel`,
						body: null,
					},
				],
				output: [{ json: { success: true, channelId, httpSenderOutboxEntryId }, pairedItem: first }],
			};
		},
	},
	{
		title: 'outbox: requeue, all items of a channel in one request',
		operationId: 'outbox.requeue',
		prepare: (world) => {
			const { parameters, entryIds, path, ids } = requeueOf(world);
			return {
				parameters,
				items: entryIds.map((entryId) => ({ entryId })),
				requests: [{ method: 'POST', path, body: { ids: entryIds, ...ids } }],
				output: [
					{ json: { success: true, ids: entryIds }, pairedItem: entryIds.map((_, item) => ({ item })) },
				],
			};
		},
	},
	{
		title: 'outbox: requeue, one request for each item',
		operationId: 'outbox.requeue',
		prepare: (world) => {
			const { parameters, entryIds, path, ids } = requeueOf(world);
			return {
				parameters: { ...parameters, options: { grouping: 'perItem' } },
				items: entryIds.map((entryId) => ({ entryId })),
				requests: entryIds.map((entryId) => ({ method: 'POST', path, body: { ids: [entryId], ...ids } })),
				output: entryIds.map((entryId, item) => ({
					json: { success: true, ids: [entryId] },
					pairedItem: { item },
				})),
			};
		},
	},
];
