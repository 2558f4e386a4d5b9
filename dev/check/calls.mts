import { randomUUID } from 'node:crypto';

import { type ApiCall, apiCall } from '../../nodes/Messaging/service/api-call.ts';

/** The lists, and where the ID of a record is. */
export const LISTS = [
	['Channels', 'channel.getAll', 'channelId', apiCall('get', '/api/v1/Admin/Channel', {})],
	['Accounts', 'account.getAll', 'accountId', apiCall('get', '/api/v1/Admin/Account', {})],
] as const;

/** The calls about something in particular. All IDs are new, so there is nothing that they could change. */
export function otherCalls(): Record<string, ApiCall> {
	const [channelId, id, apiKeyId] = [randomUUID(), randomUUID(), randomUUID()];
	const entry = { ids: { channelId, id } };
	const body = { ids: [id], channelId, organizationId: randomUUID(), accountId: randomUUID() };
	const message = { channelId, chatId: randomUUID(), messageId: randomUUID() };
	return {
		'Edit a message': apiCall('put', '/api/v1/message/EditMessage', {
			body: { ...message, newText: 'A check' },
		}),
		'Delete a message': apiCall('delete', '/api/v1/message/DeleteMessage', { body: message }),
		'Get an outbox entry': apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', entry),
		'Cancel an outbox entry': apiCall('patch', '/api/v1/admin/channel/{channelId}/outbox/{id}/cancel', entry),
		'Requeue an outbox entry': apiCall('post', '/api/v1/admin/channel/{channelId}/outbox/requeue', {
			...{ ids: { channelId }, body },
		}),
		'Update channel parameters': apiCall('put', '/api/v1/Admin/Channel/{id}/parameters', {
			...{ ids: { id: channelId }, body: { channelId, parameters: {} } },
		}),
		'Update an API key': apiCall('put', '/api/v1/Admin/ApiKey/{id}', {
			...{ ids: { id: apiKeyId }, body: { apiKeyId, name: 'A check' } },
		}),
		'Revoke an API key': apiCall('delete', '/api/v1/Admin/ApiKey/{id}', { ids: { id: apiKeyId } }),
	};
}

/** Sends a message. Sent again it is the same, and a service can tell by its `packageId`. */
export function sendCall({ channelId, email }: { channelId: string; email: string }): ApiCall {
	const packageId = randomUUID();
	const text = `A check of the messaging service. If it arrives twice, the service does not recognize its packageId, ${packageId}.`;
	const content = { type: 'TEXT', text, to: { type: 'EMAIL', email } };
	return apiCall('post', '/api/v1/message/SendMessage', { body: { packageId, channelId, content } });
}
