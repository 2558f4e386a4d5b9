import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { byId, type Lab } from '../lab.ts';
import { organizationOf, output, type Shape } from './shape.ts';

/** Outbox entries: look at one, cancel, requeue grouped and single. */
export const outboxShapes: Shape[] = [
	{
		title: 'outbox: get',
		operationId: 'outbox.get',
		prepare(lab) {
			const channelId = lab.channelId('Support Ticket Hook');
			const items = lab.entryIds('Support Ticket Hook', 'failed').map((id) => ({ id }));
			return {
				items,
				parameters: {
					resource: 'outbox',
					operation: 'get',
					channelId: byId(channelId),
					entryId: '={{ $json.id }}',
				},
				requests: items.map(({ id }) => ({
					method: 'GET',
					path: `/api/v1/admin/channel/${channelId}/outbox/${id}`,
					body: undefined,
				})),
				output: output(
					...items.map(({ id }) => expect.objectContaining({ httpSenderOutboxEntryId: id, channelId })),
				),
			};
		},
	},
	{
		title: 'outbox: cancel',
		operationId: 'outbox.cancel',
		prepare(lab) {
			const channelId = lab.channelId('Support CRM Hook');
			const items = lab.entryIds('Support CRM Hook', 'pending').map((id) => ({ id }));
			return {
				items,
				parameters: {
					resource: 'outbox',
					operation: 'cancel',
					channelId: byId(channelId),
					entryId: '={{ $json.id }}',
				},
				requests: items.map(({ id }) => ({
					method: 'PATCH',
					path: `/api/v1/admin/channel/${channelId}/outbox/${id}/cancel`,
					body: undefined,
				})),
				output: output(
					...items.map(({ id }) =>
						expect.objectContaining({ success: true, channelId, httpSenderOutboxEntryId: id }),
					),
				),
			};
		},
	},
	requeueShape('grouped', (lab, ids) => {
		const channelId = lab.channelId('Support Ticket Hook');
		return {
			requests: [ids],
			output: [
				{
					json: expect.objectContaining({ success: true, channelId, ids }) as IDataObject,
					pairedItem: [{ item: 0 }, { item: 1 }],
				},
			],
		};
	}),
	requeueShape('single', (lab, ids) => {
		const channelId = lab.channelId('Support Ticket Hook');
		return {
			requests: ids.map((id) => [id]),
			output: output(...ids.map((id) => expect.objectContaining({ success: true, channelId, ids: [id] }))),
		};
	}),
];

function requeueShape(
	kind: 'grouped' | 'single',
	expected: (lab: Lab, ids: string[]) => { requests: string[][]; output: INodeExecutionData[] },
): Shape {
	return {
		title: `outbox: requeue, ${kind}`,
		operationId: 'outbox.requeue',
		prepare(lab) {
			const channelId = lab.channelId('Support Ticket Hook');
			const accountId = lab.accountId('Acme Support');
			const organizationId = organizationOf(lab, channelId);
			const ids = lab.entryIds('Support Ticket Hook', 'failed');
			const { requests, output: items } = expected(lab, ids);
			return {
				items: ids.map((id) => ({ id })),
				parameters: {
					resource: 'outbox',
					operation: 'requeue',
					channelId: byId(channelId),
					entryIds: '={{ $json.id }}',
					organizationId,
					accountId: byId(accountId),
					...(kind === 'single' ? { options: { grouping: 'perItem' } } : {}),
				},
				requests: requests.map((group) => ({
					method: 'POST',
					path: `/api/v1/admin/channel/${channelId}/outbox/requeue`,
					body: { ids: group, channelId, organizationId, accountId },
				})),
				output: items,
			};
		},
	};
}
